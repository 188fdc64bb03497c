import type { SignalRule } from "./finding.ts";
import {
  capacityExhausted,
  capacityOpened,
  controlChanged,
  liquidityThin,
  paused,
  registryChanged,
  unpaused,
  vaultAdded,
} from "./rules/change.ts";
import { largeDeposit, largeWithdrawal } from "./rules/large-flow.ts";
import { netInflow, netOutflow } from "./rules/net-flow.ts";
import { tvlJump } from "./rules/tvl-jump.ts";
import { apyBreak, priceStale, sharePriceLoss } from "./rules/value.ts";

/** Every rule, in the order in which they are listed. */
export const rules: readonly SignalRule[] = [
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
  vaultAdded,
  registryChanged,
];
