import { AUTHORITY_ADVICE, levelTexts, settingOf } from "../../governance/common-governance-events.ts";
import {
  addressTexts,
  changeEvent,
  type EventArgs,
  formatAddress,
  formatBps,
  formatDuration,
  formatShareUnits,
  type GovernanceEvent,
  isVaultAsset,
  newValue,
  oldToNewValue,
  tookEffect,
} from "../../governance/governance-event.ts";

/** Describes the change of a limit on a new share price, which is in basis points of the previous price. */
const describePriceBound = ({ oldBound, newBound }: EventArgs): string =>
  `changed from ${formatBps(oldBound)} to ${formatBps(newBound)} of the previous price`;

/** States what the teller accepts in an asset, without the full stop; `premium` is empty or begins with a comma. */
function acceptedText(
  { asset, allowDeposits, allowWithdraws }: EventArgs,
  { vault, premium }: { vault: string; premium: string },
): string {
  const teller = `The teller (deposit contract) of ${vault} now accepts`;
  if (allowDeposits === true)
    return allowWithdraws === true
      ? `${teller} deposits of and withdrawals in ${asset}${premium}`
      : `${teller} deposits of ${asset}${premium === "" ? "" : `${premium},`} but no withdrawals in it`;
  return allowWithdraws === true
    ? `${teller} withdrawals in ${asset}, but no deposits of it`
    : `${teller} neither deposits of nor withdrawals in ${asset}`;
}

const NO_WITHDRAWALS =
  "Withdrawals in this asset through the teller fail: check how and in which assets you can withdraw.";
const hasPremium = (bps: unknown): boolean => Number(bps) > 0;
const premiumText = (bps: unknown): string =>
  hasPremium(bps) ? `, with a share premium of ${formatBps(bps)}` : "";
const premiumAdvice = (bps: unknown): string =>
  hasPremium(bps) ? "The premium reduces the shares of a deposit." : "Deposits of this asset pay no premium.";

/**
 * Governance events of BoringVaults: of the vault, the accountant (pricer) and the teller (entry point). Sources:
 * Veda-Labs/boring-vault, Se7en-Seas/boring-vault.
 */
