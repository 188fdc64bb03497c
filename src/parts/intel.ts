import type { AnyRoute } from "../http/define-route.ts";
import { intelActivity } from "../routes/intel.activity.ts";
import { intelFeed } from "../routes/intel.feed.ts";
import { intelHigh } from "../routes/intel.high.ts";
import { intelNotable } from "../routes/intel.notable.ts";
import { intelRules } from "../routes/intel.rules.ts";
import { intelSignalsGet } from "../routes/intel.signals.get.ts";

/** What happens to vaults and their money. */
export const intelRoutes: readonly AnyRoute[] = [
  intelNotable,
  intelHigh,
  intelActivity,
  intelFeed,
  intelRules,
  intelSignalsGet,
];
