import { RpcNumber } from "../chains/rpc-values.ts";
import type { Context } from "../context.ts";
import { type FlowTip, selectFlowTips } from "../db/queries/flows.ts";
import { describeError } from "../lib/log.ts";

/** How far a chain's flows are indexed, in blocks. Null: not known. */
export interface IndexState {
  chain_id: number;
  head: number | null;
  indexed: number | null;
  lag: number | null;
  /** The code that the last run ended with; null: it went well, or there was none. */
  error: string | null;
}

/** Tells for every chain how far its flows are indexed. Never throws. */
export async function checkIndexes(ctx: Context): Promise<IndexState[]> {
  const tips = await tipsOrNone(ctx);
  return Promise.all(
    [...ctx.chains.definitions.keys()].map(async (chainId) => {
      const tip = tips.find((one) => one.chainId === chainId);
      const head = await headOrNull(ctx, chainId);
      const indexed = tip?.headBlock ?? null;
      const lag = head === null || indexed === null ? null : Math.max(0, head - indexed);
      return { chain_id: chainId, head, indexed, lag, error: tip?.error ?? null };
    }),
  );
}

async function tipsOrNone(ctx: Context): Promise<FlowTip[]> {
  try {
    return await selectFlowTips(ctx.db);
  } catch (error) {
    ctx.log.warn("tips_unreadable", { error: describeError(error) });
    return [];
  }
}

/** Null: the chain does not answer; what is wrong with it, its own row of the dependencies says. */
async function headOrNull(ctx: Context, chainId: number): Promise<number | null> {
  try {
    return RpcNumber.parse(await ctx.chains.client(chainId)?.request("eth_blockNumber", []));
  } catch {
    return null;
  }
}
