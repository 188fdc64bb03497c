import { indexFlows } from "./flows.ts";
import { followDeposits } from "./follow-deposits.ts";
import type { Job } from "./job.ts";
import { judgeVaults } from "./signals.ts";
import { noteSnapshots } from "./snapshots.ts";

/** Which jobs each cron trigger of wrangler.toml starts, one after the other. */
export const jobsByCron: Readonly<Record<string, readonly Job[]>> = {
  "* * * * *": [followDeposits, indexFlows],
  "*/5 * * * *": [noteSnapshots, judgeVaults],
};
