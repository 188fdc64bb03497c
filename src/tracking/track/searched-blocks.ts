import * as z from "zod";
import type { Context } from "../../context.ts";
import { checkSoon } from "../../db/queries/deposit-schedule-queries.ts";
import type { BlockSet } from "../../lib/block-ranges.ts";
import { DAY_MS, MINUTE_MS } from "../../lib/durations.ts";
import { describeError } from "../../lib/logger.ts";

/** How long the searched blocks are remembered, in milliseconds: as long as a request is followed. */
const REMEMBERED_MS = 31 * DAY_MS;

const SearchedBlocks = z.array(z.object({ from: z.int(), to: z.int() }));

/**
 * Returns the blocks that earlier searches with a key have read. What Redis has forgotten, or does not answer, is
 * searched once more. Never throws.
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
 * Remembers all the blocks that searches with a key have read. If blocks are left, `trackingId` is the row that is made
 * due again in a minute, otherwise null. Throws `store_unavailable`.
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
