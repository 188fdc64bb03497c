import { parse } from "yaml";
import { z } from "zod";

const Texts = z.record(z.string(), z.coerce.string());
/** What our steps are made of; anything else is refused, so that nothing is passed over. */
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
type Job = z.output<typeof Job> & { name: string };

/** A workflow's jobs in their order. Throws for what it does not know. */
export function readWorkflow(text: string): { jobs: Job[] } {
  const { jobs } = z.object({ jobs: z.record(z.string(), Job) }).parse(parse(text));
  return { jobs: Object.entries(jobs).map(([name, job]) => ({ name, ...job })) };
}
