import { sql as raw } from "drizzle-orm";
import {
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
import { blockSet, time } from "../table-columns.ts";

const block = (name: string) => bigint(name, { mode: "number" });
/** A signed uint256 column, read and written as decimal text. */
const signedUint256 = (name: string) => numeric(name, { precision: 78, scale: 0 });

/** Direction of a flow. */
export type FlowKind = "deposit" | "withdrawal";

/** Deposits to and withdrawals from vaults, as the vaults' own events show. Addresses and hashes are lower case. */
export const flows = pgTable(
  "flows",
  {
    chainId: integer("chain_id").notNull(),
    txHash: text("tx_hash").notNull(),
    logIndex: integer("log_index").notNull(),
    vaultAddress: text("vault_address").notNull(),
    userAddress: text("user_address").notNull(),
    kind: text("kind").$type<FlowKind>().notNull(),
    /** In the asset's smallest unit, negative for withdrawals; null when the event does not contain it. */
    assets: signedUint256("assets"),
    /** In the share token's smallest unit, negative for withdrawals; null when the event does not contain it. */
    shares: signedUint256("shares"),
    blockNumber: block("block_number").notNull(),
    blockHash: text("block_hash").notNull(),
    /**
     * False above the chain's final block: such rows are replaced by every run, so that reorgs correct themselves.
     */
    final: boolean("final").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.txHash, table.logIndex] }),
    // Covers sums, so that they read the index alone.
    index("flows_user").on(table.userAddress, table.chainId, table.vaultAddress, table.assets),
    index("flows_vault").on(table.chainId, table.vaultAddress, table.blockNumber),
    index("flows_provisional").on(table.chainId, table.blockNumber).where(raw`not ${table.final}`),
  ],
);

/**
 * How far each chain is indexed. Flows up to `finalBlock` are permanent; those up to `headBlock` may change by a
 * reorg.
 */
export const flowTips = pgTable("flow_tips", {
  chainId: integer("chain_id").primaryKey(),
  /** Incremented by each write: a run that was decided on an older version writes nothing. */
  version: integer("version").notNull().default(0),
  /** Id of the run that wrote the version. */
  run: text("run").notNull().default(""),
  finalBlock: block("final_block"),
  finalHash: text("final_hash"),
  headBlock: block("head_block"),
  headHash: text("head_hash"),
  /** The head block's timestamp. */
  headTime: time("head_time"),
  /** Blocks of one `eth_getLogs` request, as learnt from the chain's nodes. */
  span: integer("span").notNull(),
  /** When the tip last moved, when backfill was last queued or done, and the last run's error. */
  movedAt: time("moved_at"),
  historyAt: time("history_at"),
  error: text("error"),
  /** Last block whose control events were read; null: none yet. */
  controlsTo: block("controls_to"),
});

/** Coverage: the blocks of each vault whose flows are stored. */
export const flowCoverage = pgTable(
  "flow_coverage",
  {
    chainId: integer("chain_id").notNull(),
    vaultAddress: text("vault_address").notNull(),
    /** First block that can hold an event of the vault. */
    startBlock: block("start_block").notNull(),
    /** Identifies the events and contracts that were read; with others the history is read again. */
    source: text("source").notNull().default(""),
    /** First block from which on every run of the tip includes the vault; null: not yet. */
    followedFrom: block("followed_from"),
    /** Blocks below `followedFrom` that are stored. */
    done: blockSet("done").notNull().default(raw`'{}'`),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.vaultAddress] })],
);

/** Searches for the start blocks of vaults whose rows do not name them. */
export const flowStarts = pgTable(
  "flow_starts",
  {
    chainId: integer("chain_id").notNull(),
    vaultAddress: text("vault_address").notNull(),
    /** Identifies the contracts that are searched; others have another start block. */
    source: text("source").notNull(),
    /** The last block at which none of the contracts had code, as far as known; -1: none. */
    absentAt: block("absent_at").notNull(),
    /** First block at which one of the contracts may have code. */
    presentAt: block("present_at").notNull(),
    /** Number of unclear probes, where not every node answered. */
    doubts: integer("doubts").notNull().default(0),
    /** The result, null while searching: no event of the vault is below it. */
    startBlock: block("start_block"),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.vaultAddress] })],
);

/** Events of governance changes that no view shows, kept as long as rules need them. Lower case; all final. */
export const controlEvents = pgTable(
  "control_events",
  {
    chainId: integer("chain_id").notNull(),
    vaultAddress: text("vault_address").notNull(),
    txHash: text("tx_hash").notNull(),
    logIndex: integer("log_index").notNull(),
    /** The contract that emitted it. */
    emitter: text("emitter").notNull(),
    topics: jsonb("topics").$type<string[]>().notNull(),
    data: text("data").notNull(),
    blockNumber: block("block_number").notNull(),
    blockTime: time("block_time").notNull(),
    notedAt: time("noted_at").notNull(),
  },
  // One contract may serve several vaults.
  (table) => [
    primaryKey({ columns: [table.chainId, table.vaultAddress, table.txHash, table.logIndex] }),
    index("control_events_noted").on(table.notedAt),
  ],
);
