import type { Hex } from "viem";
import * as z from "zod";
import type { Context } from "../context.ts";
import { checkSoon } from "../db/queries/deposit-schedule-queries.ts";
import type { BlockSet } from "../lib/block-ranges.ts";
import { DAY_MS, MINUTE_MS } from "../lib/durations.ts";
import { describeError } from "../lib/logger.ts";
import { once } from "../lib/once.ts";

/** Time for which searched blocks are remembered, in milliseconds: about as long as an open request is tracked. */
const REMEMBERED_MS = 31 * DAY_MS;

const SearchedBlocks = z.array(z.object({ from: z.int(), to: z.int() }));

/**
 * Returns the blocks, or the log positions, that earlier searches with this key have remembered. Empty if there are
 * none or they cannot be read (which is logged). Never throws.
 */
export async function readSearchedBlocks(ctx: Context, key: string): Promise<BlockSet> {
  try {
    const text = await ctx.redis.get(key);
    return text === null ? [] : SearchedBlocks.parse(JSON.parse(text));
  } catch (error) {
    ctx.log.warn("searched_blocks_unread", { error: describeError(error) });
    return [];
  }
}

/**
 * Stores in Redis, for 31 days, the blocks or log positions that searches with this key need not read again, and moves
 * a scheduled check of the row `trackingId`, if not null, to a minute from now. If Redis fails, only logs it. Throws
 * `store_unavailable`.
 */
export async function rememberSearch(
  ctx: Context,
  search: { key: string; covered: BlockSet; trackingId: string | null },
): Promise<void> {
  const { key, covered, trackingId } = search;
  try {
    await ctx.redis.set(key, JSON.stringify(covered), REMEMBERED_MS);
  } catch (error) {
    ctx.log.warn("searched_blocks_unkept", { error: describeError(error) });
    return;
  }
  if (trackingId !== null) await checkSoon(ctx.db, { trackingId, at: new Date(ctx.now() + MINUTE_MS) });
}

/** Maximum number of transactions that are kept for one request. */
const MAX_KEPT = 40;

const keptHashes = once(() => z.array(z.templateLiteral(["0x", z.string()])));

/**
 * Returns the hashes of transactions that earlier checks have kept under this key. Empty if there are none or they
 * cannot be read (which is logged). Never throws.
 */
export async function readKeptTransactions(ctx: Context, key: string): Promise<Hex[]> {
  try {
    const text = await ctx.redis.get(key);
    return text === null ? [] : keptHashes().parse(JSON.parse(text));
  } catch (error) {
    ctx.log.warn("kept_transactions_unread", { error: describeError(error) });
    return [];
  }
}

/**
 * Stores in Redis, for 31 days, the hashes of up to 40 transactions that later checks of a request without a row must
 * read again. Returns false if they are more or Redis fails (which is logged). Never throws.
 */
export async function keepTransactions(
  ctx: Context,
  { key, hashes }: { key: string; hashes: readonly Hex[] },
): Promise<boolean> {
  if (hashes.length > MAX_KEPT) return false;
  try {
    await ctx.redis.set(key, JSON.stringify(hashes), REMEMBERED_MS);
    return true;
  } catch (error) {
    ctx.log.warn("transactions_unkept", { error: describeError(error) });
    return false;
  }
}
