import type { Address } from "viem";
import type { SeedRow } from "../../../../scripts/db/seed-row.ts";
import type { ErrorCode } from "../../../../src/errors.ts";
import type { VaultDetail } from "../../../../src/schemas/vault-schema.ts";
import type { Token } from "../../../../src/vaults/vault.ts";
import type { Call, World } from "./world.ts";

/** A deployed stand-in for a vault, with earlier deposits and yield, so that its share price is not 1. */
export interface StandIn {
  /** Columns of its registry row besides chain, adapter, type and asset. */
  row: Partial<SeedRow> & Pick<SeedRow, "address" | "shareDecimals">;
  /** Account that can change the vault's settings. */
  owner: Address;
  /** Further contracts by name, which states of the vault may change. */
  parts: Readonly<Record<string, Address>>;
}

/** A stand-in with its world, asset and addresses. */
export interface Placed extends StandIn {
  world: World;
  asset: Token;
  vault: Address;
  shareToken: Address;
}

/** A limit, pause or permission, and the expected result of a deposit in that state. */
export interface State {
  name: string;
  enter(placed: Placed, user: Address): Promise<void>;
  /** Deposited amount in the asset's smallest unit, by the asset's decimals. Absent for an ordinary deposit. */
  amount?: (decimals: number) => bigint;
  /** Expected error with its additional fields. Null if the deposit is accepted. */
  refused: { code: ErrorCode; [member: string]: unknown } | null;
  /** Expected members of the vault detail in that state. */
  shown?: Partial<VaultDetail>;
}

/** One case of the suite: a family, or one kind of its vaults. */
export interface Family {
  name: string;
  adapter: string;
  type: SeedRow["type"];
  /** Decimals of the assets with which the suite is run. States are tested with the first only. */
  decimals: readonly number[];
  /** Maximum documented difference between minted and previewed shares, in the share's smallest unit. */
  rounding?: bigint;
  deploy(world: World, asset: Token): Promise<StandIn>;
  /** Returns the expected fields of the vault detail, from the family's own view functions. */
  shown(placed: Placed): Promise<Partial<VaultDetail>>;
  /**
   * Returns the value of shares by the family's own conversion, in the asset's smallest unit. Null if the family has
   * none.
   */
  worth(placed: Placed, shares: bigint): Promise<bigint | null>;
  /** Returns the call that redeems all shares instantly. Null if the family has none. */
  withdrawal(placed: Placed, of: { user: Address; shares: bigint }): Call | null;
  /**
   * True if the vault's events contain the caller, so that the indexer must follow the Router's transfer of the shares
   * to the user.
   */
  namesCaller?: boolean;
  /** True if the vault's deposit call takes minimum shares, so that deposits without the Router also have a minimum. */
  nativeMinimum?: boolean;
  states: readonly State[];
}
