import type { Context } from "../context.ts";
import { type IndexReport, indexChain } from "./index-chain.ts";

/** What one round over all chains did. */
export interface RoundReport {
  chains: number;
  failed: number;
  rows: number;
  /** Blocks that are still missing in vaults' histories. */
  missing: number;
}

/** Brings the flows of every chain up to its head, all at once; one that fails keeps no other from it. Never throws. */
export async function indexAll(ctx: Context): Promise<RoundReport> {
  const chainIds = [...ctx.chains.definitions.keys()];
  const settled = await Promise.allSettled(chainIds.map((chainId) => logged(ctx, chainId)));
  const done = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
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
