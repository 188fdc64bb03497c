import { parse } from "yaml";
import { z } from "zod";

const Texts = z.record(z.string(), z.coerce.string());
/** The supported keys of a step; any other is rejected, so that none is ignored. */
const Step = z.union([
  z.strictObject({ uses: z.string(), with: Texts.optional(), run: z.undefined().optional() }),
  z.strictObject({ run: z.string(), env: Texts.default({}) }),
]);
const Job = z.strictObject({
  needs: z.string().optional(),
  if: z.string().optional(),
  "runs-on": z.string(),
  "timeout-minutes": z.int(),
  environment: z.string().optional(),
  permissions: Texts.optional(),
  steps: z.array(Step).min(1),
});
/** One job of a workflow. */
export type Job = z.output<typeof Job> & { name: string };

/** Values of the expression contexts `github` and `secrets`. */
export interface ExpressionContexts {
  github: Readonly<Record<string, unknown>>;
  secrets: Readonly<Record<string, string>>;
}

/** Parses a workflow and returns its jobs in order. Throws for unsupported syntax. */
export function readWorkflow(text: string): { jobs: Job[] } {
  const { jobs } = z.object({ jobs: z.record(z.string(), Job) }).parse(parse(text));
  return { jobs: Object.entries(jobs).map(([name, job]) => ({ name, ...job })) };
}

/** Replaces the expressions in a text by their values. Unknown names become empty, as in GitHub's runner. */
export const fillIn = (text: string, situation: ExpressionContexts): string =>
  text.replaceAll(/\$\{\{ (.+?) \}\}/g, (_all, term: string) => String(named(term, situation) ?? ""));

/** Evaluates a condition that consists of comparisons joined by `&&`. Throws for any other syntax. */
export const holds = (condition: string, situation: ExpressionContexts): boolean =>
  condition.split(" && ").every((comparison) => {
    const [left = "", operator, right = "", more] = comparison.split(" ");
    if ((operator !== "==" && operator !== "!=") || more !== undefined)
      throw new Error(`not a comparison: ${comparison}`);
    return (named(left, situation) === named(right, situation)) === (operator === "==");
  });

function named(term: string, situation: ExpressionContexts): unknown {
  const text = /^'(.*)'$/.exec(term)?.[1];
  if (text !== undefined) return text;
  if (!/^(github|secrets)(\.\w+)+$/.test(term)) throw new Error(`not a term: ${term}`);
  return term
    .split(".")
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], situation);
}
