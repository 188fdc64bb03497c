import { type Address, decodeFunctionData, encodeFunctionData, type Hex } from "viem";
import { depositRouterAbi } from "../../../src/router/deposit-router-artifact.ts";
import { decodeRouterError } from "../../../src/router/router-codec.ts";
import type { TestChain } from "./chain.ts";

/** Calldata of a Router call, and the account that sends it. */
interface Sent {
  data: Hex;
  from: Address;
}

/** Returns the name of the Router's error if an account's call with this calldata reverts, or `sent` if it succeeds. */
export async function outcomeOf(chain: TestChain, { data, from }: Sent): Promise<string> {
  const call = { to: chain.info.contracts.deposit_router, data, account: from };
  try {
    await chain.client.call(call);
    return "sent";
  } catch (error) {
    const cause = (error as { walk(is: (e: unknown) => boolean): unknown }).walk(
      (one) => typeof (one as { data?: unknown }).data === "string",
    ) as { data?: Hex } | null;
    return decodeRouterError(cause?.data ?? "0x")?.name ?? "unknown";
  }
}

const other: Address = "0x00000000000000000000000000000000000000aa";

/** Returns a changed value of the same ABI type. */
function changed(value: unknown): unknown {
  if (typeof value === "boolean") return !value;
  if (typeof value === "bigint") return value + 1n;
  if (typeof value === "number") return value + 1;
  if (Array.isArray(value)) return value.length === 0 ? [other] : value.slice(1);
  const text = String(value);
  return text.length === 42 ? other : `${text.slice(0, -1)}${text.endsWith("0") ? "1" : "0"}`;
}

/**
 * Returns the outcomes of a signed order for every change of a single field: of the order, of each step and its
 * patches, of the lists, and of the owner.
 */
export async function outcomesOfChanges(
  chain: TestChain,
  { data, from }: Sent,
): Promise<Record<string, string>> {
  const { functionName, args } = decodeFunctionData({ abi: depositRouterAbi, data });
  type Fields = Record<string, unknown>;
  const [order, steps, sweep, owner, signature] = args as unknown as [
    Fields,
    Fields[],
    Address[],
    Address,
    Hex,
  ];
  const variants: Record<string, unknown[]> = { owner: [order, steps, sweep, other, signature] };
  for (const [field, value] of Object.entries(order))
    variants[field] = [{ ...order, [field]: changed(value) }, steps, sweep, owner, signature];
  for (const [at, step] of steps.entries())
    for (const [field, value] of Object.entries(step)) {
      const others = steps.map((one, index) => (index === at ? { ...one, [field]: changed(value) } : one));
      variants[`step ${at} ${field}`] = [order, others, sweep, owner, signature];
    }
  variants["steps"] = [order, [], sweep, owner, signature];
  variants["sweep"] = [order, steps, [...sweep, other], owner, signature];
  const outcomes: Record<string, string> = {};
  for (const [name, parts] of Object.entries(variants)) {
    const functionCall = { abi: depositRouterAbi, functionName, args: parts } as Parameters<
      typeof encodeFunctionData
    >[0];
    outcomes[name] = await outcomeOf(chain, { data: encodeFunctionData(functionCall), from });
  }
  return outcomes;
}
