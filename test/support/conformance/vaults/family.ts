import type { Address } from "viem";
import type { SeedRow } from "../../../../scripts/db/seed-row.ts";
import type { ErrorCode } from "../../../../src/errors.ts";
import type { VaultDetail } from "../../../../src/schemas/vault.ts";
import type { Token } from "../../../../src/vaults/vault.ts";
import type { Call, World } from "./world.ts";

/** A vault that stands on the chain and has been in use: its share price is not 1. */
export interface StandIn {
  /** The columns of its registry row besides chain, adapter, type and asset. */
  row: Partial<SeedRow> & Pick<SeedRow, "address" | "shareDecimals">;
  /** Whoever may change its settings. */
  owner: Address;
  /** Contracts that the states act on, by name. */
  parts: Readonly<Record<string, Address>>;
}

/** A stand-in in its world, as the functions of a row get it. */
export interface Placed extends StandIn {
  world: World;
  asset: Token;
  vault: Address;
  shareToken: Address;
}

/** A limit, pause or permission: how the vault gets there, and how a deposit then fares. */
export interface State {
  name: string;
  enter(placed: Placed, user: Address): Promise<void>;
  /** Smallest units of the asset for a token of so many decimals; an ordinary deposit when absent. */
  amount?: (decimals: number) => bigint;
  /** The refusal, with its members; null: the deposit is taken all the same. */
  refused: { code: ErrorCode; [member: string]: unknown } | null;
  /** What the vault's detail says meanwhile. */
  shown?: Partial<VaultDetail>;
}

/** One row of the suite: a family, or one sort of its vaults. */
export interface Family {
  name: string;
  adapter: string;
  type: SeedRow["type"];
  /** Decimals of the asset that the family allows; the states are tried with the first. */
  decimals: readonly number[];
  /** What the family documents as the most by which minted shares differ from its preview, smallest units. */
  rounding?: bigint;
  deploy(world: World, asset: Token): Promise<StandIn>;
  /** What the detail must say, by the family's own views. */
  shown(placed: Placed): Promise<Partial<VaultDetail>>;
  /** What shares are worth by the family's own conversion, smallest unit of the asset. */
  worth(placed: Placed, shares: bigint): Promise<bigint | null>;
  /** The call by which a user takes all shares out at once; null where the family has none. */
  withdrawal(placed: Placed, of: { user: Address; shares: bigint }): Call | null;
  /** The vault's events name who called it, and the Router passes the shares on: the indexer follows them. */
  namesCaller?: boolean;
  /** False where its event of a withdrawal leaves out the shares. */
  withdrawalTellsShares?: boolean;
  /** Whether its own call takes a least number of shares: one is promised whoever calls. */
  nativeMinimum?: boolean;
  states: readonly State[];
}
