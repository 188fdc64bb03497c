import type { Context } from "../context.ts";
import type { CountedRequest } from "../partners/count-rate-limit.ts";

/**
 * Types of the hono app: the Worker's bindings, and the variables that middlewares set on a request. `ctx` has an
 * anonymous actor; the handler gets the context of the admitted caller.
 */
export interface AppEnv {
  Bindings: Record<string, unknown>;
  Variables: {
    ctx: Context;
    /** Returns the request's id, which is made by the first call. */
    requestId: () => string;
    /**
     * Results of counting the request against rate limits: all that admitted it, or only the one that it exceeds.
     * Undefined if it was not counted, or counted only as a possible replay.
     */
    counted: readonly CountedRequest[] | undefined;
    /** True if the request has credentials of any kind, or undefined if they were not read yet. */
    hasCredentials: boolean | undefined;
    /** True if shared caches may store the response, or undefined if that was not determined yet. */
    isCacheable: boolean | undefined;
    /** True if the response was made with `PUBLIC_HEADERS`, and may be stored by shared caches. */
    hasPublicHeaders: true | undefined;
    /** Text of the request's body, or undefined if none was read. */
    bodyText: string | undefined;
    /** True if the response must not have a `Server-Timing` header. */
    timingHidden: true | undefined;
    /** True if the response must not have CORS headers. */
    sameOriginOnly: true | undefined;
  };
}
