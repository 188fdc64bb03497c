import { sql as raw } from "drizzle-orm";
import { bigint, boolean, index, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { blockSet, time, uint256 } from "../table-columns.ts";
import { deposits } from "./deposit-tables.ts";

const block = (name: string) => bigint(name, { mode: "number" });
const trackingId = () =>
  text("tracking_id")
    .notNull()
    .references(() => deposits.trackingId, { onDelete: "cascade" });

/**
 * Who named a transaction: a caller of the API, who may be anybody (`report`), or the event reader, which found it in
 * the logs of a chain (`logs`).
 */
export type HintOrigin = "report" | "logs";

/** Transactions that may belong to a deposit. They prove nothing before their receipts are read. Hashes are lowercase. */
export const depositHints = pgTable(
  "deposit_hints",
  {
    trackingId: trackingId(),
    chainId: integer("chain_id").notNull(),
    txHash: text("tx_hash").notNull(),
    origin: text("origin").$type<HintOrigin>().notNull(),
    notedAt: time("noted_at").notNull(),
    /** Time at which the hint was found to prove nothing. The row is kept, so that the hint is not tried again. */
    droppedAt: time("dropped_at"),
  },
  (table) => [
    primaryKey({ columns: [table.trackingId, table.chainId, table.txHash] }),
    index("deposit_hints_tx").on(table.txHash),
  ],
);

/**
 * What the user does for a deposit, as planned when it was built: the payments and their transactions, of which
 * `deposits` keeps only hashes. Apart from `deposits`, because calldata is large and followers read many rows.
 */
export const depositSteps = pgTable("deposit_steps", {
  trackingId: trackingId().primaryKey(),
  /** In the format of the code that built the deposit. */
  plan: jsonb("plan").$type<object>().notNull(),
});

/**
 * Transactions that were built for the second step of a withdrawal, which bring what the vault paid to where the user
 * asked for it. Each is built again for every reading, and the user may sign any of them. Hashes are lowercase.
 */
export const withdrawalTransfers = pgTable(
  "withdrawal_transfers",
  {
    trackingId: trackingId(),
    /** Hash of the calldata, and the contract that it calls. */
    dataHash: text("data_hash").notNull(),
    target: text("target").notNull(),
    provider: text("provider").notNull(),
    bridge: text("bridge"),
    /** The provider's own name of the bridge or exchange, which its status API needs. */
    tool: text("tool"),
    /** Amount that it takes of the token that the vault paid, and the least that it brings of the token asked for. */
    amount: uint256("amount").notNull(),
    least: uint256("least").notNull(),
    builtAt: time("built_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.trackingId, table.dataHash] }),
    index("withdrawal_transfers_data").on(table.dataHash),
  ],
);

/**
 * The blocks of the transactions that prove what a deposit's row says. They are compared with the chain until it has
 * finalized them. Hashes are lowercase.
 */
export const depositEvidence = pgTable(
  "deposit_evidence",
  {
    trackingId: trackingId(),
    chainId: integer("chain_id").notNull(),
    txHash: text("tx_hash").notNull(),
    blockNumber: block("block_number").notNull(),
    blockHash: text("block_hash").notNull(),
    /** True if the block is an ancestor of the head that the chain's row of `followed_chains` names. */
    checked: boolean("checked").notNull().default(false),
    /** True if the block is finalized, so that no reorg is expected to replace it. */
    final: boolean("final").notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.trackingId, table.chainId, table.txHash] }),
    index("deposit_evidence_open").on(table.chainId, table.blockNumber).where(raw`not ${table.final}`),
  ],
);

/** How far the chains have been read for events of deposits. */
export const followedChains = pgTable("followed_chains", {
  chainId: integer("chain_id").primaryKey(),
  /** Incremented by each write. A round that is based on an older version writes nothing. */
  version: integer("version").notNull().default(0),
  /** First block that may contain an event of a deposit. */
  startBlock: block("start_block").notNull(),
  /** Blocks that were read when they were final. The others between `startBlock` and `finalBlock` are still missing. */
  covered: blockSet("covered").notNull().default(raw`'{}'`),
  /** The last final block of the last round. */
  finalBlock: block("final_block").notNull(),
  finalHash: text("final_hash").notNull(),
  /** The last block that was read. A reorg may still replace the blocks between `finalBlock` and this one. */
  headBlock: block("head_block").notNull(),
  headHash: text("head_hash").notNull(),
  /** Timestamp of that block. */
  headTime: time("head_time").notNull(),
  /** Number of blocks in one `eth_getLogs` request, as learnt from the chain's nodes. */
  span: integer("span").notNull(),
  /** Time of the last round that succeeded, and error of the last round, or null if it succeeded. */
  roundAt: time("round_at"),
  error: text("error"),
});
