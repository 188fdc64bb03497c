import type { Address } from "viem";
import type { VaultRow } from "../../src/db/queries/vault-queries.ts";
import { toVault, type Vault } from "../../src/vaults/vault.ts";

/** Chain id of anvil, used by the rows below. */
export const CHAIN_ID = 31337;

/** Returns a distinct fake vault address for a number. */
export const vaultAddress = (number: number): Address =>
  `0x${(0xc0de00 + number).toString(16).padStart(40, "0")}`;

/**
 * Returns a registry row of an active ERC-4626 vault, or one of another `adapter`, with six decimals, by default on
 * anvil's chain, at `vaultAddress(number)` and with start block 0.
 */
export function vaultRow(of: {
  number: number;
  startBlock?: number | null;
  adapter?: string;
  chainId?: number;
  address?: Address;
}): VaultRow {
  const address = (of.address ?? vaultAddress(of.number)).toLowerCase();
  const asset = "0x00000000000000000000000000000000000000aa";
  return {
    chainId: of.chainId ?? CHAIN_ID,
    address,
    type: "custom",
    adapter: of.adapter ?? "erc4626",
    params: {},
    name: `Vault ${of.number}`,
    assetAddress: asset,
    assetSymbol: "USDC",
    assetDecimals: 6,
    shareToken: address,
    shareDecimals: 6,
    entryPoint: address,
    spender: address,
    pricer: address,
    acceptedAssets: [{ address: asset, symbol: "USDC", decimals: 6 }],
    caller: "router",
    curator: "",
    status: "active",
    statusReason: "",
    statusBy: "admin",
    wasActive: true,
    provenance: { source: "seed", detail: "" },
    claim: null,
    namedBy: [],
    proof: null,
    proofDueAt: new Date(0),
    proofRefusals: 0,
    minDeposit: null,
    noMinimum: false,
    startBlock: of.startBlock === undefined ? 0 : of.startBlock,
    createdAt: new Date(0),
    updatedAt: new Date(0),
  };
}

/** Returns the vault that `vaultRow` describes. */
export const vaultOf = (of: Parameters<typeof vaultRow>[0]): Vault => toVault(vaultRow(of));
