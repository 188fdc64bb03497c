import type { Context } from "./context.ts";
import { backfillFlows } from "./jobs/flows.ts";
import { describeError } from "./lib/log.ts";

/** What is used of a batch of messages. */
export interface Batch {
  readonly queue: string;
  readonly messages: readonly Message[];
}

interface Message {
  readonly body: unknown;
  ack(): void;
  retry(): void;
}

/** Messages that failed too often end in a queue of this name. */
const DEAD = /-dead$/;

/**
 * Does the work that messages name, each on its own and with one line in the log; what fails is delivered again.
 * Dead letters are only logged: the next round over the chain hands their work out anew. Never throws.
 */
export async function handleMessages(batch: Batch, makeContext: () => Context): Promise<void> {
  for (const message of batch.messages) {
    const ctx = makeContext();
    if (DEAD.test(batch.queue)) {
      ctx.log.error("dead_letter", { queue: batch.queue, body: JSON.stringify(message.body) });
      message.ack();
    } else await handle(ctx, message);
  }
}

async function handle(ctx: Context, message: Message): Promise<void> {
  const startedAt = ctx.now();
  const line = () => ({ job: "backfill_flows", ms: ctx.now() - startedAt });
  try {
    const done = await backfillFlows(ctx, message.body);
    ctx.log.info("job", { ...line(), ok: true, ...done });
    message.ack();
  } catch (error) {
    ctx.log.error("job", { ...line(), ok: false, error: describeError(error) });
    message.retry();
  }
}
