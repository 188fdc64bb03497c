import {
  addedMember,
  changeEvent,
  formatShareUnits,
  type GovernanceEvent,
  newValue,
  oldToNewValue,
  removedMember,
} from "../../governance/governance-event.ts";

/** Formats a percentage in the contract's own unit, which the published ABIs do not define. */
const formatRawUnits = (value: unknown): string => `${value} (in the contract's own unit)`;

/**
 * Governance events that multi-asset and legacy vaults share. A pause of deposits alone raises no signal here, because
 * a view function shows it. Source: ABIs of npm `@augustdigital/sdk` 4.27.3.
 */
const sharedEvents: readonly GovernanceEvent[] = [
  changeEvent(
    ["entryPoint", "pause", "DepositWithdrawalStatusChanged(bool bDepositsPaused, bool bWithdrawalsPaused)"],
    {
      what: "withdrawal pause",
      describe: newValue("bWithdrawalsPaused"),
      seenByView: ({ bWithdrawalsPaused }) => bWithdrawalsPaused === false,
    },
  ),
  changeEvent(["entryPoint", "fee", "ManagementFeeUpdated(uint256 newManagementFeePercent)"], {
    what: "management fee",
    describe: newValue("newManagementFeePercent", formatRawUnits),
  }),
  changeEvent(["entryPoint", "price", "MaxChangePercentUpdated(uint256 newValue)"], {
    what: "maximum price change per update",
    describe: newValue("newValue", formatRawUnits),
  }),
];

/** Governance events of Upshift's multi-asset vaults. */
export const upshiftEvents: readonly GovernanceEvent[] = [
  ...sharedEvents,
  changeEvent(["entryPoint", "allow_list", "SendersWhitelistUpdated(address newWhitelistAddr)"], {
    what: "depositor whitelist",
    describe: newValue("newWhitelistAddr"),
  }),
  changeEvent(["entryPoint", "strategy", "SubAccountEnabled(address subAccountAddr)"], {
    what: "sub-accounts",
    describe: addedMember("subAccountAddr"),
    tier: "medium",
  }),
  changeEvent(["entryPoint", "strategy", "SubAccountDisabled(address subAccountAddr)"], {
    what: "sub-accounts",
    describe: removedMember("subAccountAddr"),
  }),
  changeEvent(["entryPoint", "pause", "OnEmergencyWithdraw(address receiverAddr)"], {
    what: "receiver of an emergency withdrawal",
    describe: newValue("receiverAddr"),
  }),
];

/** Governance events of Upshift's legacy vaults: lending pools and tokenized accounts. */
export const upshiftLegacyEvents: readonly GovernanceEvent[] = [
  ...sharedEvents,
  changeEvent(["entryPoint", "cap", "OnMaxSupplyChanged(uint256 prevValue, uint256 newValue)"], {
    what: "supply cap",
    describe: oldToNewValue(["prevValue", "newValue"], formatShareUnits),
  }),
  changeEvent(["entryPoint", "curator", "OperatorUpdated(address newAddr)"], {
    what: "operator",
    describe: newValue("newAddr"),
  }),
  changeEvent(
    [
      "entryPoint",
      "pause",
      "OnEmergencyWithdraw(uint256 withdrawalAmount, address tokenAddr, address destinationAddr)",
    ],
    { what: "receiver of an emergency withdrawal", describe: newValue("destinationAddr") },
  ),
];
