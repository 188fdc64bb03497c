import type { Context } from "../context.ts";
import { selectFlowTips } from "../db/queries/flows.ts";
import { selectVaults } from "../db/queries/vaults.ts";
import { workInLanes } from "../lib/lanes.ts";
import { describeError } from "../lib/log.ts";
import { vaultOrNone } from "../vaults/registry.ts";
import { type WatchReport, watchControls } from "./watch-controls.ts";

/** What one round over all chains did. */
export interface WatchRound {
  chains: number;
  failed: number;
  events: number;
  /** Final blocks that were not read yet, of all chains. */
  behind: number;
}

/**
 * Watches every chain that is followed, some at once, those whose index failed a few at a time; one that fails keeps no
 * other from it, and goes on where it was.
 * Throws `store_unavailable`.
 */
export async function watchAll(ctx: Context): Promise<WatchRound> {
  const tips = (await selectFlowTips(ctx.db)).filter(({ chainId }) => ctx.chains.definitions.has(chainId));
  const vaults = (await selectVaults(ctx.db)).flatMap((row) => vaultOrNone(ctx, row));
  const reports = await workInLanes(tips, {
    doubtful: ({ error }) => error !== null,
    work: async (tip): Promise<WatchReport | null> => {
      try {
        const own = vaults.filter(({ chainId }) => chainId === tip.chainId);
        return await watchControls(ctx, { tip, vaults: own });
      } catch (error) {
        ctx.log.warn("controls_failed", { chain_id: tip.chainId, error: describeError(error) });
        return null;
      }
    },
  });
  const done = reports.flatMap((report) => report ?? []);
  return {
    chains: tips.length,
    failed: tips.length - done.length,
    events: done.reduce((sum, { events }) => sum + events, 0),
    behind: done.reduce((sum, { behind }) => sum + behind, 0),
  };
}
