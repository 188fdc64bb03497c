import { sql as raw } from "drizzle-orm";
import {
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
import type { ApplicationForm, ApplicationStatus } from "../../schemas/application.ts";
import type { DepositState } from "../../schemas/deposit.ts";
import type { BuiltDeposit } from "../../schemas/quote.ts";
import type { Asset, VaultType } from "../../schemas/vault.ts";
import { time, uint256 } from "../columns.ts";

/** How a vault's deposits are called and by whom. */
export type VaultCaller = "router" | "user";
export type VaultStatus = "active" | "paused" | "unsupported";

/** The registry: every known vault. Addresses are lower case. */
export const vaults = pgTable(
  "vaults",
  {
    chainId: integer("chain_id").notNull(),
    address: text("address").notNull(),
    type: text("type").$type<VaultType>().notNull(),
    adapter: text("adapter").notNull(),
    params: jsonb("params").$type<Record<string, string>>().notNull().default({}),
    name: text("name").notNull(),
    assetAddress: text("asset_address").notNull(),
    assetSymbol: text("asset_symbol").notNull(),
    assetDecimals: smallint("asset_decimals").notNull(),
    shareToken: text("share_token").notNull(),
    shareDecimals: smallint("share_decimals").notNull(),
    entryPoint: text("entry_point").notNull(),
    spender: text("spender").notNull(),
    pricer: text("pricer").notNull(),
    acceptedAssets: jsonb("accepted_assets").$type<Asset[]>().notNull(),
    caller: text("caller").$type<VaultCaller>().notNull().default("router"),
    curator: text("curator").notNull().default(""),
    status: text("status").$type<VaultStatus>().notNull().default("unsupported"),
    statusReason: text("status_reason").notNull().default(""),
    minDeposit: uint256("min_deposit"),
    noMinimum: boolean("no_minimum").notNull().default(false),
    startBlock: bigint("start_block", { mode: "number" }),
    createdAt: time("created_at").notNull().defaultNow(),
    updatedAt: time("updated_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.address] }),
    index("vaults_status").on(table.status),
  ],
);

/** A deposit that build handed out, and what became of it. */
export const deposits = pgTable(
  "deposits",
  {
    trackingId: text("tracking_id").primaryKey(),
    /** keccak256 of the tracking id: what the Router emits. */
    ref: text("ref").notNull(),
    state: text("state").$type<DepositState>().notNull(),
    substatus: text("substatus"),
    userAddress: text("user_address").notNull(),
    vaultChainId: integer("vault_chain_id").notNull(),
    vaultAddress: text("vault_address").notNull(),
    /** The token whose arrival at the user completes the deposit, as promised when it was built. */
    shareToken: text("share_token").notNull(),
    fromChainId: integer("from_chain_id").notNull(),
    fromToken: text("from_token").notNull(),
    fromAmount: uint256("from_amount").notNull(),
    estimatedShares: uint256("estimated_shares").notNull(),
    minShares: uint256("min_shares"),
    shares: uint256("shares"),
    receivedAmount: uint256("received_amount"),
    /** Who moves the money to the vault's chain and token; null: nobody, it is there already. */
    provider: text("provider"),
    bridge: text("bridge"),
    /** What the provider needs to follow the transfer. */
    tool: text("tool"),
    /** The token that arrives on the vault's chain, what is expected of it and what is guaranteed. */
    moveToken: text("move_token"),
    moveExpected: uint256("move_expected"),
    moveMin: uint256("move_min"),
    /** Whether the bridge itself calls the Router with what it delivers. */
    destinationCall: boolean("destination_call").notNull().default(false),
    routerExplorer: text("router_explorer"),
    /** The loss the user allowed, as a fraction: the second step is built with it again. */
    slippage: doublePrecision("slippage").notNull().default(0.03),
    twoStep: boolean("two_step").notNull().default(false),
    /** The first transaction as it was handed out: what a reported hash is compared with. */
    sourceTo: text("source_to").notNull(),
    sourceDataHash: text("source_data_hash").notNull(),
    sourceTxHash: text("source_tx_hash"),
    depositTxHash: text("deposit_tx_hash"),
    claimTxHash: text("claim_tx_hash"),
    /** The transactions that delivered, or gave the money back, as their own receipts show. */
    destinationTxHash: text("destination_tx_hash"),
    refundTxHash: text("refund_tx_hash"),
    /** What the user or the Router really received of `moveToken`. */
    deliveredAmount: uint256("delivered_amount"),
    /** Whether the chain has shown that `sourceTxHash` carries this deposit. */
    sourceProven: boolean("source_proven").notNull().default(false),
    depositProven: boolean("deposit_proven").notNull().default(false),
    /** What an asynchronous vault was asked for: the family's number of the request, where it has one. */
    requestId: text("request_id"),
    /** When the cron job looks at it again, and how often it has looked. */
    nextCheckAt: time("next_check_at"),
    checks: integer("checks").notNull().default(0),
    parentTrackingId: text("parent_tracking_id"),
    partnerId: text("partner_id").notNull().default(""),
    partnerType: smallint("partner_type").notNull().default(0),
    /** The partner whose key built the deposit; null when `partnerId` is only what somebody said. */
    partnerAddress: text("partner_address"),
    /** Whether the key's secret was there too. */
    partnerVerified: boolean("partner_verified").notNull().default(false),
    referrer: text("referrer").notNull(),
    referrerHandle: text("referrer_handle").notNull().default(""),
    history: jsonb("history").$type<{ state: DepositState; at: string }[]>().notNull(),
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
    uniqueIndex("deposits_proven_deposit_tx")
      .on(table.vaultChainId, table.depositTxHash)
      .where(raw`${table.depositProven}`),
    index("deposits_destination_tx").on(table.destinationTxHash),
    index("deposits_deposit_tx").on(table.depositTxHash),
    index("deposits_claim_tx").on(table.claimTxHash),
    index("deposits_refund_tx").on(table.refundTxHash),
    index("deposits_source_data").on(table.sourceDataHash),
    index("deposits_partner").on(table.partnerAddress, table.createdAt, table.trackingId),
  ],
);

/** Who wants to be a partner, and what was decided. One row for each address, which is lower case. */
export const applications = pgTable(
  "applications",
  {
    id: text("id").primaryKey(),
    address: text("address").notNull().unique(),
    status: text("status").$type<ApplicationStatus>().notNull(),
    form: jsonb("form").$type<ApplicationForm>().notNull(),
    /** What the administrator noted with the last decision. */
    note: text("note").notNull().default(""),
    /** Goes up with each revocation: keys and sessions of an earlier epoch never work again. */
    epoch: integer("epoch").notNull().default(0),
    createdAt: time("created_at").notNull(),
    decidedAt: time("decided_at"),
  },
  (table) => [index("applications_status").on(table.status, table.createdAt, table.id)],
);

/** Wallet partners. Addresses are lower case. */
export const partners = pgTable("partners", {
  address: text("address").primaryKey(),
  partnerId: text("partner_id").notNull().unique(),
  name: text("name").notNull().default(""),
  website: text("website").notNull().default(""),
  contactEmail: text("contact_email").notNull().default(""),
  description: text("description").notNull().default(""),
  partnerType: smallint("partner_type").notNull().default(2),
  /** Vault ids that deposits of the partner are restricted to; null: all. */
  vaults: jsonb("vaults").$type<string[]>(),
  createdAt: time("created_at").notNull().defaultNow(),
});

/** Each partner's one working key pair, as keyed hashes. */
export const apiKeys = pgTable("api_keys", {
  partnerAddress: text("partner_address")
    .primaryKey()
    .references(() => partners.address),
  /** HMAC-SHA-256, hexadecimal, with the pepper of `pepperVersion`. */
  keyDigest: text("key_digest").notNull().unique(),
  secretDigest: text("secret_digest").notNull(),
  pepperVersion: integer("pepper_version").notNull(),
  /** The key's start and end, for people. */
  prefix: text("prefix").notNull(),
  /** Goes up with each rotation. */
  version: integer("version").notNull().default(1),
  /** The application's epoch in which the pair was made. */
  epoch: integer("epoch").notNull(),
  createdAt: time("created_at").notNull(),
});

/** Sessions of partners, by the SHA-256 of their token. */
export const sessions = pgTable(
  "sessions",
  {
    digest: text("digest").primaryKey(),
    partnerAddress: text("partner_address")
      .notNull()
      .references(() => partners.address),
    /** The application's epoch in which it began. */
    epoch: integer("epoch").notNull(),
    createdAt: time("created_at").notNull(),
    expiresAt: time("expires_at").notNull(),
  },
  (table) => [index("sessions_partner").on(table.partnerAddress)],
);

/** Who changed what; rows are only ever added. */
export const audit = pgTable(
  "audit",
  {
    id: text("id").primaryKey(),
    at: time("at").notNull(),
    /** `admin`, or the partner's address. */
    actor: text("actor").notNull(),
    action: text("action").notNull(),
    /** The application, vault or partner that was changed. */
    subject: text("subject").notNull(),
    note: text("note").notNull().default(""),
    before: jsonb("before").$type<Record<string, unknown>>(),
    after: jsonb("after").$type<Record<string, unknown>>(),
    requestId: text("request_id").notNull(),
  },
  (table) => [index("audit_time").on(table.at, table.id), index("audit_subject").on(table.subject, table.at)],
);

/** Answers of builds that were asked for under an `Idempotency-Key`. */
export const idempotency = pgTable(
  "idempotency",
  {
    /** Whose key it is: a partner, or a client address with a user. */
    scope: text("scope").notNull(),
    key: text("key").notNull(),
    /** SHA-256 of the request, hexadecimal. */
    bodyHash: text("body_hash").notNull(),
    /** Of the request that is answering it. */
    owner: text("owner").notNull(),
    claimedAt: time("claimed_at").notNull(),
    /** Null while the owner works. */
    response: jsonb("response").$type<BuiltDeposit>(),
    expiresAt: time("expires_at"),
  },
  (table) => [
    primaryKey({ columns: [table.scope, table.key] }),
    index("idempotency_age").on(table.claimedAt),
  ],
);
