import { encodeFunctionData, type Hex, pad } from "viem";
import { spokePoolAbi } from "../../../src/providers/across/across-abi.ts";
import type { BridgeChain } from "../bridge/bridge-chains.ts";
import type { Relayer } from "../emulators/control.ts";
import { deliverWithFailingDeposit } from "./failing-delivery.ts";
import { type FillOutcome, makesCalls, outcomeOf } from "./fill-outcome.ts";
import { shortfall } from "./next-action.ts";
import { sendFromRelayer } from "./send-transaction.ts";
import { encodeShortFill } from "./short-fill.ts";
import type { Transfer } from "./transfer.ts";

/** Fills a transfer according to the settings. Throws when the fill reverts. */
export async function fill(
  transfer: Transfer,
  { destination, relayer }: { destination: BridgeChain; relayer: Relayer },
): Promise<FillOutcome> {
  const missing = shortfall(transfer, relayer);
  const data =
    missing === 0n
      ? encodeFill(transfer, destination)
      : await encodeShortFill(transfer, { destination, missing });
  const spoilt = relayer.mode === "fail_destination" && makesCalls(transfer, destination);
  const receipt = spoilt
    ? await deliverWithFailingDeposit(transfer, {
        destination,
        target: destination.contracts.spokePool,
        data,
      })
    : await sendFromRelayer(destination, { to: destination.contracts.spokePool, data });
  return outcomeOf(receipt, { transfer, destination });
}

function encodeFill({ relay, originChainId }: Transfer, { contracts }: BridgeChain): Hex {
  const args = [relay, BigInt(originChainId), pad(contracts.relayer)] as const;
  return encodeFunctionData({ abi: spokePoolAbi(), functionName: "fillRelay", args });
}
