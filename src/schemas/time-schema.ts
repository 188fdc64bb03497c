import * as z from "zod";

/** Length of the units of relative times, in milliseconds. */
const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/**
 * A time in a request, absolute or relative to now. `text` is the time as requested; `at` returns it for the current
 * time in UNIX milliseconds.
 */
export interface RequestedTime {
  text: string;
  at(nowMs: number): Date;
}

/**
 * Parses a time in a request: an age such as `90m`, `12h`, `30d` or `4w`, or an RFC 3339 time with its time zone.
 * Returns null for any other text. Times before 1970 become 1970.
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

/** Start and end of a requested period; each may be absent. */
export interface RequestedPeriod {
  from?: RequestedTime | undefined;
  to?: RequestedTime | undefined;
}

/** Adds an issue to `from` if a period has both ends and starts after it ends. For `superRefine`. */
export function refuseReversedPeriod({ from, to }: RequestedPeriod, context: z.RefinementCtx): void {
  const now = Date.now();
  if (from !== undefined && to !== undefined && from.at(now) > to.at(now))
    context.addIssue({ code: "custom", path: ["from"], message: "must not be after `to`" });
}

/** Returns why a text is not a time, and what to send instead. */
function explainTime(text: string): string {
  const rule = "must be <n>m, h, d or w, or an RFC 3339 time such as 2026-11-01T00:00:00Z";
  return /T.* \d\d:\d\d$/.test(text) ? `${rule}: write the + of an offset as %2B` : rule;
}

/** A time in a query string, at most 40 characters: an RFC 3339 time, or an age such as `24h`. */
export const TimeInput = z
  .string()
  .max(40)
  .transform((text, context): RequestedTime => {
    const since = parseRequestedTime(text);
    if (since !== null) return since;
    context.addIssue({ code: "custom", message: explainTime(text) });
    return z.NEVER;
  })
  .meta({
    type: "string",
    description: "RFC 3339 time, or an age such as `90m`, `12h`, `30d` or `4w`.",
    example: "24h",
  });
