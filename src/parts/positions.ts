import type { AnyRoute } from "../http/define-route.ts";
import { positionsGet } from "../routes/positions.get.ts";

/** What a user holds. */
export const positionRoutes: readonly AnyRoute[] = [positionsGet];
