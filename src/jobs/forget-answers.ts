import { forgetAnswers } from "../deposits/forget-answers.ts";
import type { Job } from "./job.ts";

/** Removes answers of builds that nobody can ask for again. */
export const forgetOldAnswers: Job = {
  name: "forget_answers",
  lockMs: 60_000,
  run: async (ctx) => ({ forgotten: await forgetAnswers(ctx) }),
};
