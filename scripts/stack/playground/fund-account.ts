import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  isAddress,
  numberToHex,
  parseUnits,
} from "viem";
import { stackTokenAbi, wrappedNativeAbi } from "#stand-ins/standard";
import { UsageError } from "../../command.ts";
import { rpc } from "../chains/json-rpc.ts";
import { type TokenSymbol, tokenPlan } from "../chains/plan.ts";
import { sendAsDeployer } from "../chains/settle-requests.ts";
import type { StackChain, StackManifest } from "../manifest.ts";
import { awaitMined } from "./await-mined.ts";

const NATIVE_DECIMALS = 18;

/**
 * Gives an address whole tokens on every chain; the words are address, symbol and amount. Returns the lines to print.
 * Throws `UsageError` for an invalid word.
 */
export async function fundAccount(
  { chains }: StackManifest,
  [to = "", symbol = "", amount = ""]: readonly string[],
): Promise<string[]> {
  if (!isAddress(to, { strict: false })) throw new UsageError(`'${to}' is not an address`);
  if (!/^\d{1,12}(\.\d{1,18})?$/.test(amount))
    throw new UsageError(`'${amount}' is not an amount such as 250 or 0.5`);
  const lines: string[] = [];
  for (const chain of chains) {
    await give(chain, { to: getAddress(to), symbol: symbol.toUpperCase(), amount });
    lines.push(`${chain.name}: ${amount} ${symbol.toUpperCase()} to ${getAddress(to)}`);
  }
  return lines;
}

async function give(chain: StackChain, gift: { to: Address; symbol: string; amount: string }): Promise<void> {
  const { to, symbol } = gift;
  if (symbol === "ETH") return addNative(chain, { to, wei: unitsOf(gift, NATIVE_DECIMALS) });
  const token = Object.entries(chain.contracts.tokens).find(([name]) => name === symbol)?.[1];
  if (token === undefined) {
    const known = ["ETH", ...Object.keys(chain.contracts.tokens)].join(", ");
    throw new UsageError(`no token '${symbol}': the stack has ${known}`);
  }
  const units = unitsOf(gift, token.decimals);
  const { chain_id: chainId, rpc_url: rpcUrl } = chain;
  const of = { chainId, rpcUrl, target: token.address };
  for (const { data, value } of givingCalls({ symbol: symbol as TokenSymbol, to, units })) {
    await awaitMined(rpcUrl, await sendAsDeployer({ ...of, value }, data));
  }
}

/** Returns an amount in smallest units. Throws `UsageError` if the token has fewer decimals, instead of rounding. */
function unitsOf({ symbol, amount }: { symbol: string; amount: string }, decimals: number): bigint {
  if ((amount.split(".")[1] ?? "").length > decimals)
    throw new UsageError(`'${amount}' has more decimals than ${symbol}, which has ${decimals}`);
  return parseUnits(amount, decimals);
}

/** Encodes the deployer's calls that provide tokens: ordinary tokens are minted, the native currency is wrapped. */
function givingCalls(gift: {
  symbol: TokenSymbol;
  to: Address;
  units: bigint;
}): { data: Hex; value: bigint }[] {
  const { symbol, to, units } = gift;
  const args = [to, units] as const;
  if (tokenPlan(symbol).kind !== "wrapped_native")
    return [{ data: encodeFunctionData({ abi: stackTokenAbi, functionName: "mint", args }), value: 0n }];
  return [
    { data: encodeFunctionData({ abi: wrappedNativeAbi, functionName: "deposit" }), value: units },
    { data: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args }), value: 0n },
  ];
}

async function addNative(
  { rpc_url: url }: StackChain,
  { to, wei }: { to: Address; wei: bigint },
): Promise<void> {
  const held = BigInt((await rpc(url, "eth_getBalance", to, "latest")) as Hex);
  await rpc(url, "anvil_setBalance", to, numberToHex(held + wei));
}
