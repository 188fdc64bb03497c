import { sql as raw } from "drizzle-orm";
import { bigint, boolean, index, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { deposits } from "./deposit-tables.ts";
import { blockSet, time, uint256 } from "./table-columns.ts";

const block = (name: string) => bigint(name, { mode: "number" });
const trackingId = () =>
  text("tracking_id")
    .notNull()
    .references(() => deposits.trackingId, { onDelete: "cascade" });

/**
 * Origin of a hint. `report`: any caller of the API reported it, even if logs show it later. `logs`: the service itself
 * found it, normally in a chain's logs. `both`: it was reported after that, or a reported one contains the built call.
 */
export type HintOrigin = "report" | "logs" | "both";

/**
 * Hints: transactions that may belong to a deposit or withdrawal. They prove nothing before their receipts are read.
 * Hashes are lowercase.
 */
export const depositHints = pgTable(
  "deposit_hints",
  {
    trackingId: trackingId(),
    chainId: integer("chain_id").notNull(),
    txHash: text("tx_hash").notNull(),
    origin: text("origin").$type<HintOrigin>().notNull(),
    notedAt: time("noted_at").notNull(),
    /** Time at which the hint was dropped, because it needs no further reads, or null if it is still to be read. */
    droppedAt: time("dropped_at"),
  },
  (table) => [
    primaryKey({ columns: [table.trackingId, table.chainId, table.txHash] }),
    index("deposit_hints_tx").on(table.txHash),
  ],
);

/**
 * Planned steps of deposits and withdrawals, with their payments and, where known, full transactions. The table is
 * separate because calldata is large and the job that looks for events on the chains reads many rows of `deposits`.
 */
export const depositSteps = pgTable("deposit_steps", {
  trackingId: trackingId().primaryKey(),
  /** The plan as JSON, in the format of the code version that built it. */
  plan: jsonb("plan").$type<object>().notNull(),
});

/**
 * Transactions that were built for the second step of a withdrawal, the swap or bridge of the vault's payment; the user
 * may sign any of them. Hashes are lowercase; amounts are decimal strings in the token's smallest unit.
 */
export const withdrawalTransfers = pgTable(
  "withdrawal_transfers",
  {
    trackingId: trackingId(),
    /** keccak256 of the calldata, and the called contract. */
    dataHash: text("data_hash").notNull(),
    target: text("target").notNull(),
    provider: text("provider").notNull(),
    bridge: text("bridge"),
    /** The provider's own name of the bridge or exchange, which its status API needs. */
    tool: text("tool"),
    /**
     * Amount of the vault's payment that the transaction takes, and its minimum output of the requested token.
     */
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
 * Evidence: the blocks of the transactions that prove a deposit's or withdrawal's state, compared with the chain until
 * they are final. Hashes are lowercase; an empty block hash marks evidence that counts as lost, as after a reorg.
 */
export const depositEvidence = pgTable(
  "deposit_evidence",
  {
    trackingId: trackingId(),
    chainId: integer("chain_id").notNull(),
    txHash: text("tx_hash").notNull(),
    blockNumber: block("block_number").notNull(),
    blockHash: text("block_hash").notNull(),
    /** True if the block is the head block in the chain's row of `followed_chains` or an ancestor of it. */
    checked: boolean("checked").notNull().default(false),
    /** True if the block is finalized, so that no reorg is expected to replace it. */
    final: boolean("final").notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.trackingId, table.chainId, table.txHash] }),
    index("deposit_evidence_open").on(table.chainId, table.blockNumber).where(raw`not ${table.final}`),
  ],
);

/** Progress of reading each chain for events of deposits and withdrawals. */
export const followedChains = pgTable("followed_chains", {
  chainId: integer("chain_id").primaryKey(),
  /** Incremented by each successful round. A round that is based on an older version stores no progress. */
  version: integer("version").notNull().default(0),
  /** First block that may contain an event of a tracked deposit or withdrawal. */
  startBlock: block("start_block").notNull(),
  /** Blocks that were final when they were read. Others between `startBlock` and `finalBlock` are still missing. */
  covered: blockSet("covered").notNull().default(raw`'{}'`),
  /** The last final block of the last successful round. */
  finalBlock: block("final_block").notNull(),
  finalHash: text("final_hash").notNull(),
  /**
   * The last block that counts as read: the final block if that round found replaced evidence. A reorg may still
   * replace the blocks between `finalBlock` and this one.
   */
  headBlock: block("head_block").notNull(),
  headHash: text("head_hash").notNull(),
  /** Timestamp of the block `headBlock`. */
  headTime: time("head_time").notNull(),
  /** Number of blocks in one `eth_getLogs` request, as learnt from the chain's nodes. */
  span: integer("span").notNull(),
  /** Time of the last successful round, and the recorded error code of a later one, or null if there is none. */
  roundAt: time("round_at"),
  error: text("error"),
});
