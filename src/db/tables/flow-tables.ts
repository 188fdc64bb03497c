import { sql as raw, type SQL } from "drizzle-orm";
import {
  type AnyPgColumn,
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
} from "drizzle-orm/pg-core";
import { blockSet, time } from "./table-columns.ts";

const block = (name: string) => bigint(name, { mode: "number" });
/** Creates a column of a signed integer with up to 78 digits, read and written as decimal text. */
const signedUint256 = (name: string) => numeric(name, { precision: 78, scale: 0 });

/** Direction of a flow: into or out of a vault. */
export type FlowKind = "deposit" | "withdrawal";

/**
 * SQL condition of the final flows without assets, and with fewer than five attempts at a conversion. What ends a
 * request has neither assets nor shares. The index of these flows serves only queries that contain the same text.
 */
export const convertible = (
  table: Record<"assets" | "shares" | "requestId" | "final" | "conversionTries", AnyPgColumn>,
): SQL => raw`${table.assets} is null and ${table.final} and ${table.conversionTries} < 5
  and (${table.shares} is not null or ${table.requestId} is null)`;

/**
 * Deposits to and withdrawals from vaults, decoded from events of the vaults' contracts. Addresses and hashes are
 * lowercase.
 */
export const flows = pgTable(
  "flows",
  {
    chainId: integer("chain_id").notNull(),
    txHash: text("tx_hash").notNull(),
    logIndex: integer("log_index").notNull(),
    vaultAddress: text("vault_address").notNull(),
    userAddress: text("user_address").notNull(),
    kind: text("kind").$type<FlowKind>().notNull(),
    /**
     * Amount in the asset's smallest unit, negative for withdrawals. Null if the event does not contain it and it was
     * not converted from another token (yet).
     */
    assets: signedUint256("assets"),
    /**
     * Amount in the share token's smallest unit, negative for withdrawals, or null if the event does not contain it.
     */
    shares: signedUint256("shares"),
    /**
     * Id of the request of a flow whose amount may change with the request's settlement or cancellation: the family's id
     * of a redemption request, or that of a deposit request after `DEPOSIT_REQUEST`. Sums of assets leave these flows
     * out (but see `vaultFlows`).
     */
    requestId: text("request_id"),
    blockNumber: block("block_number").notNull(),
    blockHash: text("block_hash").notNull(),
    /**
     * False for a flow that was above the chain's final block when it was read. The next successful tip run replaces
     * these flows, so that reorgs correct themselves.
     */
    final: boolean("final").notNull(),
    /**
     * Number of attempts to convert a final flow's amount from another token to the asset; after five, no more are
     * made. One that failed at a node counts only if all of the nodes answer that they cannot read the block.
     */
    conversionTries: integer("conversion_tries").notNull().default(0),
    /** Time of the last attempt, counted or not, or null if there was none. */
    conversionTriedAt: time("conversion_tried_at"),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.txHash, table.logIndex] }),
    // Covers the columns that sums need, so that they read only the index.
    index("flows_user_amounts").on(
      ...[table.userAddress, table.chainId, table.vaultAddress, table.assets, table.shares],
    ),
    index("flows_requests")
      .on(table.userAddress, table.chainId, table.vaultAddress)
      .where(raw`${table.requestId} is not null`),
    index("flows_vault").on(table.chainId, table.vaultAddress, table.blockNumber),
    index("flows_to_convert")
      .on(table.chainId, table.conversionTriedAt.asc().nullsFirst(), table.blockNumber.desc())
      .where(convertible(table)),
    index("flows_provisional").on(table.chainId, table.blockNumber).where(raw`not ${table.final}`),
  ],
);

/**
 * How far the flows of each chain are indexed. Those above `finalBlock`, up to `headBlock`, may still change by a
 * reorg. Final block, head block and `headTime` are null before the first tip run and after a rewind.
 */
export const flowTips = pgTable("flow_tips", {
  chainId: integer("chain_id").primaryKey(),
  /**
   * Incremented by each stored tip run, rewind and reset. A tip run that is based on an older version stores no flows.
   */
  version: integer("version").notNull().default(0),
  /** Id of the tip run that wrote this version, or empty if a rewind or reset did. */
  run: text("run").notNull().default(""),
  finalBlock: block("final_block"),
  finalHash: text("final_hash"),
  headBlock: block("head_block"),
  headHash: text("head_hash"),
  /** Timestamp of the head block. */
  headTime: time("head_time"),
  /** Number of blocks in one `eth_getLogs` request, as learnt from the chain's nodes. */
  span: integer("span").notNull(),
  /**
   * Time at which the tip last moved; time at which backfill was last queued or done; and error code of the last run
   * that failed since the tip moved or a run had nothing to index. Each is null if there is none.
   */
  movedAt: time("moved_at"),
  historyAt: time("history_at"),
  error: text("error"),
  /** Block up to which governance events count as read: at first the final block of the first run; null before it. */
  controlsTo: block("controls_to"),
});

/** Coverage of each vault: the blocks whose flows are stored. */
export const flowCoverage = pgTable(
  "flow_coverage",
  {
    chainId: integer("chain_id").notNull(),
    vaultAddress: text("vault_address").notNull(),
    /** First block that may contain an event of the vault. */
    startBlock: block("start_block").notNull(),
    /** Fingerprint of the contracts and events whose flows were read; if it changes, the history is read again. */
    source: text("source").notNull().default(""),
    /** First block from which the tip runs include the vault, or null while they do not. */
    followedFrom: block("followed_from"),
    /** Blocks whose flows are stored, apart from those that `followedFrom` covers. */
    done: blockSet("done").notNull().default(raw`'{}'`),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.vaultAddress] })],
);

/** Searches for the start blocks (the first blocks with code) of vaults whose registry entries do not contain one. */
export const flowStarts = pgTable(
  "flow_starts",
  {
    chainId: integer("chain_id").notNull(),
    vaultAddress: text("vault_address").notNull(),
    /** Fingerprint of the contracts and events that the search is for. */
    source: text("source").notNull(),
    /** Highest block at which all of the contracts are known to have no code, or -1 if no such block is known. */
    absentAt: block("absent_at").notNull(),
    /** Lowest block at which one of the contracts is known to have code, or the highest block of the search. */
    presentAt: block("present_at").notNull(),
    /** Number of unclear probes, in which some nodes returned no result. */
    doubts: integer("doubts").notNull().default(0),
    /** Result of the search, or null while it continues: no event of the vault is below this block. */
    startBlock: block("start_block"),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.vaultAddress] })],
);

/**
 * Governance events of vaults from final blocks, kept for at least eight days. Addresses, hashes and data are
 * lowercase.
 */
export const controlEvents = pgTable(
  "control_events",
  {
    chainId: integer("chain_id").notNull(),
    vaultAddress: text("vault_address").notNull(),
    txHash: text("tx_hash").notNull(),
    logIndex: integer("log_index").notNull(),
    /** Contract that emitted the event. */
    emitter: text("emitter").notNull(),
    topics: jsonb("topics").$type<string[]>().notNull(),
    data: text("data").notNull(),
    blockNumber: block("block_number").notNull(),
    blockTime: time("block_time").notNull(),
    notedAt: time("noted_at").notNull(),
  },
  // One contract may govern several vaults.
  (table) => [
    primaryKey({ columns: [table.chainId, table.vaultAddress, table.txHash, table.logIndex] }),
    index("control_events_noted").on(table.notedAt),
  ],
);
