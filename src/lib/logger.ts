/** Fields of a log line besides level and event. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Writes one JSON line per event. Event names are stable: alerts search for them. */
export interface Logger {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

/**
 * Credentials that an upstream's message may repeat: URLs with paths or user parts, our keys and tokens, and long
 * hexadecimal digits (tokens and digests of 40 digits or more, signatures longer than a hash). Hashes and addresses
 * with 0x and our ids of 32 digits stay readable.
 */
const SECRETS =
  /(?:https?|postgres(?:ql)?|rediss?):\/\/[^\s"']+|cw_(?:live|secret|session)_\w+|Bearer\s+\S+|0x[0-9a-f]{65,}|(?<![0-9a-f])(?<!0x)[0-9a-f]{40,}/gi;

/** Replaces everything in a text that could be a credential, and cuts it to the length of a log line. */
export function redact(text: string): string {
  return text.replace(SECRETS, "[redacted]").slice(0, 500);
}

/** Creates a logger that writes JSON lines through `write`; texts are redacted first. */
export function createLogger(write: (line: string) => void, base: LogFields): Logger {
  const emit = (level: string, event: string, fields: LogFields = {}): void => {
    const entry: Record<string, unknown> = { level, event };
    for (const [key, value] of Object.entries({ ...base, ...fields })) {
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

/** Returns the messages of an error and its causes for a log line; never part of an answer. */
export function describeError(error: unknown): string {
  const messages: string[] = [];
  for (let current = error; current instanceof Error && messages.length < 4; current = current.cause) {
    messages.push(current.message.replaceAll(/\s+/g, " ").slice(0, 200));
  }
  return messages.length > 0 ? messages.join(" <- ") : String(error);
}
