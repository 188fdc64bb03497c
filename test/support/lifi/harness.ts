import { AppError } from "../../../src/errors.ts";
import { LifiQuote } from "../../../src/providers/lifi/api/lifi-schemas.ts";
import { resolveLifiDeployments } from "../../../src/providers/lifi/lifi-deployments.ts";
import { verifyLifiTransfer } from "../../../src/providers/lifi/verify/verify-lifi-transfer.ts";
import type { TransferRequest, VerifiedTransfer } from "../../../src/providers/provider.ts";
import { NOW } from "./parts.ts";

export const deployments = resolveLifiDeployments(new Map());

/** Parses and verifies a response as the provider does. Throws the provider's errors. */
export function verifyAnswer(
  request: TransferRequest,
  answer: unknown,
  options: { now?: number } = {},
): VerifiedTransfer {
  const quote = LifiQuote.parse(answer);
  return verifyLifiTransfer({
    request,
    quote,
    deployments,
    now: options.now ?? NOW,
  });
}

/** Returns the field in the cause of the verification's error, `no_route` for that error, or `accepted`. */
export function refusedField(verify: () => unknown): string {
  try {
    verify();
    return "accepted";
  } catch (error) {
    if (error instanceof AppError && error.code === "no_route") return "no_route";
    if (!(error instanceof AppError) || error.code !== "upstream_rejected") throw error;
    return error.cause instanceof Error ? error.cause.message.replace("li.fi: ", "") : "no cause";
  }
}
