import * as z from "zod";
import type { MessageQueue } from "../../config/cloudflare-bindings.ts";
import type { Context } from "../../context.ts";
import { describeError } from "../../lib/logger.ts";

/** Number of deposits per message. */
const ROWS_PER_MESSAGE = 8;
/** Maximum number of messages in one batch. Source: Cloudflare Queues, limits. */
const MAX_BATCH = 100;

/** Schema of a tracking message in the queue: a chain to read, or deposits and withdrawals that are due. */
export const FollowMessage = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("chain"),
    chain_id: z.int().positive(),
    /** True if the previous round left final blocks to be read. This one then runs without a pause. */
    goes_on: z.boolean().default(false),
  }),
  z.object({
    kind: z.literal("rows"),
    tracking_ids: z.array(z.string()).min(1).max(100),
    /**
     * End of the lease of the rows, or the time from which they are due if none leased them, in UNIX milliseconds. Rows
     * with another time are skipped.
     */
    lease: z.int().positive(),
  }),
]);
/** A parsed tracking message from the queue. */
export type FollowMessage = z.infer<typeof FollowMessage>;

/**
 * Returns the queue messages for deposits and withdrawals with the same `lease` (see `FollowMessage`), at most eight of
 * them per message.
 */
export function rowMessages(ids: readonly string[], lease: number): FollowMessage[] {
  const messages: FollowMessage[] = [];
  for (let at = 0; at < ids.length; at += ROWS_PER_MESSAGE)
    messages.push({ kind: "rows", tracking_ids: ids.slice(at, at + ROWS_PER_MESSAGE), lease });
  return messages;
}

/** Sends tracking messages to the queue, at most 100 at a time. Errors of the queue propagate. */
export async function sendFollowMessages(
  queue: MessageQueue,
  messages: readonly { body: FollowMessage; delaySeconds?: number }[],
): Promise<void> {
  for (let at = 0; at < messages.length; at += MAX_BATCH)
    await queue.sendBatch(messages.slice(at, at + MAX_BATCH));
}

/**
 * Queues a row with a reported transaction, so that it need not wait for the next round. `reportedAt` is the time from
 * which it is due. Does nothing without a queue; a failure of the queue is logged, not thrown.
 */
export async function queueReported(
  ctx: Context,
  { trackingId, reportedAt }: { trackingId: string; reportedAt: Date },
): Promise<void> {
  const queue = ctx.config.followingQueue;
  if (queue === null) return;
  const messages = rowMessages([trackingId], reportedAt.getTime()).map((body) => ({ body }));
  await sendFollowMessages(queue, messages).catch((error: unknown) => {
    ctx.log.warn("report_not_queued", { tracking_id: trackingId, error: describeError(error) });
  });
}
