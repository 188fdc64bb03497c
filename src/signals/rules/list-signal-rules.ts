import type { Rule } from "../../schemas/signal-schema.ts";
import type { SignalRule } from "../signal-finding.ts";
import { capacityExhausted, capacityOpened, liquidityThin, paused, unpaused } from "./availability-rules.ts";
import { controlChanged } from "./control-change-rules.ts";
import { governanceChangeAnnounced, governanceChanged } from "./governance-change-rule.ts";
import { largeDeposit, largeWithdrawal } from "./large-flow-rules.ts";
import { netInflow, netOutflow } from "./net-flow-rules.ts";
import { registryChanged, vaultAdded } from "./registry-change-rules.ts";
import { apyBreak, sharePriceLoss } from "./share-price-rules.ts";
import { priceStale } from "./stale-price-rule.ts";
import { tvlJump } from "./tvl-jump-rule.ts";

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
