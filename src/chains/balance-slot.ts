import { type Address, encodeFunctionData, erc20Abi, type Hex, numberToHex, type StateOverride } from "viem";
import type { ChainClient } from "./client.ts";
import { RpcError } from "./json-rpc.ts";
import { RpcWord } from "./rpc-values.ts";
import { encodeOverrides } from "./simulate.ts";
import { balanceCandidates, matchSlot, probeState, type SlotLayout, slotOf } from "./simulator/slots.ts";

/** Any account serves: a token's layout is the same for all. */
const PROBED: Address = "0x00000000000000000000000000000000C0FFEE01";

/**
 * Finds where a token keeps balances, with one `eth_call`; null when it keeps them in no known way
 * (rebasing, packed or proxied elsewhere). Throws RpcError `unsupported` where nodes override no state, and
 * what the chain client throws.
 */
export async function findBalanceLayout(client: ChainClient, token: Address): Promise<SlotLayout | null> {
  const tried = balanceCandidates(PROBED);
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [PROBED] });
  const overrides = encodeOverrides([{ address: token, stateDiff: probeState(tried) }]);
  try {
    const answer = RpcWord.safeParse(
      await client.request("eth_call", [{ to: token, data }, "latest", overrides]),
    );
    return answer.success ? (matchSlot(tried, BigInt(answer.data))?.layout ?? null) : null;
  } catch (error) {
    if (error instanceof RpcError && error.kind === "revert") return null;
    throw error;
  }
}

/** The override that gives an account a balance of a token. Amount in the token's smallest unit. */
export function balanceOverride(
  holding: { token: Address; account: Address; amount: bigint },
  layout: SlotLayout,
): StateOverride[number] {
  const slot: Hex = slotOf(layout, [holding.account]);
  return { address: holding.token, stateDiff: [{ slot, value: numberToHex(holding.amount, { size: 32 }) }] };
}
