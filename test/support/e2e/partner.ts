import { inject } from "vitest";
import type { Service } from "../../../scripts/stack/test-deployment.ts";

/** Returns the stack's API as partners and the administrator call it. `origin` may be that of another isolate. */
export function serviceAt(origin = inject("stack").api): Service {
  return {
    adminToken: inject("stack").admin_token,
    send: (path, init) => fetch(`${origin}${path}`, init),
  };
}

/** Returns the headers of a caller who has only the API key, without the secret. */
export const asKey = ({ api_key }: { api_key: string }) => ({ "x-api-key": api_key });
