import { encodeFunctionData, type Hex, pad } from "viem";
import { spokePoolAbi } from "../../../src/providers/across/across-abi.ts";
import type { BridgeChain } from "../bridge/world.ts";
import type { Relayer } from "../emulators/control.ts";
import { shortfall } from "./decide.ts";
import { type Filled, makesCalls, outcomeOf } from "./outcome.ts";
import { send } from "./send.ts";
import { encodeShortFill } from "./short-fill.ts";
import { spoilDelivery } from "./spoil.ts";
import type { Transfer } from "./transfer.ts";

/** Fills a transfer according to the settings. Throws when the fill reverts. */
export async function fill(
  transfer: Transfer,
  { destination, relayer }: { destination: BridgeChain; relayer: Relayer },
): Promise<Filled> {
  const missing = shortfall(transfer, relayer);
  const data =
    missing === 0n
      ? encodeFill(transfer, destination)
      : await encodeShortFill(transfer, { destination, missing });
  const spoilt = relayer.mode === "fail_destination" && makesCalls(transfer, destination);
  const receipt = spoilt
    ? await spoilDelivery(transfer, { destination, target: destination.contracts.spokePool, data })
    : await send(destination, { to: destination.contracts.spokePool, data });
  return outcomeOf(receipt, { transfer, destination });
}

function encodeFill({ relay, originChainId }: Transfer, { contracts }: BridgeChain): Hex {
  const args = [relay, BigInt(originChainId), pad(contracts.relayer)] as const;
  return encodeFunctionData({ abi: spokePoolAbi(), functionName: "fillRelay", args });
}
