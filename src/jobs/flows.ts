import type { Context } from "../context.ts";
import { backfillPart, HistoryPart } from "../flows/backfill-part.ts";
import { indexAll } from "../flows/index-all.ts";
import { countBlocks } from "../lib/blocks.ts";
import type { LogFields } from "../lib/log.ts";
import type { Job } from "./job.ts";

/** Brings every chain's flows up to its head. */
export const indexFlows: Job = {
  name: "index_flows",
  lockMs: 120_000,
  run: async (ctx) => ({ ...(await indexAll(ctx)) }),
};

/** Reads the part of a chain's history that a message of the queue names. Throws a ZodError for any other message. */
export async function backfillFlows(ctx: Context, body: unknown): Promise<LogFields> {
  const part = HistoryPart.parse(body);
  const { blocks, rows, left } = await backfillPart(ctx, part);
  return { ...part, blocks, rows, left: countBlocks(left) };
}
