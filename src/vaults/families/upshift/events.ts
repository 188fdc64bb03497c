import {
  changeEvent,
  type GovernanceEvent,
  newValue,
  oldToNewValue,
} from "../../governance/governance-event.ts";

/** Deposits' pause has a view. Source: npm `@augustdigital/sdk` 4.27.3, its ABIs. */
const sharedEvents: readonly GovernanceEvent[] = [
  changeEvent(
    ["entryPoint", "pause", "DepositWithdrawalStatusChanged(bool bDepositsPaused, bool bWithdrawalsPaused)"],
    {
      what: "pause of withdrawals",
      words: newValue("bWithdrawalsPaused"),
      seenByView: ({ bWithdrawalsPaused }) => bWithdrawalsPaused === false,
    },
  ),
  changeEvent(["entryPoint", "fee", "ManagementFeeUpdated(uint256 newManagementFeePercent)"], {
    what: "management fee, as the contract counts it,",
    words: newValue("newManagementFeePercent"),
  }),
  changeEvent(["entryPoint", "price", "MaxChangePercentUpdated(uint256 newValue)"], {
    what: "most by which the price may change at once, as the contract counts it,",
    words: newValue("newValue"),
  }),
];

/** Vaults of several assets. */
export const upshiftEvents: readonly GovernanceEvent[] = [
  ...sharedEvents,
  changeEvent(["entryPoint", "allow_list", "SendersWhitelistUpdated(address newWhitelistAddr)"], {
    what: "list of those who may deposit",
    words: newValue("newWhitelistAddr"),
  }),
  changeEvent(["entryPoint", "strategy", "SubAccountEnabled(address subAccountAddr)"], {
    what: "set of places where money may go, to which one was added,",
    words: newValue("subAccountAddr"),
    tier: "medium",
  }),
  changeEvent(["entryPoint", "strategy", "SubAccountDisabled(address subAccountAddr)"], {
    what: "set of places where money may go, from which one was taken,",
    words: newValue("subAccountAddr"),
  }),
  changeEvent(["entryPoint", "pause", "OnEmergencyWithdraw(address receiverAddr)"], {
    what: "receiver of what was taken out in an emergency",
    words: newValue("receiverAddr"),
  }),
];

/** Lending pools and tokenized accounts. */
export const upshiftLegacyEvents: readonly GovernanceEvent[] = [
  ...sharedEvents,
  changeEvent(["entryPoint", "cap", "OnMaxSupplyChanged(uint256 prevValue, uint256 newValue)"], {
    what: "cap of the supply, in shares,",
    words: oldToNewValue(["prevValue", "newValue"]),
  }),
  changeEvent(["entryPoint", "curator", "OperatorUpdated(address newAddr)"], {
    what: "operator",
    words: newValue("newAddr"),
  }),
  changeEvent(
    [
      "entryPoint",
      "pause",
      "OnEmergencyWithdraw(uint256 withdrawalAmount, address tokenAddr, address destinationAddr)",
    ],
    { what: "receiver of what was taken out in an emergency", words: newValue("destinationAddr") },
  ),
];
