/** A request of the parent. */
interface ParentRequest {
  id: number;
  name: string;
  input: unknown;
}
/** A response to the parent. */
export type ChildAnswer = { id: number; output: unknown } | { id: number; problem: string };

/** Handlers by request name; the input is the parent's. */
export type Handlers = Record<string, (input: never) => Promise<unknown>>;

/**
 * Handles the parent's requests until the parent closes the channel or ends; then runs `close` and exits. Ignores the
 * terminal's signals, which the parent handles.
 */
export function serveParent(handlers: Handlers, close: () => Promise<void>): void {
  process.on("message", (ask: ParentRequest) => {
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

async function answer(handlers: Handlers, { id, name, input }: ParentRequest): Promise<ChildAnswer> {
  try {
    const handler = handlers[name];
    if (handler === undefined) throw new Error(`nothing answers ${name}`);
    return { id, output: await handler(input as never) };
  } catch (error) {
    console.error(error);
    return { id, problem: error instanceof Error ? error.message : String(error) };
  }
}
