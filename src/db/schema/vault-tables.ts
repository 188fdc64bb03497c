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
import { time, uint256 } from "../table-columns.ts";

/** Account that calls a vault to deposit: the Router on behalf of the user, or the user. */
export type VaultCaller = "router" | "user";
/**
 * Status of a vault: deposits are offered (`active`), not offered at present (`paused`), or the vault is hidden
 * (`unsupported`).
 */
export type VaultStatus = "active" | "paused" | "unsupported";

/** The vault registry: every known vault with its contracts, asset and status. Addresses are lowercase. */
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
