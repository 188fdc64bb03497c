import * as z from "zod";
import {
  createSetting,
  type HeadFees,
  readHeadFees,
  type SimulationSetting,
} from "../../chains/simulator/simulation-setting.ts";
import type { Context } from "../../context.ts";
import { MINUTE_MS } from "../../lib/durations.ts";
import { describeError } from "../../lib/logger.ts";
import { freshAccount } from "./proof-worth.ts";

const HeadFeesSchema: z.ZodType<HeadFees> = z.object({
  gasPrice: z.bigint(),
  baseFee: z.bigint().nullable(),
  isRandom: z.boolean(),
});

/**
 * Returns the setting for the simulations of one proof: the chain's fees, at most five minutes old or the last known
 * ones, and random values, so that a vault can hardly recognize the simulations. Null if no fees are known or the chain
 * is not served. Never throws.
 */
export async function readProofSetting(ctx: Context, chainId: number): Promise<SimulationSetting | null> {
  const client = ctx.chains.client(chainId);
  if (client === null) return null;
  try {
    const { value } = await ctx.cache.cached({
      key: `head-fees:${chainId}`,
      schema: HeadFeesSchema,
      sharing: "isolate",
      freshMs: 5 * MINUTE_MS,
      staleMs: 5 * MINUTE_MS,
      keepMs: null,
      load: () => readHeadFees(client),
    });
    return createSetting(value, { random: `${ctx.randomId()}${ctx.randomId()}`, reader: freshAccount(ctx) });
  } catch (error) {
    ctx.log.warn("fees_unreadable", { chain_id: chainId, error: describeError(error) });
    return null;
  }
}
