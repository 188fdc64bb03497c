import {
  type Address,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  keccak256,
  type Log,
  pad,
  parseAbiParameters,
} from "viem";
import type { Receipt } from "../../../src/chains/chain-transaction.ts";
import {
  handlerAbi,
  instructionsParameters,
  spokePoolAbi,
} from "../../../src/providers/across/across-abi.ts";
import type { AcrossDeposit } from "../../../src/providers/across/tracking/across-deposit-tracking.ts";
import { HANDLER, hash, SPOKE_1, SPOKE_42161, USDC_1, USDC_42161, USER } from "./stage.ts";

/** A deposit as Ethereum's SpokePool records it. */
export const deposited: AcrossDeposit = {
  originChainId: 1,
  destinationChainId: 42161,
  depositId: 77n,
  depositor: pad(USER).toLowerCase() as Hex,
  recipient: pad(HANDLER).toLowerCase() as Hex,
  exclusiveRelayer: pad("0x"),
  inputToken: pad(USDC_1).toLowerCase() as Hex,
  outputToken: pad(USDC_42161).toLowerCase() as Hex,
  inputAmount: 100_000_000n,
  outputAmount: 99_900_000n,
  quoteTimestamp: 1_900_000_000,
  fillDeadline: 1_900_007_200,
  exclusivityDeadline: 0,
  message: encodeAbiParameters(instructionsParameters, [{ calls: [], fallbackRecipient: USER }]),
};

export interface Emitted {
  address: Address;
  topics: unknown;
  data: Hex;
}

function toLog({ address, topics, data }: Emitted, index: number, txHash: Hex): Log {
  return {
    address,
    topics: topics as Log["topics"],
    data,
    logIndex: index,
    transactionHash: txHash,
    blockNumber: 1n,
    blockHash: null,
    transactionIndex: null,
    removed: false,
  } as Log;
}

/** A receipt with these events in this order. */
export function receiptOf(events: readonly Emitted[], txHash: Hex = hash("f")): Receipt {
  const logs = events.map((event, index) => toLog(event, index, txHash));
  return { blockNumber: 1n, succeeded: true, gasUsed: 1n, logs };
}

const depositTypes = parseAbiParameters(
  "bytes32, bytes32, uint256, uint256, uint32, uint32, uint32, bytes32, bytes32, bytes",
);
const fillTypes = parseAbiParameters(
  "bytes32, bytes32, uint256, uint256, uint256, uint32, uint32, bytes32, bytes32, bytes32, bytes32, (bytes32, bytes32, uint256, uint8)",
);
const callTypes = parseAbiParameters("(address target, bytes callData, uint256 value)[]");

export function fundsDeposited(change: Partial<AcrossDeposit> = {}, address: Address = SPOKE_1): Emitted {
  const d = { ...deposited, ...change };
  const args = {
    destinationChainId: BigInt(d.destinationChainId),
    depositId: d.depositId,
    depositor: d.depositor,
  };
  const data = encodeAbiParameters(depositTypes, [
    d.inputToken,
    d.outputToken,
    d.inputAmount,
    d.outputAmount,
    d.quoteTimestamp,
    d.fillDeadline,
    d.exclusivityDeadline,
    d.recipient,
    d.exclusiveRelayer,
    d.message,
  ]);
  return {
    address,
    topics: encodeEventTopics({ abi: spokePoolAbi(), eventName: "FundsDeposited", args }),
    data,
  };
}

/** A later change of a deposit by its depositor. */
interface Update {
  updatedAmount?: bigint;
  updatedRecipient?: Hex;
  updatedMessage?: Hex;
}

const hashOf = (message: Hex): Hex => (message === "0x" ? pad("0x") : keccak256(message));

/** A `FilledRelay` event of the deposit. */
export function filledRelay(
  change: Partial<AcrossDeposit> & Update = {},
  address: Address = SPOKE_42161,
): Emitted {
  const d = { ...deposited, ...change };
  const args = { originChainId: BigInt(d.originChainId), depositId: d.depositId, relayer: pad(USER) };
  const data = encodeAbiParameters(fillTypes, [
    d.inputToken,
    d.outputToken,
    d.inputAmount,
    d.outputAmount,
    1n,
    d.fillDeadline,
    d.exclusivityDeadline,
    d.exclusiveRelayer,
    d.depositor,
    d.recipient,
    hashOf(d.message),
    [
      d.updatedRecipient ?? d.recipient,
      hashOf(d.updatedMessage ?? d.message),
      d.updatedAmount ?? d.outputAmount,
      0,
    ],
  ]);
  return {
    address,
    topics: encodeEventTopics({ abi: spokePoolAbi(), eventName: "FilledRelay", args }),
    data,
  };
}

export function callsFailed(address: Address = HANDLER): Emitted {
  const args = { fallbackRecipient: USER };
  return {
    address,
    topics: encodeEventTopics({ abi: handlerAbi(), eventName: "CallsFailed", args }),
    data: encodeAbiParameters(callTypes, [[]]),
  };
}

/** A `DrainedTokens` event: the handler pays its token balance to the fallback recipient. */
export function drained(change: { recipient?: Address; token?: Address; amount?: bigint } = {}): Emitted {
  const { recipient = USER, token = USDC_42161, amount = deposited.outputAmount } = change;
  const args = { recipient, token, amount };
  const topics = encodeEventTopics({ abi: handlerAbi(), eventName: "DrainedTokens", args });
  return { address: HANDLER, topics, data: "0x" };
}

/** A receipt as a node's JSON-RPC returns it. */
export function wireReceipt(receipt: Receipt, txHash: Hex = hash("f")): unknown {
  return {
    transactionHash: txHash,
    blockNumber: "0x1",
    status: receipt.succeeded ? "0x1" : "0x0",
    gasUsed: "0x1",
    logs: receipt.logs.map(({ address, topics, data, logIndex }) => ({
      address,
      topics,
      data,
      logIndex: `0x${(logIndex ?? 0).toString(16)}`,
    })),
  };
}

/** A transaction as a node's JSON-RPC returns it. */
export function wireTransaction(txHash: Hex): unknown {
  return { hash: txHash, from: USER, to: SPOKE_1, input: "0x", value: "0x0", gas: "0x1" };
}
