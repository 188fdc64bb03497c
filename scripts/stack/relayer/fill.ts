import {
  type Address,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  keccak256,
  pad,
  parseEventLogs,
} from "viem";
import type { BridgeChain } from "../bridge/world.ts";
import { multicallHandlerAbi, spokePoolAbi } from "../contracts/across/artifact.ts";
import { receiverAcrossAbi } from "../contracts/lifi/artifact.ts";
import type { Relayer } from "../emulator/control.ts";
import { shortfall } from "./decide.ts";
import { send } from "./send.ts";
import { type Transfer, toAddress } from "./transfer.ts";
import { asLog } from "./watch.ts";

/** What a fill brought about. */
export type Filled = Pick<Transfer, "fillTx" | "delivered" | "callsSucceeded">;

/** Fills a transfer as the settings say. Throws when the fill reverts. */
export async function fill(
  transfer: Transfer,
  { destination, relayer }: { destination: BridgeChain; relayer: Relayer },
): Promise<Filled> {
  const { relay } = transfer;
  const { contracts } = destination;
  const missing = shortfall(relay.outputAmount, relayer);
  if (relayer.mode === "fail_destination") await doom(transfer, destination);
  const repayment = [BigInt(transfer.originChainId), pad(contracts.relayer)] as const;
  const data =
    missing === 0n
      ? encodeFunctionData({ abi: spokePoolAbi, functionName: "fillRelay", args: [relay, ...repayment] })
      : encodeFunctionData({
          abi: spokePoolAbi,
          functionName: "fillRelayShort",
          args: [relay, ...repayment, missing],
        });
  const receipt = await send(destination, { to: contracts.spokePool, data });
  const logs = receipt.logs.map(asLog);
  const callsSucceeded = makesCalls(transfer, destination) ? !hasFailedCalls(logs, destination) : null;
  return { fillTx: receipt.transactionHash, delivered: relay.outputAmount - missing, callsSucceeded };
}

/** Makes the calls of a transfer fail, where its recipient makes any. */
async function doom(transfer: Transfer, destination: BridgeChain): Promise<void> {
  if (!makesCalls(transfer, destination)) return;
  const args = [keccak256(transfer.relay.message)] as const;
  const data = encodeFunctionData({ abi: multicallHandlerAbi, functionName: "failOnce", args });
  await send(destination, { to: toAddress(transfer.relay.recipient), data });
}

function makesCalls({ relay }: Transfer, { contracts }: BridgeChain): boolean {
  const recipient: Address = toAddress(relay.recipient);
  const callers = [contracts.multicallHandler, contracts.receiverAcross];
  return relay.message !== "0x" && callers.some((caller) => isAddressEqual(caller, recipient));
}

type Logs = Parameters<typeof parseEventLogs>[0]["logs"];

function hasFailedCalls(logs: Logs, { contracts }: BridgeChain): boolean {
  const from = (address: Hex) => logs.filter((log) => isAddressEqual(log.address, address));
  const failed = parseEventLogs({
    abi: multicallHandlerAbi,
    eventName: "CallsFailed",
    logs: from(contracts.multicallHandler),
  });
  const recovered = parseEventLogs({
    abi: receiverAcrossAbi,
    eventName: "LiFiTransferRecovered",
    logs: from(contracts.receiverAcross),
  });
  return failed.length + recovered.length > 0;
}
