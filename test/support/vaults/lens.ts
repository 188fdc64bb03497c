import { type Address, type Hex, parseAbi, type StateOverride } from "viem";
import type { ScratchChain } from "../../../scripts/stack/chains/scratch-chain.ts";
import type { LensVault, PositionAnswer, PositionRead } from "../../../src/vaults/lens/position-lens.ts";
import { decodePositions, encodePositionCalls } from "../../../src/vaults/lens/position-lens.ts";

/** What geth grants one eth_call unless its operator says otherwise. */
export const CALL_GAS = 50_000_000n;

export const vaultAbi = parseAbi([
  "function balanceOf(address) view returns (uint256)",
  "function convertToAssets(uint256) view returns (uint256)",
  "function totalAssets() view returns (uint256)",
  "function totalSupply() view returns (uint256)",
]);

export interface LensCall {
  user: Address;
  vaults: readonly LensVault[];
  readGas?: number;
  gas?: bigint;
  stateOverride?: StateOverride;
}

/** Asks the lens in one eth_call; throws when the vaults need more than one. */
export async function askLens(chain: ScratchChain, call: LensCall): Promise<PositionAnswer> {
  const { gas = CALL_GAS, stateOverride, ...query } = call;
  const [request, ...more] = encodePositionCalls(query);
  if (request === undefined || more.length > 0) throw new Error(`${more.length + 1} calls instead of one`);
  const { data } = await chain.node.call({
    data: request.data,
    gas,
    ...(stateOverride === undefined ? {} : { stateOverride }),
  });
  return decodePositions(data ?? "0x", request.vaults.length);
}

/** The same position read with one call after the other and the arithmetic of the specification. */
export async function readSingly(chain: ScratchChain, user: Address, vault: Address): Promise<PositionRead> {
  const at = { address: vault, abi: vaultAbi } as const;
  const balance = await chain.node.readContract({ ...at, functionName: "balanceOf", args: [user] });
  if (balance === 0n) return { status: "none" };
  const assets = await chain.node.readContract({ ...at, functionName: "convertToAssets", args: [balance] });
  return { status: "converted", balance, assets };
}

export const plain = (vault: Address): LensVault => ({
  kind: "convert_or_ratio",
  shareToken: vault,
  pricer: vault,
});

export const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, "0")}`;
