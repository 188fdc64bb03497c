import {
  addedMember,
  changeEvent,
  formatAssetUnits,
  formatBps,
  type GovernanceEvent,
  newValue,
} from "../governance/governance-event.ts";
import type { VaultFamily } from "../vault-adapter.ts";
import { familyErrors } from "../vault-reverts.ts";
import { defineErc4626 } from "./erc4626/erc4626-adapter.ts";
import { erc4626Deriver } from "./erc4626/erc4626-derivation.ts";

/**
 * Adapter of Gearbox v3 lending pools: ERC-4626 without virtual shares and with a pause. Source: gearbox core-v3,
 * PoolV3.
 */
export const gearbox = defineErc4626({
  name: "gearbox",
  pausable: true,
  ratio: true,
  explain: familyErrors({ errors: { "error AmountCantBeZeroException()": "zero_shares" } }),
});

/** Governance events of Gearbox's lending pools. Source: gearbox core-v3. */
const gearboxEvents: readonly GovernanceEvent[] = [
  changeEvent(["address", "fee", "SetWithdrawFee(uint256 fee)"], {
    what: "withdrawal fee",
    describe: newValue("fee", formatBps),
  }),
  changeEvent(["address", "cap", "SetTotalDebtLimit(uint256 limit)"], {
    what: "total debt limit",
    describe: newValue("limit", formatAssetUnits),
  }),
  changeEvent(["address", "strategy", "SetInterestRateModel(address indexed newInterestRateModel)"], {
    what: "interest rate model",
    describe: newValue("newInterestRateModel"),
    tier: "medium",
  }),
  changeEvent(["address", "strategy", "AddCreditManager(address indexed creditManager)"], {
    what: "credit managers",
    describe: addedMember("creditManager"),
    tier: "medium",
  }),
];

/** Vault family of Gearbox's lending pools: its adapter, deriver and governance events. */
export const gearboxFamily: VaultFamily = {
  adapter: gearbox,
  type: "custom",
  deriver: erc4626Deriver(),
  governanceEvents: gearboxEvents,
};
