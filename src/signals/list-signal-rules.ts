import type { Rule } from "../schemas/signal-schema.ts";
import {
  capacityExhausted,
  capacityOpened,
  liquidityThin,
  paused,
  unpaused,
} from "./rules/availability-rules.ts";
import { controlChanged } from "./rules/control-change-rules.ts";
import { governanceChangeAnnounced, governanceChanged } from "./rules/governance-change-rule.ts";
import { largeDeposit, largeWithdrawal } from "./rules/large-flow-rules.ts";
import { netInflow, netOutflow } from "./rules/net-flow-rules.ts";
import { registryChanged, vaultAdded } from "./rules/registry-change-rules.ts";
import { apyBreak, sharePriceLoss } from "./rules/share-price-rules.ts";
import { priceStale } from "./rules/stale-price-rule.ts";
import { tvlJump } from "./rules/tvl-jump-rule.ts";
import type { SignalRule } from "./signal-finding.ts";

/** All signal rules, in the order in which `listRules` returns them. */
export const signalRules: readonly SignalRule[] = [
  largeDeposit,
  largeWithdrawal,
  netInflow,
  netOutflow,
  tvlJump,
  sharePriceLoss,
  apyBreak,
  priceStale,
  paused,
  unpaused,
  capacityExhausted,
  capacityOpened,
  liquidityThin,
  controlChanged,
  governanceChanged,
  governanceChangeAnnounced,
  vaultAdded,
  registryChanged,
];

/** Returns the public part of every signal rule: its texts, thresholds and their reasons. */
export function listRules(): Rule[] {
  return signalRules.map(({ rule_id, dimension, title, description, tiers, needs }) => ({
    rule_id,
    dimension,
    title,
    description,
    tiers,
    needs,
  }));
}
