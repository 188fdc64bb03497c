import type { Context } from "../context.ts";
import type { CountedRequest } from "../partners/count-request.ts";

/** What a request carries through the app. */
export interface AppEnv {
  Bindings: Record<string, unknown>;
  Variables: {
    ctx: Context;
    requestId: string;
    /** How the request was counted; undefined for one that is not. */
    counted: CountedRequest | undefined;
    /** Whether the answer keeps to itself where its time went. */
    timingHidden: true | undefined;
  };
}
