import type { TransferQuote } from "../provider.ts";
import type { LifiStep } from "./api/lifi-schemas.ts";
import { bridgeOfTool } from "./lifi-bridges.ts";

export const LIFI_KEY = "lifi";

const USD = /^[0-9]{1,15}(\.[0-9]{1,18})?$/;
const LOGO = /^https:\/\/[\w.-]+\/[\w./%-]{1,400}$/;

/** What of an option its step does not say: amounts in smallest units of the delivered token, and how it can end. */
type CheckedAmounts = Pick<TransferQuote, "toAmount" | "toAmountMin" | "callable" | "plain">;

/** Describes a way to move funds from an answer's step. */
export function quoteFromStep(step: LifiStep, judged: CheckedAmounts): TransferQuote {
  const bridge = bridgeOfTool(step.tool)?.bridge ?? null;
  const { estimate, toolDetails } = step;
  const seconds = estimate.executionDuration ?? null;
  return {
    provider: LIFI_KEY,
    bridge: bridge?.key ?? null,
    bridgeName: bridge?.name ?? null,
    bridgeLogo: bridge === null ? null : ifMatching(LOGO, toolDetails?.logoURI),
    ...judged,
    estimatedSeconds: seconds === null ? null : Math.ceil(seconds),
    gasCostUsd: sumUsd(estimate.gasCosts ?? []),
    fromAmountUsd: ifMatching(USD, estimate.fromAmountUSD),
    toAmountUsd: ifMatching(USD, estimate.toAmountUSD),
  };
}

/** A text of the upstream, only when it has the shape expected. */
function ifMatching(shape: RegExp, text: string | null | undefined): string | null {
  return typeof text === "string" && shape.test(text) ? text : null;
}

/** The sum of costs in USD with four decimals; null when none is given or one is no figure. */
function sumUsd(costs: readonly { amountUSD?: string | null | undefined }[]): string | null {
  const figures = costs.map((cost) => ifMatching(USD, cost.amountUSD));
  if (figures.length === 0 || figures.includes(null)) return null;
  return figures.reduce((sum, figure) => sum + Number(figure), 0).toFixed(4);
}
