import {
  bigint,
  boolean,
  doublePrecision,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
} from "drizzle-orm/pg-core";
import { time, uint256 } from "./table-columns.ts";

/**
 * Who controls a vault, and its fees and timelock, as its view functions return them: lowercase addresses, and numbers
 * as decimal text in the family's own unit (see `FeeRates`). What the vault does not return is absent.
 */
export type Controls = Partial<
  Record<"owner" | "curator" | "guardian" | "fee" | "timelock" | "performance_fee" | "management_fee", string>
>;

/**
 * Snapshots of vaults: the last state in each five minutes, hour and day. Assets, limit and liquidity are in the
 * asset's smallest unit, the supply in the share token's; the share price is in whole assets per whole share times
 * 10^18. Unknown values are null.
 */
export const snapshots = pgTable(
  "snapshots",
  {
    chainId: integer("chain_id").notNull(),
    vaultAddress: text("vault_address").notNull(),
    /** Length of the interval, in seconds. */
    step: integer("step").notNull(),
    /** Start time of the interval. */
    at: time("at").notNull(),
    blockNumber: bigint("block_number", { mode: "number" }).notNull(),
    /** Timestamp of the block at which the state was read. */
    blockTime: time("block_time").notNull(),
    totalAssets: uint256("total_assets"),
    totalSupply: uint256("total_supply"),
    sharePrice: uint256("share_price"),
    maxDeposit: uint256("max_deposit"),
    /** As last known: the stored one of the snapshot before if it could not be read, false if there is none. */
    paused: boolean("paused").notNull(),
    /**
     * Amount that the largest known holder could withdraw immediately. Null if the holder could redeem all of its
     * shares, if withdrawals have to wait anyway, or if the amount is unknown or not read for the vault's family.
     */
    liquidity: uint256("liquidity"),
    controls: jsonb("controls").$type<Controls>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.vaultAddress, table.step, table.at] })],
);

/**
 * What lists show of each vault, as last stored with a snapshot. Limits are in the asset's smallest unit, the share
 * price is in whole assets per whole share times 10^18, fee and yields are fractions. Unknown values are null.
 */
export const vaultFigures = pgTable(
  "vault_figures",
  {
    chainId: integer("chain_id").notNull(),
    vaultAddress: text("vault_address").notNull(),
    blockNumber: bigint("block_number", { mode: "number" }).notNull(),
    blockTime: time("block_time").notNull(),
    /** False also if unknown. */
    paused: boolean("paused").notNull(),
    minDeposit: uint256("min_deposit"),
    maxDeposit: uint256("max_deposit"),
    sharePrice: uint256("share_price"),
    /** Value of the net assets in US dollars, as a decimal string. */
    tvlUsd: text("tvl_usd"),
    /** Fee of an instant withdrawal, as a fraction of the assets. Null also if the vault has no instant withdrawals. */
    exitFee: doublePrecision("exit_fee"),
    apy1d: doublePrecision("apy_1d"),
    apy7d: doublePrecision("apy_7d"),
    apy30d: doublePrecision("apy_30d"),
    /** True if the vault's chain had the Router with the expected bytecode when it was read. */
    routerDeployed: boolean("router_deployed").notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.vaultAddress] })],
);
