import { type Hex, isAddressEqual, parseEventLogs } from "viem";
import { receiverAcrossAbi } from "#stand-ins/lifi";
import { handlerAbi, spokePoolAbi } from "../../../src/providers/across/across-abi.ts";
import type { BridgeChain } from "../bridge/bridge-chains.ts";
import type { NodeReceipt } from "../bridge/node-requests.ts";
import { asLog } from "./as-log.ts";
import { type Transfer, toAddress } from "./transfer.ts";

/** Result of a fill, as the fields of its transfer. */
export type FillOutcome = Pick<Transfer, "fillTx" | "delivered" | "callsSucceeded">;

type Delivery = { transfer: Transfer; destination: BridgeChain };

/** Reads a fill's result from its receipt. */
export function outcomeOf(receipt: NodeReceipt, { transfer, destination }: Delivery): FillOutcome {
  const logsOf = (address: Hex) =>
    receipt.logs.filter((log) => isAddressEqual(log.address, address)).map(asLog);
  const { spokePool, multicallHandler, receiverAcross } = destination.contracts;
  const fills = parseEventLogs({ abi: spokePoolAbi(), eventName: "FilledRelay", logs: logsOf(spokePool) });
  const own = fills.find(({ args }) => args.depositId === transfer.relay.depositId);
  const failed = parseEventLogs({
    abi: handlerAbi(),
    eventName: "CallsFailed",
    logs: logsOf(multicallHandler),
  });
  const recovered = parseEventLogs({
    abi: receiverAcrossAbi,
    eventName: "LiFiTransferRecovered",
    logs: logsOf(receiverAcross),
  });
  return {
    fillTx: receipt.transactionHash,
    delivered: own?.args.relayExecutionInfo.updatedOutputAmount ?? transfer.relay.outputAmount,
    callsSucceeded: makesCalls(transfer, destination) ? failed.length + recovered.length === 0 : null,
  };
}

/** Returns true when the recipient of a transfer makes calls with the delivered tokens. */
export function makesCalls({ relay }: Transfer, { contracts }: BridgeChain): boolean {
  const recipient = toAddress(relay.recipient);
  const callers = [contracts.multicallHandler, contracts.receiverAcross];
  return relay.message !== "0x" && callers.some((caller) => isAddressEqual(caller, recipient));
}
