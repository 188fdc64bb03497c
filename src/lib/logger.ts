/** Fields of a log line, apart from its level and event name. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Logger that writes one JSON line per event. Text fields are redacted as by `redact`. */
export interface Logger {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

/**
 * Matches credentials that an upstream error message may repeat: URLs, credentials of this API, bearer tokens and long
 * hex strings. Hashes and addresses with 0x stay readable, and ids of 32 digits.
 */
const SECRETS =
  /(?:https?|postgres(?:ql)?|rediss?):\/\/[^\s"']+|cw_(?:live|secret|session)_\w+|Bearer\s+\S+|0x[0-9a-f]{65,}|(?<![0-9a-f])(?<!0x)[0-9a-f]{40,}/gi;

/**
 * Replaces what may be a credential in a text with `[redacted]`: URLs of HTTP, Postgres and Redis, credentials of this
 * API, bearer tokens, and hex strings of at least 40 digits (after `0x`, 65). Cuts the text to 500 characters.
 */
export function redact(text: string): string {
  return text.replace(SECRETS, "[redacted]").slice(0, 500);
}

/**
 * Creates a logger that passes each event to `write` as one line of JSON. The fields in `base`, or those that it returns
 * for each line, are part of every line; an event's field of the same name replaces them. Text fields are redacted and
 * cut to 500 characters.
 */
export function createLogger(write: (line: string) => void, base: LogFields | (() => LogFields)): Logger {
  const emit = (level: string, event: string, fields: LogFields = {}): void => {
    const entry: Record<string, unknown> = { level, event };
    const shared = typeof base === "function" ? base() : base;
    for (const [key, value] of Object.entries({ ...shared, ...fields })) {
      entry[key] = typeof value === "string" ? redact(value) : value;
    }
    write(JSON.stringify(entry));
  };
  return {
    info: (event, fields) => emit("info", event, fields),
    warn: (event, fields) => emit("warn", event, fields),
    error: (event, fields) => emit("error", event, fields),
  };
}

/**
 * Returns the messages of an error and of up to three causes, joined by ` <- `, each cut to 200 characters; for any
 * other thrown value, its text. For logs only.
 */
export function describeError(error: unknown): string {
  const messages: string[] = [];
  for (let current = error; current instanceof Error && messages.length < 4; current = current.cause) {
    messages.push(current.message.replaceAll(/\s+/g, " ").slice(0, 200));
  }
  return messages.length > 0 ? messages.join(" <- ") : String(error);
}
