import { settingOf } from "../../governance/common-governance-events.ts";
import {
  changeEvent,
  formatBps,
  formatHours,
  formatShareUnits,
  type GovernanceEvent,
  isVaultAsset,
  newValue,
  newValueFor,
  oldToNewValue,
} from "../../governance/governance-event.ts";

/** Formats a limit on a new share price, given in basis points of the previous price. */
const formatPriceBound = (bps: unknown): string => `${formatBps(bps)} of the previous price`;

/**
 * Governance events of BoringVaults: of the vault, the accountant (pricer) and the teller (entry point). Sources:
 * Veda-Labs/boring-vault, Se7en-Seas/boring-vault.
 */
export const vedaEvents: readonly GovernanceEvent[] = [
  changeEvent(["pricer", "fee", "PlatformFeeUpdated(uint16 oldFee, uint16 newFee)"], {
    what: "platform fee",
    describe: oldToNewValue(["oldFee", "newFee"], formatBps),
  }),
  changeEvent(["pricer", "fee", "PerformanceFeeUpdated(uint16 oldFee, uint16 newFee)"], {
    what: "performance fee",
    describe: oldToNewValue(["oldFee", "newFee"], formatBps),
  }),
  changeEvent(["pricer", "fee", "HighwaterMarkReset()"], {
    what: "high-water mark",
    describe: () => "was reset to the current share price",
  }),
  changeEvent(["pricer", "price", "DelayInSecondsUpdated(uint24 oldDelay, uint24 newDelay)"], {
    what: "minimum delay between price updates",
    describe: oldToNewValue(["oldDelay", "newDelay"], formatHours),
  }),
  changeEvent(["pricer", "price", "UpperBoundUpdated(uint16 oldBound, uint16 newBound)"], {
    what: "upper bound of a price update",
    describe: oldToNewValue(["oldBound", "newBound"], formatPriceBound),
  }),
  changeEvent(["pricer", "price", "LowerBoundUpdated(uint16 oldBound, uint16 newBound)"], {
    what: "lower bound of a price update",
    describe: oldToNewValue(["oldBound", "newBound"], formatPriceBound),
  }),
  changeEvent(
    ["pricer", "price", "RateProviderUpdated(address asset, bool isPegged, address rateProvider)"],
    { what: "rate provider of an accepted asset", describe: newValueFor(["asset", "rateProvider"]) },
  ),
  changeEvent(
    [
      "entryPoint",
      "allow_list",
      "AssetDataUpdated(address indexed asset, bool allowDeposits, bool allowWithdraws, uint16 sharePremium)",
    ],
    {
      what: "configuration of an accepted asset",
      describe: ({ asset, allowDeposits, allowWithdraws, sharePremium }) =>
        `has deposits ${allowDeposits === true ? "on" : "off"}, withdrawals ` +
        `${allowWithdraws === true ? "on" : "off"} and a share premium of ${formatBps(sharePremium)} for ${asset}`,
      // A vault that does not accept its own asset counts as paused, which a view function shows.
      seenByView: ({ asset, allowDeposits }, vault) => allowDeposits === false && isVaultAsset(vault, asset),
    },
  ),
  changeEvent(["entryPoint", "cap", "DepositCapSet(uint112 cap)"], {
    what: "deposit cap",
    describe: newValue("cap", formatShareUnits),
  }),
  changeEvent(["entryPoint", "allow_list", "PermissionedTransfersSet(bool permissionedTransfers)"], {
    what: "restriction of share transfers to permitted operators",
    describe: newValue("permissionedTransfers"),
  }),
  ...(["address", "entryPoint", "pricer"] as const).map((contract) =>
    changeEvent([contract, "owner", "AuthorityUpdated(address indexed user, address indexed newAuthority)"], {
      what: settingOf(contract, "access-control authority"),
      describe: newValue("newAuthority"),
    }),
  ),
];
