import type { SignalRule } from "./finding.ts";
import { capacityExhausted, capacityOpened, liquidityThin, paused, unpaused } from "./rules/change.ts";
import { controlChanged } from "./rules/control.ts";
import { largeDeposit, largeWithdrawal } from "./rules/large-flow.ts";
import { netInflow, netOutflow } from "./rules/net-flow.ts";
import { registryChanged, vaultAdded } from "./rules/registry.ts";
import { changeAnnounced, changeTold } from "./rules/told-change.ts";
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
  changeTold,
  changeAnnounced,
  vaultAdded,
  registryChanged,
];
