import type { LifiClient } from "./api/lifi-client.ts";
import type { LifiDeployments } from "./lifi-deployments.ts";

/** The dependencies of every LI.FI operation: API client, deployments and integrator name. */
export interface LifiContext {
  client: LifiClient;
  deployments: LifiDeployments;
  /**
   * The integrator name that is sent to LI.FI and written into calldata: 1 to 23 characters of
   * `[A-Za-z0-9._-]`.
   */
  integrator: string;
}
