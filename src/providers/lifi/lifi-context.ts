import type { LifiClient } from "./api/lifi-client.ts";
import type { LifiDeployments } from "./lifi-deployments.ts";

/** The dependencies of every LI.FI operation. */
export interface LifiContext {
  client: LifiClient;
  deployments: LifiDeployments;
  /** Our integrator name, written into every transaction; at most 23 characters of `[A-Za-z0-9._-]`. */
  integrator: string;
}
