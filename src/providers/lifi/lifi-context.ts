import type { LifiClient } from "./api/lifi-client.ts";
import type { LifiDeployments } from "./deployments.ts";

/** What every operation of this provider needs. */
export interface LifiContext {
  client: LifiClient;
  deployments: LifiDeployments;
  /** Written into every transaction; at most 23 of `[A-Za-z0-9._-]`. */
  integrator: string;
}
