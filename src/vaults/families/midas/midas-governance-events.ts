import {
  changeEvent,
  formatBps,
  formatWadAmount,
  type GovernanceEvent,
  isVaultAsset,
  newValue,
  newValueFor,
  removedMember,
} from "../../governance/governance-event.ts";

/** Governance events of the DepositVault, Midas's deposit contract and the vault's entry point. */
const depositEvents: readonly GovernanceEvent[] = [
  changeEvent(["entryPoint", "fee", "SetInstantFee(address indexed caller, uint256 newFee)"], {
    what: "instant deposit fee",
    describe: newValue("newFee", formatBps),
  }),
  changeEvent(
    ["entryPoint", "fee", "ChangeTokenFee(address indexed token, address indexed caller, uint256 fee)"],
    { what: "deposit fee of a token", describe: newValueFor(["token", "fee"], formatBps) },
  ),
  changeEvent(
    ["entryPoint", "owner", "SetTokensReceiver(address indexed caller, address indexed reciever)"],
    { what: "receiver of deposited tokens", describe: newValue("reciever") },
  ),
  changeEvent(
    ["entryPoint", "price", "SetVariationTolerance(address indexed caller, uint256 newTolerance)"],
    { what: "price tolerance of deposit requests", describe: newValue("newTolerance", formatBps) },
  ),
  changeEvent(["entryPoint", "allow_list", "SetGreenlistEnable(address indexed sender, bool enable)"], {
    what: "depositor whitelist",
    describe: newValue("enable"),
  }),
  changeEvent(
    ["entryPoint", "allow_list", "RemovePaymentToken(address indexed token, address indexed caller)"],
    {
      what: "accepted tokens",
      describe: removedMember("token"),
      seenByView: ({ token }, vault) => isVaultAsset(vault, token),
    },
  ),
  changeEvent(
    [
      "entryPoint",
      "cap",
      "ChangeTokenAllowance(address indexed token, address indexed caller, uint256 allowance)",
    ],
    { what: "deposit allowance of a token", describe: newValueFor(["token", "allowance"], formatWadAmount) },
  ),
  changeEvent(["entryPoint", "cap", "SetInstantDailyLimit(address indexed caller, uint256 newLimit)"], {
    what: "daily limit of instant deposits",
    describe: newValue("newLimit", formatWadAmount),
  }),
  changeEvent(["entryPoint", "cap", "SetMaxSupplyCap(address indexed caller, uint256 newValue)"], {
    what: "supply cap",
    describe: newValue("newValue", formatWadAmount),
  }),
  changeEvent(["entryPoint", "cap", "SetMinAmount(address indexed caller, uint256 newAmount)"], {
    what: "minimum deposit",
    describe: newValue("newAmount", formatWadAmount),
  }),
];

/**
 * Governance events of the RedemptionVault, Midas's redemption contract, read only if the registry entry contains its
 * address.
 */
const redemptionEvents: readonly GovernanceEvent[] = [
  changeEvent(["redemptions", "pause", "Paused(address account)"], {
    what: "redemption pause",
    describe: () => "is on",
  }),
  changeEvent(["redemptions", "pause", "Unpaused(address account)"], {
    what: "redemption pause",
    describe: () => "is off",
    tier: "medium",
  }),
  changeEvent(["redemptions", "pause", "PauseFn(address indexed caller, bytes4 fn)"], {
    what: "pause of a redemption function",
    describe: ({ fn }) => `is on for the function ${fn}`,
  }),
  changeEvent(["redemptions", "pause", "UnpauseFn(address indexed caller, bytes4 fn)"], {
    what: "pause of a redemption function",
    describe: ({ fn }) => `is off for the function ${fn}`,
    tier: "medium",
  }),
  changeEvent(["redemptions", "fee", "SetInstantFee(address indexed caller, uint256 newFee)"], {
    what: "instant redemption fee",
    describe: newValue("newFee", formatBps),
  }),
  changeEvent(
    ["redemptions", "fee", "ChangeTokenFee(address indexed token, address indexed caller, uint256 fee)"],
    { what: "redemption fee of a token", describe: newValueFor(["token", "fee"], formatBps) },
  ),
  changeEvent(["redemptions", "allow_list", "SetGreenlistEnable(address indexed sender, bool enable)"], {
    what: "redemption whitelist",
    describe: newValue("enable"),
    tier: "high",
  }),
  changeEvent(
    ["redemptions", "allow_list", "RemovePaymentToken(address indexed token, address indexed caller)"],
    { what: "redemption tokens", describe: removedMember("token") },
  ),
  changeEvent(["redemptions", "cap", "SetInstantDailyLimit(address indexed caller, uint256 newLimit)"], {
    what: "daily limit of instant redemptions",
    describe: newValue("newLimit", formatWadAmount),
    tier: "medium",
  }),
  changeEvent(["redemptions", "cap", "SetMinAmount(address indexed caller, uint256 newAmount)"], {
    what: "minimum redemption",
    describe: newValue("newAmount", formatWadAmount),
  }),
  changeEvent(
    ["redemptions", "price", "SetVariationTolerance(address indexed caller, uint256 newTolerance)"],
    { what: "price tolerance of redemption requests", describe: newValue("newTolerance", formatBps) },
  ),
  changeEvent(["redemptions", "curator", "SetRequestRedeemer(address indexed caller, address redeemer)"], {
    what: "account that pays redemption requests",
    describe: newValue("redeemer"),
  }),
];

/** Governance events of Midas's DepositVaults and RedemptionVaults. Source: midas-apps/contracts. */
export const midasEvents: readonly GovernanceEvent[] = [...depositEvents, ...redemptionEvents];
