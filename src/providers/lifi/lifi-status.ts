import type { Hex } from "viem";
import { RpcWord } from "../../chains/rpc-values.ts";
import { sameAddress } from "../../lib/address.ts";
import {
  type ProviderScope,
  type ProviderStatus,
  type TransferReference,
  unknownStatus,
} from "../provider.ts";
import { STATUS_TIMEOUT_MS } from "./api/lifi-client.ts";
import { LifiStatus } from "./api/lifi-schemas.ts";
import { bridgeOfTool } from "./lifi-bridges.ts";
import type { LifiContext } from "./lifi-context.ts";

type Phase = ProviderStatus["phase"];

/**
 * Requests the status of a transfer from LI.FI. It proves nothing: the transactions that it names must be verified on
 * chain. Throws `rate_limited`, `upstream_rejected`, `upstream_unavailable` or `upstream_timeout`. Source: LI.FI `GET
 * /status`.
 */
export async function fetchLifiStatus(
  context: LifiContext,
  input: { scope: ProviderScope; transfer: TransferReference },
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

/**
 * Converts LI.FI's status response to a `ProviderStatus`. The phase is `unknown` if the status is not PENDING, DONE or
 * FAILED, or the response names another transfer. Malformed fields become null. Source: docs.li.fi, transaction status.
 */
export function interpretLifiStatus(transfer: TransferReference, answer: LifiStatus): ProviderStatus {
  const { phase, substatus } = statusMeaningOf(answer);
  if (phase === "unknown" || !isAbout(transfer, answer)) return unknownStatus;
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
    proof: null,
    unread: false,
  };
}

/** The meaning of a LI.FI status: the phase of the transfer, and the substatus for customers. */
interface StatusMeaning {
  phase: Phase;
  substatus: string | null;
}

/**
 * The meaning of each LI.FI status and substatus; `default` is the phase if the substatus is missing or
 * unknown.
 */
const statusMeanings: Readonly<
  Record<string, { default: Phase; known: Readonly<Record<string, StatusMeaning>> }>
> = {
  PENDING: {
    default: "bridging",
    known: {
      WAIT_SOURCE_CONFIRMATIONS: { phase: "source_pending", substatus: "WAIT_SOURCE_CONFIRMATIONS" },
      WAIT_DESTINATION_TRANSACTION: { phase: "bridging", substatus: "WAIT_DESTINATION_TRANSACTION" },
      BRIDGE_NOT_AVAILABLE: { phase: "bridging", substatus: "BRIDGE_NOT_AVAILABLE" },
      CHAIN_NOT_AVAILABLE: { phase: "bridging", substatus: "CHAIN_NOT_AVAILABLE" },
      UNKNOWN_ERROR: { phase: "bridging", substatus: "UNKNOWN_ERROR" },
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

/**
 * Returns the phase and the substatus for customers of a LI.FI status response. The phase is `unknown` for the statuses
 * NOT_FOUND and INVALID (wrong tool or LI.FI outage) and for statuses that are not listed.
 */
function statusMeaningOf(answer: LifiStatus): StatusMeaning {
  const status = Object.hasOwn(statusMeanings, answer.status) ? statusMeanings[answer.status] : undefined;
  if (status === undefined) return { phase: "unknown", substatus: null };
  const substatus = answer.substatus ?? "";
  const known = Object.hasOwn(status.known, substatus) ? status.known[substatus] : undefined;
  return known ?? { phase: status.default, substatus: null };
}

/**
 * Returns false if a status response names a source transaction or chain other than the transfer's. A
 * response that names none is accepted.
 */
function isAbout(transfer: TransferReference, { sending }: LifiStatus): boolean {
  if (sending?.txHash && !sameAddress(sending.txHash, transfer.txHash)) return false;
  return !sending?.chainId || sending.chainId === transfer.fromChainId;
}

function readHash(text: string | null | undefined): Hex | null {
  return RpcWord.safeParse(text).data ?? null;
}

function readAmount(text: string | null | undefined): bigint | null {
  return typeof text === "string" && /^[0-9]{1,78}$/.test(text) ? BigInt(text) : null;
}

function readExplorer(text: string | null | undefined): string | null {
  const shape = /^https:\/\/(scan|explorer)\.li\.fi\/tx\/0x[0-9a-fA-F]{64}$/;
  return typeof text === "string" && shape.test(text) ? text : null;
}
