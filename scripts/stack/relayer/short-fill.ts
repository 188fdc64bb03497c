import { concatHex, encodeFunctionData, type Hex, numberToHex, pad } from "viem";
import { spokePoolOperatorAbi } from "../bridge/spoke-pool-abi.ts";
import type { BridgeChain } from "../bridge/world.ts";
import { rpc } from "../chains/json-rpc.ts";
import { type Transfer, toAddress } from "./transfer.ts";

/** Any second half and recovery id of the form that the pool takes. */
const SIGNATURE_END = concatHex([numberToHex(1, { size: 32 }), "0x1b"]);

/**
 * The delivery of less than was deposited for. The pool makes it only with the depositor's signature, which nobody
 * gives here: the node is told to take another one for it, for bridges that deliver less do not ask.
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
