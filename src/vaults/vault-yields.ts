import * as z from "zod";
import type { Context } from "../context.ts";
import { type PricePoint, selectPricePoints } from "../db/queries/snapshot-queries.ts";
import { DAY_MS, DAY_S, HOUR_MS, MINUTE_MS } from "../lib/durations.ts";
import { describeError } from "../lib/logger.ts";
import { formatVaultId } from "../lib/vault-id.ts";
import { annualizedGrowth } from "./vault-growth-rate.ts";

/** Schema of a vault's cached yields. */
const YieldsSchema = z.object({
  apy_1d: z.number().nullable(),
  apy_7d: z.number().nullable(),
  apy_30d: z.number().nullable(),
});
/**
 * A vault's realized annual yields over the last 1, 7 and 30 days, as fractions (0.05 = 5%). Null if unknown, for
 * example without a snapshot of about that age or of the last two hours.
 */
export type Yields = z.infer<typeof YieldsSchema>;
const YieldsByVault = z.record(z.string(), YieldsSchema);
/** Yields of a vault without snapshots: all null. */
export const noYields: Yields = { apy_1d: null, apy_7d: null, apy_30d: null };

/** Ages of the snapshots that are compared, in seconds: now, 1, 7 and 30 days ago. */
const AGES = [0, DAY_S, 7 * DAY_S, 30 * DAY_S] as const;

/**
 * Returns the realized annual yields of vaults by vault id, at most an hour old or, if the database cannot be read, a
 * day; empty if there are none so recent. A vault may be missing. Never throws.
 */
export async function readYields(ctx: Context): Promise<Readonly<Record<string, Yields>>> {
  try {
    const { value } = await ctx.cache.cached({
      key: "yields",
      schema: YieldsByVault,
      freshMs: 2 * MINUTE_MS,
      staleMs: HOUR_MS,
      keepMs: DAY_MS,
      load: async () => toYields(await selectPricePoints(ctx.db, { now: new Date(ctx.now()), ages: AGES })),
    });
    return value;
  } catch (error) {
    ctx.log.warn("yields_unreadable", { error: describeError(error) });
    return {};
  }
}

function toYields(points: readonly PricePoint[]): Record<string, Yields> {
  const byVault = new Map<string, Map<number, PricePoint>>();
  for (const point of points) {
    const vaultId = formatVaultId({ chainId: point.chainId, address: point.vaultAddress });
    byVault.set(vaultId, (byVault.get(vaultId) ?? new Map()).set(point.age, point));
  }
  return Object.fromEntries(
    [...byVault].map(([vaultId, ages]) => {
      const over = (age: number): number | null => annualRate(ages.get(age), ages.get(0));
      return [vaultId, { apy_1d: over(AGES[1]), apy_7d: over(AGES[2]), apy_30d: over(AGES[3]) }];
    }),
  );
}

function annualRate(before: PricePoint | undefined, now: PricePoint | undefined): number | null {
  if (before === undefined || now === undefined) return null;
  const seconds = now.seconds - before.seconds;
  return annualizedGrowth({ before: before.sharePrice, after: now.sharePrice, seconds });
}
