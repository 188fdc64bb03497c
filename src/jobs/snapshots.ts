import { takeSnapshots } from "../history/take-snapshots.ts";
import type { Job } from "./job.ts";

/** Notes what every vault says of itself. */
export const noteSnapshots: Job = {
  name: "note_snapshots",
  lockMs: 120_000,
  run: async (ctx) => ({ ...(await takeSnapshots(ctx)) }),
};
