import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A message in a queue. */
export interface Message {
  queue: string;
  body: unknown;
  tries: number;
  /** Time in unix milliseconds before which the message is not delivered. */
  dueAt: number;
}

/** Fields of a message for a round on a chain. */
export interface RoundBody {
  kind?: string;
  chain_id?: number;
  goes_on?: boolean;
}

/** Returns the chain of a message for a round that pauses after another one; null for any other message. */
export function roundOf({ body }: Message): number | null {
  const { kind, chain_id: chainId, goes_on: goesOn } = body as RoundBody;
  return kind === "chain" && goesOn === false ? (chainId ?? null) : null;
}

/** The queues in wrangler.toml with the names of their bindings. */
export const queueBindings = [
  ...readFileSync(join(import.meta.dirname, "../../../wrangler.toml"), "utf8").matchAll(
    /^\[\[queues\.producers\]\]\nbinding = "(\w+)"\nqueue = "([\w-]+)"/gm,
  ),
].map(([, binding = "", queue = ""]) => ({ binding, queue }));
