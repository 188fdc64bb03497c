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
import { blockSet, time } from "../columns.ts";

const block = (name: string) => bigint(name, { mode: "number" });
/** A uint256 with a sign, as decimal text on the way in and out. */
const signedUint256 = (name: string) => numeric(name, { precision: 78, scale: 0 });

export type FlowKind = "deposit" | "withdrawal";

/** What users put into vaults and took out, as the vaults' own events show. Addresses and hashes are lower case. */
export const flows = pgTable(
  "flows",
  {
    chainId: integer("chain_id").notNull(),
    txHash: text("tx_hash").notNull(),
    logIndex: integer("log_index").notNull(),
    vaultAddress: text("vault_address").notNull(),
    userAddress: text("user_address").notNull(),
    kind: text("kind").$type<FlowKind>().notNull(),
    /** In the asset's smallest unit, below zero for withdrawals; null: the event does not tell. */
    assets: signedUint256("assets"),
    /** In the share token's smallest unit, below zero for withdrawals; null: the event does not tell. */
    shares: signedUint256("shares"),
    blockNumber: block("block_number").notNull(),
    blockHash: text("block_hash").notNull(),
    /** False above the chain's final block: replaced with each tick. */
    final: boolean("final").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.txHash, table.logIndex] }),
    // All that a sum needs, so that it reads the index alone.
    index("flows_user").on(table.userAddress, table.chainId, table.vaultAddress, table.assets),
    index("flows_vault").on(table.chainId, table.vaultAddress, table.blockNumber),
    index("flows_provisional").on(table.chainId, table.blockNumber).where(raw`not ${table.final}`),
  ],
);

/** How far each chain is followed. Flows up to `finalBlock` stay; those up to `headBlock` may still change. */
export const flowTips = pgTable("flow_tips", {
  chainId: integer("chain_id").primaryKey(),
  /** Goes up with each write: a run that decided on an older one writes nothing. */
  version: integer("version").notNull().default(0),
  /** The run that wrote the version. */
  run: text("run").notNull().default(""),
  finalBlock: block("final_block"),
  finalHash: text("final_hash"),
  headBlock: block("head_block"),
  headHash: text("head_hash"),
  /** The head's own time. */
  headTime: time("head_time"),
  /** How many blocks one question about logs covers, as learnt. */
  span: integer("span").notNull(),
  /** When the tip moved, when work on older blocks was handed out or done, and what the last run met. */
  movedAt: time("moved_at"),
  historyAt: time("history_at"),
  error: text("error"),
  /** Up to this block, events of control were looked for; null: none yet. */
  controlsTo: block("controls_to"),
});

/** What of each vault's history is stored. */
export const flowCoverage = pgTable(
  "flow_coverage",
  {
    chainId: integer("chain_id").notNull(),
    vaultAddress: text("vault_address").notNull(),
    /** First block that can hold an event of the vault. */
    startBlock: block("start_block").notNull(),
    /** What was looked for: another adapter or other contracts make another history. */
    source: text("source").notNull().default(""),
    /** From this block on, the vault is in every read of the chain's tip; null: not yet. */
    followedFrom: block("followed_from"),
    /** Blocks below `followedFrom` that were read. */
    done: blockSet("done").notNull().default(raw`'{}'`),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.vaultAddress] })],
);

/** What is known of the first block of vaults whose row does not name it, until a search has found it. */
export const flowStarts = pgTable(
  "flow_starts",
  {
    chainId: integer("chain_id").notNull(),
    vaultAddress: text("vault_address").notNull(),
    /** For what it is searched: other contracts have another first block. */
    source: text("source").notNull(),
    /** The last block at which none of the contracts is there yet, as far as is known; -1: none. */
    absentAt: block("absent_at").notNull(),
    /** From this block on, one of them may be there. */
    presentAt: block("present_at").notNull(),
    /** Runs in which no node could tell and not all of them said so. */
    doubts: integer("doubts").notNull().default(0),
    /** Once found: no event of the vault lies below. */
    startBlock: block("start_block"),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.vaultAddress] })],
);

/** Events by which vaults tell of changes that no view shows, for as long as rules look back. Lower case; all final. */
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
