import { watchControls } from "./controls.ts";
import { indexFlows } from "./flows.ts";
import { followDeposits } from "./follow-deposits.ts";
import { forgetOldAnswers } from "./forget-answers.ts";
import type { Job } from "./job.ts";
import { judgeVaults } from "./signals.ts";
import { noteSnapshots } from "./snapshots.ts";

/**
 * What each cron trigger of wrangler.toml starts: lists that run at the same time, so that a slow one holds up no other;
 * the jobs of one list need what those before them did.
 */
export const jobsByCron: Readonly<Record<string, readonly (readonly Job[])[]>> = {
  "* * * * *": [[followDeposits], [indexFlows]],
  "*/5 * * * *": [[noteSnapshots, watchControls, judgeVaults], [forgetOldAnswers]],
};
