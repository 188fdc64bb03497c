import { followDueDeposits } from "../deposits/follow-due.ts";
import type { Job } from "./job.ts";

/** Moves deposits that nobody polls. */
export const followDeposits: Job = {
  name: "follow_deposits",
  lockMs: 90_000,
  run: async (ctx) => ({ ...(await followDueDeposits(ctx)) }),
};
