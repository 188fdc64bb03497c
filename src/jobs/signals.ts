import { raiseSignals } from "../signals/raise-signals.ts";
import type { Job } from "./job.ts";

/** Judges every vault by what is stored of it. */
export const judgeVaults: Job = {
  name: "judge_vaults",
  lockMs: 120_000,
  run: async (ctx) => ({ ...(await raiseSignals(ctx)) }),
};
