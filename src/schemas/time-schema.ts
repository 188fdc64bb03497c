import * as z from "zod";

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** A time of the request that may be relative: `at` tells it once now is known, `text` is what was written. */
export interface RequestedTime {
  text: string;
  at(nowMs: number): Date;
}

/**
 * Reads `<n>m|h|d|w` or an RFC 3339 time with its zone; null: neither. No time lies before 1970: there is nothing to be
 * told of, and a span that begins before year 1 is none to Postgres.
 */
export function parseRequestedTime(text: string): RequestedTime | null {
  const [, count, unit] = /^([1-9][0-9]{0,5})([mhdw])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) {
    const agoMs = Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
    return { text, at: (nowMs) => new Date(Math.max(0, nowMs - agoMs)) };
  }
  const parsed = z.iso.datetime({ offset: true }).safeParse(text);
  const time = Date.parse(text);
  if (!parsed.success || Number.isNaN(time)) return null;
  return { text, at: () => new Date(Math.max(0, time)) };
}

/** A time of a query: how long ago, or RFC 3339. */
export const TimeInput = z
  .string()
  .max(40)
  .transform((text, context): RequestedTime => {
    const since = parseRequestedTime(text);
    if (since !== null) return since;
    context.addIssue({ code: "custom", message: "must be <n>m, h, d or w, or an RFC 3339 time" });
    return z.NEVER;
  })
  .meta({
    type: "string",
    description: "RFC 3339 time, or how long ago: `90m`, `12h`, `30d`, `4w`.",
    example: "24h",
  });
