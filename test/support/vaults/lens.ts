import { type Address, type Hex, parseAbi, type StateOverride } from "viem";
import type { ScratchChain } from "../../../scripts/stack/chains/scratch-chain.ts";
import type { LensVault, PositionAnswer, PositionRead } from "../../../src/vaults/lens/position-lens.ts";
import { decodePositions, encodePositionCalls } from "../../../src/vaults/lens/position-lens.ts";

/** Default gas limit of an eth_call in geth. */
export const CALL_GAS = 50_000_000n;

/** ABI of the functions that the lens calls on vaults. */
export const vaultAbi = parseAbi([
  "function balanceOf(address) view returns (uint256)",
  "function convertToAssets(uint256) view returns (uint256)",
  "function totalAssets() view returns (uint256)",
  "function totalSupply() view returns (uint256)",
]);

/** A call of the lens. */
export interface LensCall {
  user: Address;
  vaults: readonly LensVault[];
  readGas?: number;
  gas?: bigint;
  stateOverride?: StateOverride;
}

/** Reads positions with one `eth_call` of the lens. Throws if the vaults need more than one. */
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

/** Reads a position with separate calls and computes its value from the definition. */
export async function readSingly(chain: ScratchChain, user: Address, vault: Address): Promise<PositionRead> {
  const at = { address: vault, abi: vaultAbi } as const;
  const balance = await chain.node.readContract({ ...at, functionName: "balanceOf", args: [user] });
  if (balance === 0n) return { status: "none" };
  const assets = await chain.node.readContract({ ...at, functionName: "convertToAssets", args: [balance] });
  return { status: "converted", balance, assets };
}

/** A vault without a separate pricer. */
export const plain = (vault: Address): LensVault => ({
  kind: "convert_or_ratio",
  shareToken: vault,
  pricer: vault,
});

/** Encodes a uint256 word. */
export const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, "0")}`;
