import type { Address } from "viem";
import type { SeedRow } from "../../../../scripts/db/seed-row.ts";
import type { ErrorCode } from "../../../../src/errors.ts";
import type { VaultDetail } from "../../../../src/schemas/vault-schema.ts";
import type { Token } from "../../../../src/vaults/vault.ts";
import type { Call, World } from "./world.ts";

/** A deployed vault that has been used, so that its share price is not 1. */
export interface StandIn {
  /** Columns of its registry row besides chain, adapter, type and asset. */
  row: Partial<SeedRow> & Pick<SeedRow, "address" | "shareDecimals">;
  /** The account that may change its settings. */
  owner: Address;
  /** Contracts by name, for states that change them. */
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
  /** Deposited amount in smallest units for an asset with some decimals. Absent: an ordinary deposit. */
  amount?: (decimals: number) => bigint;
  /** The expected error and its members; null when the deposit is accepted. */
  refused: { code: ErrorCode; [member: string]: unknown } | null;
  /** Expected members of the vault detail in that state. */
  shown?: Partial<VaultDetail>;
}

/** One case of the suite: a family, or one kind of its vaults. */
export interface Family {
  name: string;
  adapter: string;
  type: SeedRow["type"];
  /** Decimals of the assets to test. States are tested with the first. */
  decimals: readonly number[];
  /** Largest documented difference between minted and previewed shares, in smallest units. */
  rounding?: bigint;
  deploy(world: World, asset: Token): Promise<StandIn>;
  /** Expected members of the vault detail, by the family's own views. */
  shown(placed: Placed): Promise<Partial<VaultDetail>>;
  /** Value of shares by the family's own conversion, in the asset's smallest unit. */
  worth(placed: Placed, shares: bigint): Promise<bigint | null>;
  /** The call that redeems all shares instantly; null where the family has none. */
  withdrawal(placed: Placed, of: { user: Address; shares: bigint }): Call | null;
  /** True when the vault's events name the caller, so that the indexer follows the Router's transfer of the shares. */
  namesCaller?: boolean;
  /** False when its withdrawal event has no shares. */
  withdrawalTellsShares?: boolean;
  /** True when its deposit call takes minimum shares, so that every caller gets a floor. */
  nativeMinimum?: boolean;
  states: readonly State[];
}
