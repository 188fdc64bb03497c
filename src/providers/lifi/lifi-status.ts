import type { Hex } from "viem";
import { sameAddress } from "../../lib/address.ts";
import type { ProviderScope, ProviderStatus } from "../provider.ts";
import { STATUS_TIMEOUT_MS } from "./api/lifi-client.ts";
import { LifiStatus } from "./api/lifi-schemas.ts";
import { bridgeOfTool } from "./lifi-bridges.ts";
import type { LifiContext } from "./lifi-context.ts";

export interface LifiTransfer {
  txHash: Hex;
  fromChainId: number;
  toChainId: number;
  tool: string;
}

type Phase = ProviderStatus["phase"];

/**
 * Asks how a transfer stands; a hint where to look, never proof. A transfer LI.FI has not seen is `unknown`.
 * Throws `rate_limited`, `upstream_rejected`, `upstream_unavailable`, `upstream_timeout`.
 * Source: LI.FI `GET /status`.
 */
export async function fetchLifiStatus(
  context: LifiContext,
  input: { scope: ProviderScope; transfer: LifiTransfer },
): Promise<ProviderStatus> {
  const { scope, transfer } = input;
  const answer = await context.client.ask(scope, {
    family: "other",
    path: "/status",
    query: {
      txHash: transfer.txHash,
      fromChain: String(transfer.fromChainId),
      toChain: String(transfer.toChainId),
      ...(bridgeOfTool(transfer.tool) === null ? {} : { bridge: transfer.tool }),
    },
    timeoutMs: STATUS_TIMEOUT_MS,
    schema: LifiStatus,
    notFound: { status: "NOT_FOUND" },
  });
  return interpretLifiStatus(transfer, answer);
}

/** Interprets an answer; an unknown substatus keeps the meaning of its status. Pure. */
export function interpretLifiStatus(transfer: LifiTransfer, answer: LifiStatus): ProviderStatus {
  const { phase, substatus } = statusMeaningOf(answer);
  if (phase === "unknown" || !isAbout(transfer, answer)) return { ...UNKNOWN };
  const received = answer.receiving ?? {};
  const refunded = phase === "refunded";
  const arrived = phase === "delivered" && received.chainId === transfer.toChainId;
  const returned = refunded && received.chainId === transfer.fromChainId;
  const hash = readHash(received.txHash);
  return {
    phase,
    substatus,
    destinationTxHash: arrived ? hash : null,
    refundTxHash: returned && hash !== transfer.txHash.toLowerCase() ? hash : null,
    amountReceived: arrived ? readAmount(received.amount) : null,
    explorerLink: readExplorer(answer.lifiExplorerLink),
    witness: null,
  };
}

const UNKNOWN: ProviderStatus = {
  phase: "unknown",
  substatus: null,
  destinationTxHash: null,
  refundTxHash: null,
  amountReceived: null,
  explorerLink: null,
  witness: null,
};

interface StatusMeaning {
  phase: Phase;
  substatus: string | null;
}

/** By status: what each substatus means, and `default` for a missing or unknown one. */
const statusMeanings: Readonly<
  Record<string, { default: Phase; known: Readonly<Record<string, StatusMeaning>> }>
> = {
  PENDING: {
    default: "moving",
    known: {
      WAIT_SOURCE_CONFIRMATIONS: { phase: "source_pending", substatus: "WAIT_SOURCE_CONFIRMATIONS" },
      WAIT_DESTINATION_TRANSACTION: { phase: "moving", substatus: "WAIT_DESTINATION_TRANSACTION" },
      BRIDGE_NOT_AVAILABLE: { phase: "moving", substatus: "BRIDGE_NOT_AVAILABLE" },
      CHAIN_NOT_AVAILABLE: { phase: "moving", substatus: "CHAIN_NOT_AVAILABLE" },
      UNKNOWN_ERROR: { phase: "moving", substatus: "UNKNOWN_ERROR" },
      REFUND_IN_PROGRESS: { phase: "refunding", substatus: "REFUND_IN_PROGRESS" },
    },
  },
  DONE: {
    default: "delivered",
    known: {
      COMPLETED: { phase: "delivered", substatus: "COMPLETED" },
      PARTIAL: { phase: "delivered", substatus: "PARTIAL" },
      REFUNDED: { phase: "refunded", substatus: "REFUNDED" },
    },
  },
  FAILED: {
    default: "failed",
    known: {
      NOT_PROCESSABLE_REFUND_NEEDED: { phase: "failed", substatus: "NOT_PROCESSABLE_REFUND_NEEDED" },
      OUT_OF_GAS: { phase: "failed", substatus: "OUT_OF_GAS" },
      SLIPPAGE_EXCEEDED: { phase: "failed", substatus: "SLIPPAGE_EXCEEDED" },
      INSUFFICIENT_ALLOWANCE: { phase: "failed", substatus: "INSUFFICIENT_ALLOWANCE" },
      INSUFFICIENT_BALANCE: { phase: "failed", substatus: "INSUFFICIENT_BALANCE" },
      EXPIRED: { phase: "failed", substatus: "EXPIRED" },
      UNKNOWN_ERROR: { phase: "failed", substatus: "UNKNOWN_ERROR" },
      UNKNOWN_FAILED_ERROR: { phase: "failed", substatus: "UNKNOWN_ERROR" },
      REFUNDED: { phase: "refunded", substatus: "REFUNDED" },
    },
  },
};

/** NOT_FOUND, INVALID (of another tool, or a service is down) and any new status say nothing. */
function statusMeaningOf(answer: LifiStatus): StatusMeaning {
  const status = Object.hasOwn(statusMeanings, answer.status) ? statusMeanings[answer.status] : undefined;
  if (status === undefined) return { phase: "unknown", substatus: null };
  const substatus = answer.substatus ?? "";
  const known = Object.hasOwn(status.known, substatus) ? status.known[substatus] : undefined;
  return known ?? { phase: status.default, substatus: null };
}

/** Whether an answer is about this transfer: it may leave its source out, but not name another. */
function isAbout(transfer: LifiTransfer, { sending }: LifiStatus): boolean {
  if (sending?.txHash && !sameAddress(sending.txHash, transfer.txHash)) return false;
  return !sending?.chainId || sending.chainId === transfer.fromChainId;
}

function readHash(text: string | null | undefined): Hex | null {
  return typeof text === "string" && /^0x[0-9a-fA-F]{64}$/.test(text) ? (text.toLowerCase() as Hex) : null;
}

function readAmount(text: string | null | undefined): bigint | null {
  return typeof text === "string" && /^[0-9]{1,78}$/.test(text) ? BigInt(text) : null;
}

function readExplorer(text: string | null | undefined): string | null {
  const shape = /^https:\/\/(scan|explorer)\.li\.fi\/tx\/0x[0-9a-fA-F]{64}$/;
  return typeof text === "string" && shape.test(text) ? text : null;
}
