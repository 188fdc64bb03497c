import { type ControlEvent, done, fromTo, to } from "./event.ts";

/** Deposits' pause has a view. Source: npm `@augustdigital/sdk` 4.27.3, its ABIs. */
const shared: readonly ControlEvent[] = [
  done(
    ["entryPoint", "pause", "DepositWithdrawalStatusChanged(bool bDepositsPaused, bool bWithdrawalsPaused)"],
    {
      what: "pause of withdrawals",
      words: to("bWithdrawalsPaused"),
      seenByView: ({ bWithdrawalsPaused }) => bWithdrawalsPaused === false,
    },
  ),
  done(["entryPoint", "fee", "ManagementFeeUpdated(uint256 newManagementFeePercent)"], {
    what: "management fee, as the contract counts it,",
    words: to("newManagementFeePercent"),
  }),
  done(["entryPoint", "price", "MaxChangePercentUpdated(uint256 newValue)"], {
    what: "most by which the price may change at once, as the contract counts it,",
    words: to("newValue"),
  }),
];

/** Vaults of several assets. */
export const upshiftEvents: readonly ControlEvent[] = [
  ...shared,
  done(["entryPoint", "allow_list", "SendersWhitelistUpdated(address newWhitelistAddr)"], {
    what: "list of those who may deposit",
    words: to("newWhitelistAddr"),
  }),
  done(["entryPoint", "strategy", "SubAccountEnabled(address subAccountAddr)"], {
    what: "set of places where money may go, to which one was added,",
    words: to("subAccountAddr"),
    tier: "medium",
  }),
  done(["entryPoint", "strategy", "SubAccountDisabled(address subAccountAddr)"], {
    what: "set of places where money may go, from which one was taken,",
    words: to("subAccountAddr"),
  }),
  done(["entryPoint", "pause", "OnEmergencyWithdraw(address receiverAddr)"], {
    what: "receiver of what was taken out in an emergency",
    words: to("receiverAddr"),
  }),
];

/** Lending pools and tokenized accounts. */
export const upshiftLegacyEvents: readonly ControlEvent[] = [
  ...shared,
  done(["entryPoint", "cap", "OnMaxSupplyChanged(uint256 prevValue, uint256 newValue)"], {
    what: "cap of the supply, in shares,",
    words: fromTo(["prevValue", "newValue"]),
  }),
  done(["entryPoint", "curator", "OperatorUpdated(address newAddr)"], {
    what: "operator",
    words: to("newAddr"),
  }),
  done(
    [
      "entryPoint",
      "pause",
      "OnEmergencyWithdraw(uint256 withdrawalAmount, address tokenAddr, address destinationAddr)",
    ],
    { what: "receiver of what was taken out in an emergency", words: to("destinationAddr") },
  ),
];
