import { slice } from "viem";
import * as z from "zod";
import {
  createSetting,
  type HeadFees,
  readHeadFees,
  type SimulationSetting,
} from "../chains/simulator/simulation-setting.ts";
import type { Context } from "../context.ts";
import { MINUTE_MS } from "../lib/durations.ts";
import { describeError } from "../lib/logger.ts";

const HeadFeesSchema: z.ZodType<HeadFees> = z.object({
  gasPrice: z.bigint(),
  baseFee: z.bigint().nullable(),
  isRandom: z.boolean(),
});

/**
 * Returns a setting for the simulations of one proof or exit: the chain's fees, at most five minutes old or the last
 * known ones, and random values, so that a vault can hardly recognize the simulations. Null if no fees are known or the
 * chain is not served. Never throws.
 */
export async function readSimulationSetting(
  ctx: Context,
  chainId: number,
): Promise<SimulationSetting | null> {
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
    const reader = slice(`0x${ctx.randomId()}${ctx.randomId()}`, 0, 20);
    return createSetting(value, { random: `${ctx.randomId()}${ctx.randomId()}`, reader });
  } catch (error) {
    ctx.log.warn("fees_unreadable", { chain_id: chainId, error: describeError(error) });
    return null;
  }
}
