import type { Context } from "../context.ts";
import type { LogFields } from "../lib/log.ts";

/** Work that a clock starts. */
export interface Job {
  name: string;
  /** How long nobody else starts it, milliseconds; it ends before. */
  lockMs: number;
  /** Does a bounded part of the work, and tells for the log what it did. */
  run(ctx: Context): Promise<LogFields>;
}
