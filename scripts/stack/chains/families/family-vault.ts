import { type Abi, type Address, encodeDeployData, encodeFunctionData, erc4626Abi, type Hex } from "viem";
import type { SeedRow } from "../../../db/seed-row.ts";
import type { ChainScript } from "../script.ts";

/** What a vault is deployed for. */
export interface Placing {
  asset: Address;
  decimals: number;
  name: string;
  symbol: string;
  /** What it takes besides its asset. */
  also: readonly OtherToken[];
}

export interface OtherToken {
  address: Address;
  decimals: number;
  /** What a whole one is worth, smallest unit of the asset. */
  worth: bigint;
}

/** A vault that stands, and the columns of its registry row that are not its own address. */
export interface Placed {
  address: Address;
  row: Partial<SeedRow> & Pick<SeedRow, "shareDecimals">;
}

/** A call to the vault: the deployer's first deposit, or what makes a yield known to it. */
export type VaultCall = (of: { placing: Placing; amount: bigint; deployer: Address }) => Hex;

/** A stand-in for a family of vaults: how it is deployed, and given its past. */
export interface FamilyVault {
  type: SeedRow["type"];
  deploy(script: ChainScript, placing: Placing): Placed;
  deposit: VaultCall;
  /** After the yield has reached the vault as a transfer; null: its balance is all it goes by. */
  accrue: VaultCall | null;
  /** What has it take requests from then on, where it can do both. */
  takeRequests?: VaultCall;
}

export interface Contract {
  abi: Abi;
  code: Hex;
}

/** Deploys a contract whose constructor takes asset, name and symbol, and what else is given. */
export function deployVault(
  script: ChainScript,
  { contract, placing, more = [] }: { contract: Contract; placing: Placing; more?: readonly unknown[] },
): Address {
  const { asset, name, symbol } = placing;
  const args = [asset, name, symbol, ...more];
  return script.deploy(name, encodeDeployData({ abi: contract.abi, bytecode: contract.code, args }));
}

/** `deposit(assets, receiver)`. Source: EIP-4626. */
export const standardDeposit: VaultCall = ({ amount, deployer }) =>
  encodeFunctionData({ abi: erc4626Abi, functionName: "deposit", args: [amount, deployer] });

/** A family that keeps to ERC-4626 and whose yield is its balance. */
export function standardVault(
  contract: Contract,
  traits: { type?: SeedRow["type"]; shareDecimals?: (decimals: number) => number } = {},
): FamilyVault {
  const { type = "custom", shareDecimals = (decimals) => decimals } = traits;
  return {
    type,
    deploy: (script, placing) => ({
      address: deployVault(script, { contract, placing }),
      row: { shareDecimals: shareDecimals(placing.decimals) },
    }),
    deposit: standardDeposit,
    accrue: null,
  };
}
