import { watchAll } from "../flows/watch-all.ts";
import type { Job } from "./job.ts";

/** Reads what vaults tell of those who govern them. */
export const watchControls: Job = {
  name: "watch_controls",
  lockMs: 120_000,
  run: async (ctx) => ({ ...(await watchAll(ctx)) }),
};
