import {
  addedMember,
  changeEvent,
  formatShareUnits,
  type GovernanceEvent,
  newValue,
  oldToNewValue,
  removedMember,
} from "../../governance/governance-event.ts";

/** Formats a percentage whose unit the published ABIs do not define. */
const formatRawUnits = (value: unknown): string => `${value} (in the contract's own unit)`;

/** Events of both generations. The deposit pause has a view. Source: npm `@augustdigital/sdk` 4.27.3, its ABIs. */
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

/** Governance events of multi-asset vaults. */
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

/** Governance events of lending pools and tokenized accounts. */
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
