import type { MoveOption } from "../provider.ts";
import { bridgeOfTool } from "./bridges.ts";
import type { LifiStep } from "./schema.ts";

export const PROVIDER_NAME = "lifi";

const USD = /^[0-9]{1,15}(\.[0-9]{1,18})?$/;
const LOGO = /^https:\/\/[\w.-]+\/[\w./%-]{1,400}$/;

/** What of an option its step does not say: amounts in smallest units of the delivered token, and how it can end. */
type Judged = Pick<MoveOption, "toAmount" | "toAmountMin" | "callable" | "plain">;

/** Describes a way to move funds from an answer's step. */
export function toOption(step: LifiStep, judged: Judged): MoveOption {
  const bridge = bridgeOfTool(step.tool)?.bridge ?? null;
  const { estimate, toolDetails } = step;
  const seconds = estimate.executionDuration ?? null;
  return {
    provider: PROVIDER_NAME,
    bridge: bridge?.key ?? null,
    bridgeName: bridge?.name ?? null,
    bridgeLogo: bridge === null ? null : matching(LOGO, toolDetails?.logoURI),
    ...judged,
    estimatedSeconds: seconds === null ? null : Math.ceil(seconds),
    gasCostUsd: sumUsd(estimate.gasCosts ?? []),
    fromAmountUsd: matching(USD, estimate.fromAmountUSD),
    toAmountUsd: matching(USD, estimate.toAmountUSD),
  };
}

/** A text of the upstream, only when it has the shape expected. */
function matching(shape: RegExp, text: string | null | undefined): string | null {
  return typeof text === "string" && shape.test(text) ? text : null;
}

/** The sum of costs in USD with four decimals; null when none is given or one is no figure. */
function sumUsd(costs: readonly { amountUSD?: string | null | undefined }[]): string | null {
  const figures = costs.map((cost) => matching(USD, cost.amountUSD));
  if (figures.length === 0 || figures.includes(null)) return null;
  return figures.reduce((sum, figure) => sum + Number(figure), 0).toFixed(4);
}
