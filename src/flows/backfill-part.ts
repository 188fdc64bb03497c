import { z } from "@hono/zod-openapi";
import type { Context } from "../context.ts";
import { backfill, type HistoryReport } from "./backfill.ts";
import { budgetOf } from "./budget.ts";
import { indexerOf } from "./indexer.ts";
import { loadRun } from "./state.ts";

/** Requests to nodes and writes of one message, within the 50 of an invocation; the next one continues. */
const REQUESTS = 40;

/** A message of the queue: blocks of one chain in which history may be missing. */
export const HistoryPart = z.object({
  chain_id: z.int().positive(),
  from: z.int().min(0),
  to: z.int().min(0),
});
export type HistoryPart = z.infer<typeof HistoryPart>;

/**
 * Reads what is missing in a part of a chain's history; what is left goes back into the queue. Doing it again
 * changes nothing. Throws `chain_unsupported`, `upstream_unavailable`, `upstream_timeout`, `store_unavailable`.
 */
export async function backfillPart(ctx: Context, part: HistoryPart): Promise<HistoryReport> {
  const indexer = indexerOf(ctx, part.chain_id);
  const state = await loadRun(indexer);
  if (state.tip.finalBlock === null) return { blocks: 0, rows: 0, left: [] };
  const { span } = state.tip;
  const budget = budgetOf({ requests: REQUESTS, span, topics: indexer.maxTopics });
  const report = await backfill(indexer, { state, budget, blocks: { from: part.from, to: part.to } });
  const rest = report.left[0];
  if (rest !== undefined)
    await ctx.config.flowsQueue?.sendBatch([
      { body: { chain_id: part.chain_id, from: rest.from, to: part.to } },
    ]);
  return report;
}
