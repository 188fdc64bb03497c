import {
  addressTexts,
  changeEvent,
  DEPOSITOR_WHITELIST_ADVICE,
  type EventText,
  formatBps,
  formatShareUnits,
  formatWadAmount,
  type GovernanceEvent,
  isUnlimited,
  isVaultAsset,
  newValue,
  pauseTexts,
  switchTexts,
  tookEffect,
} from "../../governance/governance-event.ts";

const TOLERANCE_ADVICE =
  "An approval with the price check may differ by at most this tolerance from the price at the time of the request; an " +
  "approval without the check has no such limit.";

/** Formats an amount of a token; Midas counts every token with 18 decimals. */
const tokensOf = (amount: unknown): string => {
  const text = formatWadAmount(amount);
  if (text === "unlimited") return text;
  return `${text} ${text === "1" ? "token" : "tokens"}`;
};

/** Returns the advice about a daily limit, the event argument `newLimit`. */
const limitAdvice =
  (what: "deposits" | "redemptions"): EventText =>
  ({ newLimit }) =>
    isUnlimited(BigInt(String(newLimit)))
      ? `No daily limit applies to instant ${what} any more.`
      : `Instant ${what} that exceed what is left for the day fail.`;

/** Governance events of the DepositVault, Midas's deposit contract and the vault's entry point. */
const depositEvents: readonly GovernanceEvent[] = [
  changeEvent(["entryPoint", "fee", "SetInstantFee(address indexed caller, uint256 newFee)"], {
    what: "instant deposit fee",
    describe: newValue("newFee", formatBps),
    advice: "Any fee is deducted from each instant deposit.",
  }),
  changeEvent(
    ["entryPoint", "fee", "ChangeTokenFee(address indexed token, address indexed caller, uint256 fee)"],
    {
      what: "deposit fee for a token",
      report: ({ token, fee }, context) =>
        `The deposit fee for token ${token} of ${context.vault} is now ${formatBps(fee)}.${tookEffect(context)}`,
      advice: "Any fee is deducted from each deposit of this token.",
    },
  ),
  changeEvent(
    ["entryPoint", "owner", "SetTokensReceiver(address indexed caller, address indexed reciever)"],
    {
      ...addressTexts("tokens receiver (account that receives deposits)", {
        member: "reciever",
        advice: "Deposits go to this account: find out who controls it before you deposit.",
        removed: "Do not deposit until a new receiver is set.",
      }),
    },
  ),
  changeEvent(
    ["entryPoint", "price", "SetVariationTolerance(address indexed caller, uint256 newTolerance)"],
    {
      what: "variation tolerance of deposit requests",
      describe: newValue("newTolerance", formatBps),
      advice: TOLERANCE_ADVICE,
    },
  ),
  changeEvent(["entryPoint", "allow_list", "SetGreenlistEnable(address indexed sender, bool enable)"], {
    ...switchTexts("depositor whitelist (greenlist)", {
      member: "enable",
      advice: DEPOSITOR_WHITELIST_ADVICE,
    }),
  }),
  changeEvent(
    ["entryPoint", "allow_list", "RemovePaymentToken(address indexed token, address indexed caller)"],
    {
      what: "payment tokens of deposits",
      title: () => "token no longer accepted for deposits",
      report: ({ token }, context) =>
        `Token ${token} is no longer accepted for deposits into ${context.vault}.${tookEffect(context)}`,
      advice: "Deposits of this token fail.",
      seenByView: ({ token }, vault) => isVaultAsset(vault, token),
    },
  ),
  changeEvent(
    [
      "entryPoint",
      "cap",
      "ChangeTokenAllowance(address indexed token, address indexed caller, uint256 allowance)",
    ],
    {
      what: "deposit allowance for a token",
      report: ({ token, allowance }, context) =>
        `The remaining deposit allowance for token ${token} of ${context.vault} is now ${tokensOf(allowance)}.` +
        tookEffect(context),
      advice: ({ allowance }) =>
        tokensOf(allowance) === "unlimited"
          ? "Deposits of this token are not limited by an allowance."
          : "Each deposit of this token reduces the allowance; a deposit above the remainder fails.",
    },
  ),
  changeEvent(["entryPoint", "cap", "SetInstantDailyLimit(address indexed caller, uint256 newLimit)"], {
    what: "daily limit on instant deposits",
    describe: newValue("newLimit", formatShareUnits),
    advice: limitAdvice("deposits"),
  }),
  changeEvent(["entryPoint", "cap", "SetMaxSupplyCap(address indexed caller, uint256 newValue)"], {
    what: "supply cap",
    describe: newValue("newValue", formatShareUnits),
    advice: ({ newValue: cap }) =>
      isUnlimited(BigInt(String(cap)))
        ? "Deposits are no longer limited by this cap."
        : "Instant deposits above the cap fail; deposit requests above it cannot be approved.",
  }),
  changeEvent(["entryPoint", "cap", "SetMinAmount(address indexed caller, uint256 newAmount)"], {
    what: "minimum deposit",
    describe: newValue("newAmount", formatShareUnits),
    advice: "Deposits that mint fewer shares than the minimum fail.",
  }),
];