export const vedaEvents: readonly GovernanceEvent[] = [
  // Accountants before November 2024 name the fee in the second way.
  ...["PlatformFeeUpdated", "ManagementFeeUpdated"].map((name) =>
    changeEvent(["pricer", "fee", `${name}(uint16 oldFee, uint16 newFee)`], {
      ...levelTexts("management fee", [["oldFee", "newFee"], formatBps]),
      report: ({ oldFee, newFee }, context) =>
        `The management fee (platform fee) of ${context.vault} changed from ${formatBps(oldFee)} to ` +
        `${formatBps(newFee)} a year.${tookEffect(context)}`,
    }),
  ),
  changeEvent(["pricer", "fee", "PerformanceFeeUpdated(uint16 oldFee, uint16 newFee)"], {
    ...levelTexts("performance fee", [["oldFee", "newFee"], formatBps]),
  }),
  changeEvent(["pricer", "fee", "HighwaterMarkReset()"], {
    what: "high-water mark",
    title: () => "high-water mark reset",
    describe: () => "was reset to the current share price",
    advice: "After a loss, any performance fee is now also charged on gains that only recover it.",
  }),
  // The first accountant has the second type.
  ...["uint24", "uint32"].map((type) =>
    changeEvent(["pricer", "price", `DelayInSecondsUpdated(${type} oldDelay, ${type} newDelay)`], {
      what: "minimum delay between price updates",
      describe: oldToNewValue(["oldDelay", "newDelay"], formatDuration),
      routine: ({ oldDelay, newDelay }) => oldDelay === newDelay,
    }),
  ),
  changeEvent(["pricer", "price", "UpperBoundUpdated(uint16 oldBound, uint16 newBound)"], {
    what: "upper bound on price updates",
    describe: describePriceBound,
    routine: ({ oldBound, newBound }) => oldBound === newBound,
  }),
  changeEvent(["pricer", "price", "LowerBoundUpdated(uint16 oldBound, uint16 newBound)"], {
    what: "lower bound on price updates",
    describe: describePriceBound,
    routine: ({ oldBound, newBound }) => oldBound === newBound,
  }),
  changeEvent(
    ["pricer", "price", "RateProviderUpdated(address asset, bool isPegged, address rateProvider)"],
    {
      what: "rate provider of an asset",
      title: ({ isPegged }) =>
        isPegged === true ? "asset priced one to one" : "rate provider of an asset changed",
      report: ({ asset, isPegged, rateProvider }, context) =>
        `${
          isPegged === true
            ? `The asset ${asset} of ${context.vault} is now priced one to one with the vault's base asset.`
            : `The rate provider for the asset ${asset} of ${context.vault} is now ${formatAddress(rateProvider)}.`
        }${tookEffect(context)}`,
      advice:
        "If this asset is accepted, the price determines how many shares a deposit of it mints and how much a withdrawal in it " +
        "pays: check it before you deposit or withdraw.",
    },
  ),
  changeEvent(
    [
      "entryPoint",
      "allow_list",
      "AssetDataUpdated(address indexed asset, bool allowDeposits, bool allowWithdraws, uint16 sharePremium)",
    ],
    {
      what: "configuration of an accepted asset",
      title: ({ allowDeposits, allowWithdraws }) =>
        allowDeposits === true || allowWithdraws === true
          ? "deposit and withdrawal terms of an asset set"
          : "asset no longer accepted",
      report: (args, context) =>
        `${acceptedText(args, { vault: context.vault, premium: premiumText(args["sharePremium"]) })}.${tookEffect(context)}`,
      advice: ({ allowDeposits, allowWithdraws, sharePremium }) =>
        [
          allowDeposits === true ? premiumAdvice(sharePremium) : "Deposits of this asset fail.",
          allowWithdraws === true
            ? "In many vaults only solvers may withdraw through the teller: check how you can withdraw."
            : NO_WITHDRAWALS,
        ]
          .filter((sentence) => sentence !== "")
          .join(" "),
      // A vault that does not accept its own asset is paused, which has a view.
      seenByView: ({ asset, allowDeposits }, vault) => allowDeposits === false && isVaultAsset(vault, asset),
    },
  ),
  // The first tellers, whose assets take both or neither.
  ...[true, false].map((added) =>
    changeEvent(["entryPoint", "allow_list", `Asset${added ? "Added" : "Removed"}(address indexed asset)`], {
      what: "configuration of an accepted asset",
      title: () => (added ? "asset accepted" : "asset no longer accepted"),
      report: ({ asset }, context) => {
        const terms = { asset, allowDeposits: added, allowWithdraws: added };
        return `${acceptedText(terms, { vault: context.vault, premium: "" })}.${tookEffect(context)}`;
      },
      advice: added ? "" : `Deposits of this asset fail. ${NO_WITHDRAWALS}`,
      seenByView: ({ asset }, vault) => !added && isVaultAsset(vault, asset),
    }),
  ),
  changeEvent(["entryPoint", "cap", "DepositCapSet(uint112 cap)"], {
    what: "deposit cap",
    describe: newValue("cap", formatShareUnits),
  }),
  changeEvent(["entryPoint", "allow_list", "PermissionedTransfersSet(bool permissionedTransfers)"], {
    what: "permissioned transfers (share transfer restriction)",
    title: ({ permissionedTransfers }) =>
      permissionedTransfers === true ? "permissioned transfers enabled" : "permissioned transfers disabled",
    report: ({ permissionedTransfers }, context) =>
      `${
        permissionedTransfers === true
          ? `Only operators that the teller permits can now transfer shares of ${context.vault}.`
          : `Transfers of shares of ${context.vault} no longer need a permitted operator.`
      }${tookEffect(context)}`,
    advice: ({ permissionedTransfers }) =>
      permissionedTransfers === true ? "Check whether you can still transfer your shares and withdraw." : "",
  }),
  ...(["address", "entryPoint", "pricer"] as const).map((contract) =>
    changeEvent(
      [contract, "owner", "AuthorityUpdated(address indexed user, address indexed newAuthority)"],
      addressTexts(settingOf(contract, "access-control authority"), {
        member: "newAuthority",
        advice: AUTHORITY_ADVICE,
        removed:
          "Only the owner can now call restricted functions: check whether deposits, withdrawals and price updates still work.",
        removedTier: "medium",
      }),
    ),
  ),
];
