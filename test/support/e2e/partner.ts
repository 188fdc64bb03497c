import { inject } from "vitest";
import type { Service } from "../../../scripts/stack/test-deployment.ts";

/** The stack's API as partners and its administrator call it; `origin` is that of another isolate. */
export function serviceAt(origin = inject("stack").api): Service {
  return {
    adminToken: inject("stack").admin_token,
    send: (path, init) => fetch(`${origin}${path}`, init),
  };
}

/** Headers of a caller who has the key alone. */
export const asKey = ({ api_key }: { api_key: string }) => ({ "x-api-key": api_key });
