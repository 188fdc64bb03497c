import type { Context } from "../context.ts";
import { selectFailingChains } from "../db/queries/flows.ts";
import { workInLanes } from "../lib/lanes.ts";
import { type IndexReport, indexChain } from "./index-chain.ts";

/** What one round over all chains did. */
export interface RoundReport {
  chains: number;
  failed: number;
  rows: number;
  /** Blocks that are still missing in vaults' histories. */
  missing: number;
}

/**
 * Brings the flows of every chain up to its head, some at once, those whose last run failed a few at a time; one that
 * fails or hangs keeps no other from it. Never throws.
 */
export async function indexAll(ctx: Context): Promise<RoundReport> {
  const chainIds = [...ctx.chains.definitions.keys()];
  // When nobody can tell, none is.
  const failing = await selectFailingChains(ctx.db).catch(() => new Set<number>());
  const reports = await workInLanes(chainIds, {
    doubtful: (chainId) => failing.has(chainId),
    // What went wrong is noted and logged where it did.
    work: (chainId) => logged(ctx, chainId).catch(() => null),
  });
  const done = reports.flatMap((report) => report ?? []);
  const sum = (of: (report: IndexReport) => number): number =>
    done.reduce((total, report) => total + of(report), 0);
  return {
    chains: chainIds.length,
    failed: chainIds.length - done.length,
    rows: sum(({ rows }) => rows),
    missing: sum(({ missing }) => missing),
  };
}

async function logged(ctx: Context, chainId: number): Promise<IndexReport> {
  const startedAt = ctx.now();
  const report = await indexChain(ctx, chainId);
  ctx.log.info("flows_indexed", { chain_id: chainId, ms: ctx.now() - startedAt, ...report });
  return report;
}
