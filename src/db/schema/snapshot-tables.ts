import { bigint, boolean, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { time, uint256 } from "../table-columns.ts";

/**
 * Who governs a vault and under which terms, as its own views say; a view that it lacks is absent. Addresses are
 * lower case.
 */
export type Controls = Partial<
  Record<"owner" | "curator" | "guardian" | "fee" | "timelock" | "performance_fee" | "management_fee", string>
>;

/**
 * Snapshots of vaults, one row per interval of five minutes, an hour and a day: the last one in it. Amounts as in the
 * vault's detail; null when the vault did not return it.
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
    /** Timestamp of the block of the last reading. */
    blockTime: time("block_time").notNull(),
    totalAssets: uint256("total_assets"),
    totalSupply: uint256("total_supply"),
    sharePrice: uint256("share_price"),
    maxDeposit: uint256("max_deposit"),
    paused: boolean("paused").notNull(),
    /**
     * Amount that the largest known holder could withdraw at once, where it was less than the holder's balance; null:
     * all of it, or not known.
     */
    liquidity: uint256("liquidity"),
    controls: jsonb("controls").$type<Controls>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.vaultAddress, table.step, table.at] })],
);
