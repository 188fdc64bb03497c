import { AppError } from "../../../src/errors.ts";
import { resolveDeployments } from "../../../src/providers/lifi/deployments.ts";
import { LifiQuote } from "../../../src/providers/lifi/schema.ts";
import { verifyMove } from "../../../src/providers/lifi/verify/verify.ts";
import type { BuiltMove, MoveRequest } from "../../../src/providers/provider.ts";
import { INTEGRATOR, NOW } from "./parts.ts";

export const deployments = resolveDeployments(new Map());

/** Parses and verifies an answer as the provider does. Throws what the provider would. */
export function verifyAnswer(
  request: MoveRequest,
  answer: unknown,
  options: { integrator?: string; now?: number } = {},
): BuiltMove {
  const quote = LifiQuote.parse(answer);
  return verifyMove({
    request,
    quote,
    deployments,
    integrator: options.integrator ?? INTEGRATOR,
    now: options.now ?? NOW,
  });
}

/** The field that a refusal names in its cause, or `accepted`. */
export function refusedField(verify: () => unknown): string {
  try {
    verify();
    return "accepted";
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "upstream_rejected") throw error;
    return error.cause instanceof Error ? error.cause.message.replace("li.fi: ", "") : "no cause";
  }
}