/** What the redemption functions do, by selector. Source: midas-apps/contracts, RedemptionVault. */
const REDEMPTIONS: Readonly<Record<string, string>> = {
  "0x8b53f75e": "Instant redemptions",
  "0x85ab2c13": "Instant redemptions paid to another account",
  "0xbfc2d46a": "Redemption requests",
  "0x15571a04": "Redemption requests paid to another account",
  "0xd5f73f5c": "Redemption requests paid in fiat money",
};
const redemptionsOf = (fn: unknown): string =>
  `${REDEMPTIONS[String(fn).toLowerCase()] ?? "Redemptions"} (function ${fn})`;

/**
 * Governance events of the RedemptionVault, Midas's redemption contract, read only if the registry entry contains its
 * address.
 */
const redemptionEvents: readonly GovernanceEvent[] = [
  changeEvent(["redemptions", "pause", "Paused(address account)"], {
    ...pauseTexts("redemptions", () => true),
  }),
  changeEvent(["redemptions", "pause", "Unpaused(address account)"], {
    ...pauseTexts("redemptions", () => false),
    tier: "medium",
  }),
  changeEvent(["redemptions", "pause", "PauseFn(address indexed caller, bytes4 fn)"], {
    what: "pause of a redemption function",
    title: () => "redemption function paused",
    report: ({ fn }, { vault, time }) => `${redemptionsOf(fn)} from ${vault} were paused at ${time}.`,
    advice: "Find out which redemptions still work, why the function was paused, and when it will resume.",
  }),
  changeEvent(["redemptions", "pause", "UnpauseFn(address indexed caller, bytes4 fn)"], {
    what: "pause of a redemption function",
    title: () => "redemption function resumed",
    report: ({ fn }, { vault, time }) => `${redemptionsOf(fn)} from ${vault} were resumed at ${time}.`,
    advice: "Find out what caused the pause.",
    tier: "medium",
  }),
  changeEvent(["redemptions", "fee", "SetInstantFee(address indexed caller, uint256 newFee)"], {
    what: "instant redemption fee",
    describe: newValue("newFee", formatBps),
    advice: "Any fee is deducted from each instant redemption.",
  }),
  changeEvent(
    ["redemptions", "fee", "ChangeTokenFee(address indexed token, address indexed caller, uint256 fee)"],
    {
      what: "redemption fee for a token",
      report: ({ token, fee }, context) =>
        `The redemption fee for token ${token} of ${context.vault} is now ${formatBps(fee)}.${tookEffect(context)}`,
      advice: "Any fee is deducted from each redemption in this token.",
    },
  ),
  changeEvent(["redemptions", "allow_list", "SetGreenlistEnable(address indexed sender, bool enable)"], {
    ...switchTexts("redemption whitelist (greenlist)", {
      member: "enable",
      advice: [
        "Only listed accounts can redeem now: check whether your account is listed.",
        "Accounts no longer need to be listed to redeem.",
      ],
    }),
    tier: "high",
    tierFor: ({ enable }) => (enable === false ? "medium" : null),
  }),
  changeEvent(
    ["redemptions", "allow_list", "RemovePaymentToken(address indexed token, address indexed caller)"],
    {
      what: "payment tokens of redemptions",
      title: () => "redemptions no longer paid in a token",
      report: ({ token }, context) =>
        `Redemptions from ${context.vault} are no longer paid in token ${token}.${tookEffect(context)}`,
      advice: "Redemptions in this token fail: check which tokens remain.",
    },
  ),
  changeEvent(["redemptions", "cap", "SetInstantDailyLimit(address indexed caller, uint256 newLimit)"], {
    what: "daily limit on instant redemptions",
    describe: newValue("newLimit", formatShareUnits),
    advice: limitAdvice("redemptions"),
    tier: "medium",
  }),
  changeEvent(["redemptions", "cap", "SetMinAmount(address indexed caller, uint256 newAmount)"], {
    what: "minimum redemption",
    describe: newValue("newAmount", formatShareUnits),
    advice: "Redemptions of fewer shares than the minimum fail; those in fiat money have their own minimum.",
  }),
  changeEvent(
    ["redemptions", "price", "SetVariationTolerance(address indexed caller, uint256 newTolerance)"],
    {
      what: "variation tolerance of redemption requests",
      describe: newValue("newTolerance", formatBps),
      advice: TOLERANCE_ADVICE,
    },
  ),
  changeEvent(["redemptions", "curator", "SetRequestRedeemer(address indexed caller, address redeemer)"], {
    ...addressTexts("request redeemer (account that pays redemption requests)", {
      member: "redeemer",
      advice: "Requests for tokens are paid only while this account holds enough of them.",
      removed: "Redemption requests cannot be paid until a new account is set.",
    }),
  }),
];

/** Governance events of Midas's DepositVaults and RedemptionVaults. Source: midas-apps/contracts. */
export const midasEvents: readonly GovernanceEvent[] = [...depositEvents, ...redemptionEvents];
