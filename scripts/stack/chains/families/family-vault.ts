import { type Abi, type Address, encodeDeployData, encodeFunctionData, erc4626Abi, type Hex } from "viem";
import type { SeedRow } from "../../../db/seed-row.ts";
import type { ChainScript } from "../chain-script.ts";

/** Parameters of a vault's deployment; `decimals` are the asset's, `name` and `symbol` the vault's. */
export interface VaultTerms {
  asset: Address;
  assetSymbol: string;
  decimals: number;
  name: string;
  symbol: string;
  /** Tokens that the vault accepts in addition to its asset. */
  also: readonly OtherToken[];
}

/** A token that a vault accepts in addition to its asset. */
export interface OtherToken {
  address: Address;
  decimals: number;
  /** Value of a whole token in the asset's smallest unit. */
  worth: bigint;
}

/** A deployed vault, with the registry columns that differ from the defaults. */
export interface PlacedVault {
  address: Address;
  row: Partial<SeedRow> & Pick<SeedRow, "shareDecimals">;
}

/**
 * Encodes a call to the vault: the deployer's first deposit, or the one that reports a yield. `amount` is in the
 * asset's smallest unit.
 */
export type VaultCall = (of: { terms: VaultTerms; amount: bigint; deployer: Address }) => Hex;

/** A stand-in for a vault family: its deployment and its history. */
export interface FamilyVault {
  type: SeedRow["type"];
  deploy(script: ChainScript, terms: VaultTerms): PlacedVault;
  deposit: VaultCall;
  /** Call that makes the vault account for transferred yield. Null if the share price follows the balance. */
  accrue: VaultCall | null;
  /** Switches the vault to deposit requests, for families that support both. */
  takeRequests?: VaultCall;
}

/** A contract's ABI and creation code. */
export interface Contract {
  abi: Abi;
  code: Hex;
}

/**
 * Queues the deployment of a contract whose constructor takes asset, name, symbol and further arguments; returns its
 * address.
 */
export function deployVault(
  script: ChainScript,
  { contract, terms, more = [] }: { contract: Contract; terms: VaultTerms; more?: readonly unknown[] },
): Address {
  const { asset, name, symbol } = terms;
  const args = [asset, name, symbol, ...more];
  return script.deploy(name, encodeDeployData({ abi: contract.abi, bytecode: contract.code, args }));
}

/** Encodes `deposit(assets, receiver)`. Source: EIP-4626. */
export const standardDeposit: VaultCall = ({ amount, deployer }) =>
  encodeFunctionData({ abi: erc4626Abi, functionName: "deposit", args: [amount, deployer] });

/**
 * Creates the stand-in of a family that implements ERC-4626 and whose yield is an increase of its balance. By default
 * its type is `custom` and its shares have the asset's decimals.
 */
export function standardVault(
  contract: Contract,
  traits: { type?: SeedRow["type"]; shareDecimals?: (decimals: number) => number } = {},
): FamilyVault {
  const { type = "custom", shareDecimals = (decimals) => decimals } = traits;
  return {
    type,
    deploy: (script, terms) => ({
      address: deployVault(script, { contract, terms }),
      row: { shareDecimals: shareDecimals(terms.decimals) },
    }),
    deposit: standardDeposit,
    accrue: null,
  };
}
