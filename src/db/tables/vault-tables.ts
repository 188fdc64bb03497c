import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
} from "drizzle-orm/pg-core";
import type { Asset, VaultType } from "../../schemas/vault-schema.ts";
import { time, uint256 } from "./table-columns.ts";

/** Account that calls a vault to deposit: the Router on behalf of the user, or the user. */
export type VaultCaller = "router" | "user";
/**
 * Status of a vault: known but not opened by a proof yet (`candidate`), open for deposits (`active`), rejected by its
 * proof (`refused`), temporarily closed for deposits (`paused`), or excluded by an administrator or the seed
 * (`unsupported`).
 */
export type VaultStatus = "candidate" | "active" | "refused" | "paused" | "unsupported";
/**
 * Who decided a vault's status. `admin`: an administrator, or the seed that closes a vault. `proof`: the vault's proof,
 * or nobody yet, for a candidate that was seeded, added or discovered, or that an administrator reset to `candidate`. A
 * proof does not change a status `paused` or `unsupported` that an administrator has set.
 */
export type StatusOrigin = "admin" | "proof";
/**
 * Origin of a registry entry: the service's own first list (`seed`), an administrator (`operator`), a public list
 * (`list`, named in `detail`), or a register (`factory`, with protocol and address in `detail`).
 */
export interface Provenance {
  source: "seed" | "operator" | "list" | "factory";
  detail: string;
}
/**
 * Registry claim: the vault's family (`adapter`) and tokens, as the source of a registry entry states them. Addresses
 * are lowercase, and null if the source does not state them.
 */
export interface VaultClaim {
  adapter: string;
  asset: string | null;
  shareToken: string | null;
}
/**
 * Result of the last conclusive check of a vault's registry entry (its proof): the simulation of a deposit, or the
 * reason why none was made.
 */
export interface VaultProof {
  /** True if the proof passed. */
  ok: boolean;
  /**
   * Block on whose state the deposit was simulated or, if it reverted or was not simulated, at which the vault's views
   * were read. Null if the proof failed before.
   */
  blockNumber: number | null;
  /** RFC 3339 time of the proof. */
  at: string;
  /** Amount of the deposit in the deposited token's smallest unit, or null if the proof ended before. */
  amount: string | null;
  /** Minted shares in the share token's smallest unit, or null if none were minted at once. */
  shares: string | null;
  /**
   * Assets that redeeming all minted shares at once returned in the simulation, in the asset's smallest unit, rounded
   * down; null if unknown.
   */
  returned: string | null;
  /** Why the proof did not pass, or an empty string. */
  reason: string;
  /**
   * Code of the vault at its last passed proof that recorded it, as `readVaultCode` returns it, or null if there is
   * none. Absent in older proofs.
   */
  code?: string | null;
  /**
   * RFC 3339 time of the first of the proofs that count as refusals (see `proofRefusals`), if there are any. Absent in
   * older proofs, and after an administrator has changed the vault's status.
   */
  refusedAt?: string;
  /**
   * Number of proofs that found the vault illiquid while it was active, since one passed. Absent for 0, and after an
   * administrator has changed the vault's status.
   */
  illiquid?: number;
  /** RFC 3339 time of the first of the proofs that `illiquid` counts. Absent with it, and in older proofs. */
  illiquidSince?: string;
  /** RFC 3339 time of the last refusal or illiquid proof that was counted. Absent without one, and in older proofs. */
  countedAt?: string;
  /** Present if proofs paused what an administrator had opened, until one passes or an administrator decides again. */
  openedBy?: "admin";
}

/**
 * The vault registry: every known vault with its contracts, asset and status. Addresses are lowercase, except those in
 * `acceptedAssets`, `params` and `provenance`.
 */
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
    statusBy: text("status_by").$type<StatusOrigin>().notNull().default("admin"),
    /**
     * True if the vault was seeded as `active`, or was `active` before or after a proof or change of its status. Users
     * may hold its shares, so it stays readable in any later status.
     */
    wasActive: boolean("was_active").notNull().default(false),
    provenance: jsonb("provenance").$type<Provenance>().notNull().default({ source: "seed", detail: "" }),
    /**
     * Registers and public lists that name the vault, as `register:<address>` or `list:<name>`. The entry of a register
     * is removed after a complete read that does not name the vault.
     */
    namedBy: jsonb("named_by").$type<string[]>().notNull().default([]),
    /** Registry claim of the entry's source or of a later change by an administrator, or null if none is recorded. */
    claim: jsonb("claim").$type<VaultClaim>(),
    proof: jsonb("proof").$type<VaultProof>(),
    /** Time of the next proof. A run that proves the vault sets it to the end of its lease. */
    proofDueAt: time("proof_due_at").notNull().defaultNow(),
    /**
     * Number of proofs that count as refusals, since one passed or found an active vault illiquid: that refused the
     * vault, found the exits of an active one stopped, or those of one that a proof paused stopped or illiquid.
     */
    proofRefusals: integer("proof_refusals").notNull().default(0),
    minDeposit: uint256("min_deposit"),
    noMinimum: boolean("no_minimum").notNull().default(false),
    startBlock: bigint("start_block", { mode: "number" }),
    createdAt: time("created_at").notNull().defaultNow(),
    updatedAt: time("updated_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.address] }),
    index("vaults_status").on(table.status),
    index("vaults_proof_due").on(table.proofDueAt),
  ],
);

/** Progress of reading the registers that name vaults (factories, protocols' own lists). Addresses are lowercase. */
export const vaultRegisterTips = pgTable(
  "vault_register_tips",
  {
    chainId: integer("chain_id").notNull(),
    address: text("address").notNull(),
    /** Last block whose events were read, or null if none were. */
    readTo: bigint("read_to", { mode: "number" }),
    /** Number of vaults that the register named, in its last complete read or in all reads of its events together. */
    named: integer("named").notNull().default(0),
    dueAt: time("due_at").notNull(),
    /** Error of the last read, for operators, in at most 200 characters, or null if it succeeded. */
    error: text("error"),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.address] })],
);
