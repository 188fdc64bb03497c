import type { Address } from "viem";
import { isNative } from "../../../lib/address.ts";
import { lessParts } from "../../../lib/amount.ts";
import type { BuiltMove, MoveRequest } from "../../provider.ts";
import { decodeCall, type LifiCall } from "../decode/registry.ts";
import type { LifiDeployment, LifiDeployments } from "../deployments.ts";
import { toOption } from "../option.ts";
import type { LifiQuote } from "../schema.ts";
import { guaranteeOfBridge } from "./bridge.ts";
import { checkAction, checkTransaction, type Entry, readClaim } from "./envelope.ts";
import { must, type Subject } from "./subject.ts";
import { guaranteeOfExecute, guaranteeOfSwap } from "./swap.ts";

/** How long LI.FI says its quotes hold. Source: docs.li.fi. */
const VALID_SECONDS = 60;

export interface VerifyInput {
  request: MoveRequest;
  quote: LifiQuote;
  deployments: LifiDeployments;
  /** The name our calls are written for. */
  integrator: string;
  /** Unix seconds. */
  now: number;
}

/**
 * Decodes a quote's transaction and compares it, field by field, with what was asked for; what it returns is
 * built from the request, from the tables in code and from the calldata. Pure.
 * Throws `upstream_rejected`, with the field in its cause.
 */
export function verifyMove(input: VerifyInput): BuiltMove {
  const { request, quote } = input;
  const subject = toSubject(input);
  const call = decodeCall(quote.transactionRequest.data);
  must(call !== null, "transactionRequest.data");
  const entry = entryOf(subject.source, call);
  const transaction = checkTransaction(subject, { quote, entry });
  if (call.kind !== "stargate") must(subject.claim.feesOnTop === 0n, "feeCosts.included");
  const guaranteed = guaranteeOf(subject, call);
  checkFloor(subject, guaranteed);
  const native = isNative(request.fromToken);
  const toAmount = subject.claim.toAmount > guaranteed ? subject.claim.toAmount : guaranteed;
  return {
    ...toOption(quote, {
      toAmount,
      toAmountMin: guaranteed,
      callable: request.call !== null,
      plain: request.call === null,
    }),
    transaction,
    spender: native ? null : entry.spender,
    executor: executorOf(subject),
    tool: quote.tool,
    validSeconds: VALID_SECONDS,
  };
}

function toSubject({ request, quote, deployments, integrator, now }: VerifyInput): Subject {
  const source = deployments.get(request.fromChainId);
  const destination = deployments.get(request.toChainId);
  must(source !== undefined, "action.fromChainId");
  must(destination !== undefined, "action.toChainId");
  checkAction(request, quote);
  return { request, source, destination, integrator, now, claim: readClaim(request, quote) };
}

/** Contract calls on one chain enter by the Executor, which pulls through its proxy; all else by the Diamond. */
function entryOf(source: LifiDeployment, call: LifiCall): Entry {
  if (call.kind === "execute") return { target: source.executor, spender: source.erc20Proxy };
  return { target: source.diamond, spender: source.diamond };
}

function guaranteeOf(subject: Subject, call: LifiCall): bigint {
  if (call.kind === "swap") return guaranteeOfSwap(subject, call);
  if (call.kind === "execute") return guaranteeOfExecute(subject, call);
  return guaranteeOfBridge(subject, call);
}

/** The loss that was allowed bounds what reaches the user; a call's own minimum was compared with its check. */
function checkFloor({ request, claim }: Subject, guaranteed: bigint): void {
  if (request.call !== null) return;
  must(guaranteed >= lessParts(claim.toAmount, request.slippage), "toAmountMin");
}

function executorOf({ request, destination }: Subject): Address | null {
  return request.call === null ? null : destination.executor;
}
