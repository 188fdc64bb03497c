export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Logger {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

/**
 * Credentials that an upstream's message may repeat: URLs with their paths and user parts, our keys and tokens, and
 * long hexadecimal digits: tokens and digests of forty or more, signatures of more than a hash has. Hashes and
 * addresses, which begin with 0x, and our ids of 32 digits are what a log is read for.
 */
const SECRETS =
  /(?:https?|postgres(?:ql)?|rediss?):\/\/[^\s"']+|cw_(?:live|secret|session)_\w+|Bearer\s+\S+|0x[0-9a-f]{65,}|(?<![0-9a-f])(?<!0x)[0-9a-f]{40,}/gi;

/** Takes out of a text whatever could be a credential, and cuts it to a log line's length. */
export function redact(text: string): string {
  return text.replace(SECRETS, "[redacted]").slice(0, 500);
}

/** One JSON line per event, written through `write`; texts are redacted before they leave. */
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

/** The chain of messages behind an error, for a log line; never for an answer. */
export function describeError(error: unknown): string {
  const messages: string[] = [];
  for (let current = error; current instanceof Error && messages.length < 4; current = current.cause) {
    messages.push(current.message.replaceAll(/\s+/g, " ").slice(0, 200));
  }
  return messages.length > 0 ? messages.join(" <- ") : String(error);
}
