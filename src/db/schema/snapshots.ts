import { bigint, boolean, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { time, uint256 } from "../columns.ts";

/** Who and what governs a vault, as its own views say; a view that it lacks is absent. Addresses are lower case. */
export type Controls = Partial<
  Record<"owner" | "curator" | "guardian" | "fee" | "timelock" | "performance_fee" | "management_fee", string>
>;

/**
 * What each vault said of itself, at steady intervals. One row for each interval of five minutes, an hour and a day:
 * the last reading in it. Amounts as in the vault's detail; null: it did not say.
 */
export const snapshots = pgTable(
  "snapshots",
  {
    chainId: integer("chain_id").notNull(),
    vaultAddress: text("vault_address").notNull(),
    /** Length of the interval, seconds. */
    step: integer("step").notNull(),
    /** When the interval begins. */
    at: time("at").notNull(),
    blockNumber: bigint("block_number", { mode: "number" }).notNull(),
    /** The block's own time, of the last reading. */
    blockTime: time("block_time").notNull(),
    totalAssets: uint256("total_assets"),
    totalSupply: uint256("total_supply"),
    sharePrice: uint256("share_price"),
    maxDeposit: uint256("max_deposit"),
    paused: boolean("paused").notNull(),
    /** What the largest known holder could withdraw at once, where that was less than it held; null: all, or not known. */
    liquidity: uint256("liquidity"),
    controls: jsonb("controls").$type<Controls>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.vaultAddress, table.step, table.at] })],
);
