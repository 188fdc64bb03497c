import { concatHex, encodeFunctionData, type Hex, numberToHex, pad } from "viem";
import type { BridgeChain } from "../bridge/bridge-chains.ts";
import { spokePoolOperatorAbi } from "../bridge/spoke-pool-abi.ts";
import { rpc } from "../chains/json-rpc.ts";
import { type Transfer, toAddress } from "./transfer.ts";

/** Arbitrary second half and recovery id of a signature, which the pool accepts as well-formed. */
const SIGNATURE_END = concatHex([numberToHex(1, { size: 32 }), "0x1b"]);

/**
 * Encodes a fill with less than the deposit's output amount. The pool requires the depositor's signature for it; the
 * node is told to accept a fabricated one, because real bridges that deliver less do not ask the depositor.
 */
export async function encodeShortFill(
  { relay, relayHash, originChainId }: Transfer,
  { destination, missing }: { destination: BridgeChain; missing: bigint },
): Promise<Hex> {
  const signature = concatHex([relayHash, SIGNATURE_END]);
  await rpc(destination.url, "anvil_impersonateSignature", [signature, toAddress(relay.depositor)]);
  const update = [relay.outputAmount - missing, relay.recipient, relay.message, signature] as const;
  const args = [relay, BigInt(originChainId), pad(destination.contracts.relayer), ...update] as const;
  return encodeFunctionData({
    abi: spokePoolOperatorAbi,
    functionName: "fillRelayWithUpdatedDeposit",
    args,
  });
}
