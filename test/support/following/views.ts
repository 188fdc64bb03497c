import {
  type Address,
  decodeFunctionData,
  encodeFunctionResult,
  erc20Abi,
  type Hex,
  isAddressEqual,
  slice,
  toFunctionSelector,
  toHex,
} from "viem";
import { spokePoolAbi } from "../../../src/providers/across/across-abi.ts";
import {
  type Call,
  isFilled,
  PRICE_UNIT,
  SPOKE_POOL,
  START_BALANCE,
  sharesFor,
  USDC,
  VAULTS,
  vaultAbi,
} from "./contracts.ts";
import type { SimulatedChain } from "./simulated-chain.ts";

/** The view functions by selector: viem's own search hashes the signatures of all of them for every call. */
const viewsBySelector = new Map(
  [...vaultAbi, ...erc20Abi].flatMap((item) =>
    item.type === "function" ? [[toFunctionSelector(item), item] as const] : [],
  ),
);

/** Returns the result of a view call. Null if the contract has no such function. */
export function view(chain: SimulatedChain, { to, data, balance }: Call & { balance?: bigint }): Hex | null {
  try {
    const spokePool = SPOKE_POOL[chain.chainId];
    if (spokePool !== undefined && isAddressEqual(to, spokePool)) {
      const { functionName, args } = decodeFunctionData({ abi: spokePoolAbi(), data });
      if (functionName !== "fillStatuses") return null;
      return toHex(isFilled(chain, args[0]) ? 2 : 0, { size: 32 });
    }
    const called = viewsBySelector.get(slice(data, 0, 4));
    if (called === undefined) return null;
    const { functionName, args } = decodeFunctionData({ abi: [called], data });
    const result = viewResult(chain, { to, functionName, args, balance: balance ?? START_BALANCE });
    return result === undefined
      ? null
      : encodeFunctionResult({ abi: [called], functionName, result } as never);
  } catch {
    return null;
  }
}

function viewResult(
  chain: SimulatedChain,
  of: { to: Address; functionName: string; args: readonly unknown[] | undefined; balance: bigint },
): unknown {
  const [first] = of.args ?? [];
  const amount = typeof first === "bigint" ? first : 0n;
  const isVault = VAULTS.some((vault) => isAddressEqual(vault, of.to));
  const token: Record<string, unknown> = {
    balanceOf: of.balance,
    allowance: START_BALANCE,
    decimals: 6,
    symbol: "USDC",
    name: "USDC",
    totalSupply: START_BALANCE,
  };
  const vault: Record<string, unknown> = {
    asset: USDC[chain.chainId],
    totalAssets: (START_BALANCE * 5n) / 4n,
    convertToAssets: (amount * (1_250_000_000n + BigInt(chain.head.number) * 1_000n)) / PRICE_UNIT,
    convertToShares: sharesFor(chain, amount),
    previewDeposit: sharesFor(chain, amount),
    maxDeposit: 2n ** 255n,
    paused: false,
  };
  return { ...token, ...(isVault ? vault : {}) }[of.functionName];
}
