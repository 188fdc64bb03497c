/** What the parent sends and the child answers. */
interface Ask {
  id: number;
  name: string;
  input: unknown;
}
export type Answer = { id: number; output: unknown } | { id: number; problem: string };

/** Answers one kind of question; the input is what the parent gave. */
export type Handlers = Record<string, (input: never) => Promise<unknown>>;

/**
 * Makes this process answer its parent until the parent lets go of it, closes or dies; then `close` runs and
 * the process ends. Signals of the terminal are the parent's business.
 */
export function serveParent(handlers: Handlers, close: () => Promise<void>): void {
  process.on("message", (ask: Ask) => {
    void answer(handlers, ask).then((reply) => {
      if (process.connected) process.send?.(reply);
    });
  });
  let closing = false;
  const end = () => {
    if (closing) return;
    closing = true;
    close()
      .catch((error: unknown) => console.error(error))
      .finally(() => process.exit(0));
  };
  process.on("disconnect", end);
  process.on("SIGTERM", end);
  process.on("SIGINT", () => undefined);
}

async function answer(handlers: Handlers, { id, name, input }: Ask): Promise<Answer> {
  try {
    const handler = handlers[name];
    if (handler === undefined) throw new Error(`nothing answers ${name}`);
    return { id, output: await handler(input as never) };
  } catch (error) {
    console.error(error);
    return { id, problem: error instanceof Error ? error.message : String(error) };
  }
}
