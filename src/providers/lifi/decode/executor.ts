import { type Address, type Hex, parseAbiParameters } from "viem";
import { once } from "../../../lib/once.ts";
import { decodeExact } from "./exact.ts";
import { SWAP_DATA, type SwapData } from "./structs.ts";

/** A contract call on one chain: the Executor takes `amount`, runs the swaps and the call at their end. */
export interface ExecuteCall {
  kind: "execute";
  transactionId: Hex;
  swaps: readonly SwapData[];
  transferredAssetId: Address;
  /** Takes everything that is left over. */
  receiver: Address;
  amount: bigint;
}

const parameters = once(() =>
  parseAbiParameters([
    "bytes32 transactionId, SwapData[] swaps, address transferredAssetId, address receiver, uint256 amount",
    SWAP_DATA,
  ]),
);

/** Executor 2.0.0 and 2.1.0: `swapAndExecute` 0xa83cbaa3. Source: lifinance/contracts ef00558f. */
export function decodeExecute(data: Hex): ExecuteCall | null {
  const values = decodeExact(parameters(), data);
  if (values === null) return null;
  const [transactionId, swaps, transferredAssetId, receiver, amount] = values;
  return { kind: "execute", transactionId, swaps, transferredAssetId, receiver, amount };
}
