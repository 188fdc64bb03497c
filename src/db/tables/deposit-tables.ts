import { sql as raw, type SQL } from "drizzle-orm";
import {
  type AnyPgColumn,
  bigint,
  boolean,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { DepositState } from "../../schemas/deposit-schema.ts";

import type { WithdrawalState } from "../../schemas/withdrawal-schema.ts";

import { time, uint256 } from "./table-columns.ts";

type StateColumns = Record<"state" | "sourceProven", AnyPgColumn>;

/**
 * SQL condition of the deposits and withdrawals whose source transaction is not proven, and of those that have failed.
 */
export const unproven = (table: StateColumns): SQL =>
  raw`(not ${table.sourceProven} or ${table.state} = 'failed')`;

/** SQL condition of the deposits and withdrawals that are in progress: sent, and neither ended nor failed. */
export const underWay = (table: { state: AnyPgColumn | SQL }): SQL =>
  raw`${table.state} in ('submitted', 'bridging', 'awaiting_deposit', 'requested', 'claimable', 'cooling', 'awaiting_transfer')`;

/** Direction of a row: a deposit into a vault, or a withdrawal from it. */
export type Direction = "deposit" | "withdrawal";
type TrackedState = DepositState | WithdrawalState;

/**
 * Built deposits and withdrawals with their progress. In a withdrawal, the user pays with the vault's shares. Addresses
 * and hashes are lowercase; amounts are decimal strings in the smallest unit of their token.
 */
export const deposits = pgTable(
  "deposits",
  {
    trackingId: text("tracking_id").primaryKey(),
    /** Deposit reference that the Router emits: keccak256 of the tracking id. */
    ref: text("ref").notNull(),
    direction: text("direction").$type<Direction>().notNull().default("deposit"),
    state: text("state").$type<TrackedState>().notNull(),
    substatus: text("substatus"),
    userAddress: text("user_address").notNull(),
    vaultChainId: integer("vault_chain_id").notNull(),
    vaultAddress: text("vault_address").notNull(),
    /** Share token: the user receives it in a deposit and pays with it in a withdrawal. */
    shareToken: text("share_token").notNull(),
    fromChainId: integer("from_chain_id").notNull(),
    fromToken: text("from_token").notNull(),
    /** Amount that the user pays; 0 in an order to withdraw all shares. */
    fromAmount: uint256("from_amount").notNull(),
    /** Number of shares that a deposit is expected to mint, or a withdrawal to redeem. */
    estimatedShares: uint256("estimated_shares").notNull(),
    minShares: uint256("min_shares"),
    shares: uint256("shares"),
    receivedAmount: uint256("received_amount"),
    /**
     * The provider of the swap or bridge. Null if there is none, for the swap of a move on one chain, and before the
     * second step of a withdrawal is seen.
     */
    provider: text("provider"),
    bridge: text("bridge"),
    /** The provider's own name of the bridge or exchange, which its status API needs. */
    tool: text("tool"),
    /**
     * Token that a swap or bridge delivers on the vault's chain, with its expected and its guaranteed amount; null for
     * a direct deposit. In a withdrawal: the requested token, on the chain `toChainId`; in two steps, nothing enforces
     * `moveMin`, the minimum at the build.
     */
    moveToken: text("move_token"),
    moveExpected: uint256("move_expected"),
    moveMin: uint256("move_min"),
    /** True if the provider's swap or bridge itself calls the Router with the delivered token. */
    destinationCall: boolean("destination_call").notNull().default(false),
    /** URL of the transfer in the bridge's own explorer, or null if none is known. */
    routerExplorer: text("router_explorer"),
    /** Slippage that the user allowed, as a fraction; it also applies when the second step is built. */
    slippage: doublePrecision("slippage").notNull().default(0.03),
    twoStep: boolean("two_step").notNull().default(false),
    /** Target and calldata hash of the built transaction. */
    sourceTo: text("source_to").notNull(),
    sourceDataHash: text("source_data_hash").notNull(),
    /**
     * Head block of the source chain when a direct deposit or a withdrawal was built; null for a routed deposit, or if
     * it was not recorded. A much older transaction with the same calldata belongs to something else.
     */
    builtBlock: bigint("built_block", { mode: "number" }),
    sourceTxHash: text("source_tx_hash"),
    depositTxHash: text("deposit_tx_hash"),
    claimTxHash: text("claim_tx_hash"),
    /**
     * Transactions, by their receipts: the one that delivered the funds or in which another account made the deposit,
     * and the one that refunded them, or cancelled or rejected the request.
     */
    destinationTxHash: text("destination_tx_hash"),
    refundTxHash: text("refund_tx_hash"),
    /** Amount of `moveToken` that the user received, in the token's smallest unit. */
    deliveredAmount: uint256("delivered_amount"),
    /** True while on-chain data proves that the transaction `sourceTxHash` belongs to this deposit or withdrawal. */
    sourceProven: boolean("source_proven").notNull().default(false),
    depositProven: boolean("deposit_proven").notNull().default(false),
    /** Id of the request at an asynchronous vault, or null if there is none or it is unknown. */
    requestId: text("request_id"),
    /**
     * Time of the next check, or null if none is scheduled; and the number of checks since the state changed or an
     * event reset it.
     */
    nextCheckAt: time("next_check_at"),
    checks: integer("checks").notNull().default(0),
    /** Time of the last scheduled check, or null if there was none. */
    checkedAt: time("checked_at"),
    parentTrackingId: text("parent_tracking_id"),
    partnerId: text("partner_id").notNull().default(""),
    partnerType: smallint("partner_type").notNull().default(0),
    /** The partner whose API key the build had, or null without one, even if `partnerId` is claimed. */
    partnerAddress: text("partner_address"),
    /** True if the partner authenticated with the API key and its secret. */
    partnerVerified: boolean("partner_verified").notNull().default(false),
    referrer: text("referrer").notNull(),
    referrerHandle: text("referrer_handle").notNull().default(""),
    /** How the vault pays a withdrawal: `instant`, `request` or `cooldown`. Null in deposits, as are the next five. */
    mode: text("mode").$type<"instant" | "request" | "cooldown">(),
    /** Token that the vault pays, its expected and minimum amount, and the amount that was paid. */
    exitToken: text("exit_token"),
    estimatedAssets: uint256("estimated_assets"),
    minAssets: uint256("min_assets"),
    assets: uint256("assets"),
    /** Chain of the requested token. */
    toChainId: integer("to_chain_id"),
    history: jsonb("history").$type<{ state: TrackedState; at: string }[]>().notNull(),
    createdAt: time("created_at").notNull(),
    updatedAt: time("updated_at").notNull(),
    expiresAt: time("expires_at").notNull(),
  },
  (table) => [
    uniqueIndex("deposits_ref").on(table.ref),
    index("deposits_user").on(table.userAddress, table.createdAt, table.trackingId),
    index("deposits_source_tx").on(table.sourceTxHash),
    index("deposits_open").on(table.state, table.updatedAt),
    index("deposits_next_check").on(table.nextCheckAt).where(raw`${table.nextCheckAt} is not null`),
    // A bundle may contain deposits of several users into several vaults, and the second step of a withdrawal; one
    // transfer of shares proves one deposit.
    uniqueIndex("deposits_proven_direction_tx")
      .on(table.vaultChainId, table.shareToken, table.userAddress, table.direction, table.depositTxHash)
      .where(raw`${table.depositProven}`),
    index("deposits_destination_tx").on(table.destinationTxHash),
    index("deposits_deposit_tx").on(table.depositTxHash),
    index("deposits_claim_tx").on(table.claimTxHash),
    index("deposits_refund_tx").on(table.refundTxHash),
    index("deposits_source_data").on(table.sourceDataHash),
    index("deposits_parent").on(table.parentTrackingId).where(raw`${table.parentTrackingId} is not null`),
    index("deposits_partner").on(table.partnerAddress, table.createdAt, table.trackingId),
    index("deposits_unproven_user").on(table.fromChainId, table.userAddress).where(unproven(table)),
    index("deposits_unproven_target")
      .on(table.fromChainId, table.sourceTo, table.fromToken, table.provider)
      .where(unproven(table)),
    index("deposits_moving_vault").on(table.vaultChainId, table.updatedAt).where(underWay(table)),
    index("deposits_moving_source").on(table.fromChainId, table.updatedAt).where(underWay(table)),
    index("deposits_moving_to").on(table.toChainId, table.updatedAt).where(underWay(table)),
    index("deposits_unproven_vault").on(table.vaultChainId, table.createdAt).where(unproven(table)),
  ],
);

/**
 * Stored responses of builds with an `Idempotency-Key`; a repeated request gets the same response until `expiresAt`,
 * when its quote expires. A key is free again a day after `claimedAt` at the latest.
 */
export const idempotency = pgTable(
  "idempotency",
  {
    /** Owner of the idempotency key: a partner, or a client address with a user. */
    scope: text("scope").notNull(),
    key: text("key").notNull(),
    /** keccak256 of the build's parameters as JSON, in hex. A repeated request must have the same hash. */
    bodyHash: text("body_hash").notNull(),
    /** Random id of the attempt to build that took the key last. */
    owner: text("owner").notNull(),
    claimedAt: time("claimed_at").notNull(),
    /** The stored response, or null if there is none yet. */
    response: jsonb("response").$type<object>(),
    expiresAt: time("expires_at"),
  },
  (table) => [
    primaryKey({ columns: [table.scope, table.key] }),
    index("idempotency_age").on(table.claimedAt),
  ],
);
