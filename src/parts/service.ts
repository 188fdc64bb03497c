import type { AnyRoute } from "../http/define-route.ts";
import { bridgesList } from "../routes/bridges.list.ts";
import { chainsList } from "../routes/chains.list.ts";
import { healthLive } from "../routes/health.live.ts";
import { healthReady } from "../routes/health.ready.ts";
import { tokensList } from "../routes/tokens.list.ts";

/** What the service says of itself. */
export const serviceRoutes: readonly AnyRoute[] = [
  chainsList,
  bridgesList,
  tokensList,
  healthLive,
  healthReady,
];
