import { setTimeout as sleep } from "node:timers/promises";
import { type Address, type Hex, numberToHex } from "viem";
import type { BridgeChain } from "../bridge/bridge-chains.ts";
import { type NodeReceipt, receiptOf } from "../bridge/node-requests.ts";
import { rpc } from "../chains/json-rpc.ts";

/** Fixed gas limit: an estimate could be so low that only the destination call runs out of gas. */
const GAS = numberToHex(8_000_000);
const MAX_FEE = numberToHex(10n ** 12n);
const PATIENCE_MS = 60_000;
const PAUSE_MS = 25;

/**
 * Sends a transaction of the relayer and waits for its receipt. Throws when it reverts or is not mined within a
 * minute.
 */
export async function sendFromRelayer(
  chain: BridgeChain,
  { to, data, value = 0n }: { to: Address; data: Hex; value?: bigint },
): Promise<NodeReceipt> {
  const transaction = {
    from: chain.contracts.relayer,
    gas: GAS,
    maxFeePerGas: MAX_FEE,
    maxPriorityFeePerGas: "0x1",
    to,
    data,
    value: numberToHex(value),
  };
  const hash = String(await rpc(chain.url, "eth_sendTransaction", transaction)) as Hex;
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const receipt = await receiptOf(chain.url, hash);
    if (receipt?.status === true) return receipt;
    if (receipt !== null) throw new Error(`${hash} reverted on chain ${chain.chainId}`);
    if (Date.now() > deadline) throw new Error(`${hash} is not mined on chain ${chain.chainId}`);
    await sleep(PAUSE_MS);
  }
}
