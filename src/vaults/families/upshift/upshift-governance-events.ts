import { FIND_OUT, levelTexts } from "../../governance/common-governance-events.ts";
import {
  addressTexts,
  changeEvent,
  type EventArgs,
  formatShareUnits,
  type GovernanceEvent,
  newValue,
  pauseTexts,
} from "../../governance/governance-event.ts";

/** Formats a percentage as the contract's raw number, because the published ABIs do not define its unit. */
const formatRawUnits = (value: unknown): string => `${value} (raw contract value)`;

const isPaused = ({ bWithdrawalsPaused }: EventArgs): boolean => bWithdrawalsPaused === true;
const stateOf = (args: EventArgs): string => (isPaused(args) ? "paused" : "not paused");

/**
 * Governance events that multi-asset and legacy vaults share. A pause event contains both states, changed or not, and
 * a view shows that of deposits. Source: ABIs of npm `@augustdigital/sdk` 4.27.3.
 */
const sharedEvents: readonly GovernanceEvent[] = [
  changeEvent(
    ["entryPoint", "pause", "DepositWithdrawalStatusChanged(bool bDepositsPaused, bool bWithdrawalsPaused)"],
    {
      ...pauseTexts("withdrawals", isPaused),
      title: (args) =>
        `${args["bDepositsPaused"] === true && !isPaused(args) ? "deposits paused, " : ""}withdrawals ${stateOf(args)}`,
      report: (args, { vault, time }) =>
        `Withdrawals from ${vault} are ${stateOf(args)} and deposits are ${args["bDepositsPaused"] === true ? "paused" : "not paused"}, ` +
        `as the contract reported at ${time}.`,
      advice: (args) =>
        isPaused(args)
          ? "Find out why, and when withdrawals will resume."
          : "If anything is or was paused, find out why.",
    },
  ),
  changeEvent(["entryPoint", "fee", "ManagementFeeUpdated(uint256 newManagementFeePercent)"], {
    what: "management fee",
    describe: newValue(
      "newManagementFeePercent",
      (fee) => `${fee} (raw contract value; in Upshift's tokenized accounts, 100 means 1% a year)`,
    ),
  }),
  changeEvent(["entryPoint", "price", "MaxChangePercentUpdated(uint256 newValue)"], {
    what: "guardrail on reported assets (max change percent)",
    describe: newValue("newValue", formatRawUnits),
  }),
];

const EMERGENCY_ADVICE =
  "Find out why before you deposit or leave funds in the vault, and check whether withdrawals still work.";

/** Governance events of Upshift's multi-asset vaults. Source: ABIs of npm `@augustdigital/sdk` 4.27.3. */
export const upshiftEvents: readonly GovernanceEvent[] = [
  ...sharedEvents,
  changeEvent(["entryPoint", "allow_list", "SendersWhitelistUpdated(address newWhitelistAddr)"], {
    ...addressTexts("depositor whitelist (senders whitelist)", {
      member: "newWhitelistAddr",
      advice: "This contract decides who may deposit: check whether your account can still deposit.",
      removed: "Check whether every account can deposit now, or whether deposits are closed.",
    }),
  }),
  changeEvent(["entryPoint", "strategy", "SubAccountEnabled(address subAccountAddr)"], {
    what: "sub-accounts",
    title: () => "sub-account enabled",
    report: ({ subAccountAddr }, { vault, time }) =>
      `Sub-account ${subAccountAddr} of ${vault} was enabled at ${time}.`,
    advice: "A sub-account can hold assets of the vault: find out who controls it.",
    tier: "medium",
  }),
  changeEvent(["entryPoint", "strategy", "SubAccountDisabled(address subAccountAddr)"], {
    what: "sub-accounts",
    title: () => "sub-account disabled",
    report: ({ subAccountAddr }, { vault, time }) =>
      `Sub-account ${subAccountAddr} of ${vault} was disabled at ${time}.`,
    advice: "Check whether the sub-account still held assets of the vault.",
  }),
  changeEvent(["entryPoint", "pause", "OnEmergencyWithdraw(address receiverAddr)"], {
    what: "custody of the assets",
    title: () => "emergency withdrawal",
    report: ({ receiverAddr }, { vault, time }) =>
      `An emergency withdrawal moved assets of ${vault} to ${receiverAddr} at ${time}.`,
    advice: EMERGENCY_ADVICE,
  }),
];

/** Governance events of Upshift's lending pools and tokenized accounts. Source: ABIs of npm `@augustdigital/sdk`. */
export const upshiftLegacyEvents: readonly GovernanceEvent[] = [
  ...sharedEvents,
  changeEvent(["entryPoint", "cap", "OnMaxSupplyChanged(uint256 prevValue, uint256 newValue)"], {
    ...levelTexts("supply cap", [["prevValue", "newValue"], formatShareUnits]),
  }),
  changeEvent(
    ["entryPoint", "curator", "OperatorUpdated(address newAddr)"],
    addressTexts("operator", {
      member: "newAddr",
      advice: `The operator moves the assets and may report their value: ${FIND_OUT}`,
      removed: "Find out who now decides where assets go, and who pays withdrawals.",
    }),
  ),
  changeEvent(
    [
      "entryPoint",
      "pause",
      "OnEmergencyWithdraw(uint256 withdrawalAmount, address tokenAddr, address destinationAddr)",
    ],
    {
      what: "custody of the assets",
      title: () => "emergency withdrawal",
      report: ({ withdrawalAmount, tokenAddr, destinationAddr }, { vault, time, isAsset, formatAssets }) =>
        `An emergency withdrawal moved ${
          isAsset(tokenAddr)
            ? formatAssets(withdrawalAmount)
            : `${withdrawalAmount} base units of token ${tokenAddr}`
        } from ${vault} to ${destinationAddr} at ${time}.`,
      advice: EMERGENCY_ADVICE,
    },
  ),
];
