import type { Context } from "../context.ts";
import type { CountedRequest } from "../partners/count-rate-limit.ts";

/** Hono environment: bindings, and the variables of one request. */
export interface AppEnv {
  Bindings: Record<string, unknown>;
  Variables: {
    ctx: Context;
    requestId: string;
    /** The outcome of rate limiting; undefined for requests without a limit. */
    counted: CountedRequest | undefined;
    /** True when the response must not have a Server-Timing header. */
    timingHidden: true | undefined;
  };
}
