import { FIND_OUT, levelTexts } from "../../governance/common-governance-events.ts";
import {
  addressTexts,
  changeEvent,
  type EventArgs,
  formatAssetUnits,
  formatBps,
  formatWadFraction,
  type GovernanceEvent,
  isUnlimited,
  switchTexts,
  tookEffect,
} from "../../governance/governance-event.ts";

/** Lagoon's access modes, indexed by their number. */
const ACCESS_MODES = ["blacklist", "whitelist"];
const ACCESS_MEANINGS = [
  "blacklist (listed accounts cannot deposit, transfer shares or withdraw)",
  "whitelist (only listed accounts can deposit and withdraw)",
];

/** Solidity type of a vault's rates since version 0.6, in basis points. Earlier versions have the first two only. */
const RATES =
  "(uint16 managementRate, uint16 performanceRate, uint16 entryRate, uint16 exitRate, uint16 haircutRate)";
/** Names and explained names of the rates that no snapshot contains, each after its name in `RATES`. */
const UNSEEN_RATES = [
  ["entryRate", "entry fee", "entry fee"],
  ["exitRate", "exit fee", "exit fee"],
  ["haircutRate", "haircut", "haircut (deduction from instant redemptions)"],
] as const;

/** Returns the name of, and a sentence about, each changed rate that no snapshot contains. */
function rateChanges({ oldRates, newRate }: EventArgs, vault: string): { name: string; sentence: string }[] {
  const [before, after] = [oldRates, newRate].map((rates) => ({ ...(rates as Record<string, unknown>) }));
  return UNSEEN_RATES.flatMap(([member, name, explained]) => {
    const [from, to] = [before?.[member], after?.[member]];
    return from === to
      ? []
      : [
          {
            name,
            sentence: `The ${explained} of ${vault} changed from ${formatBps(from)} to ${formatBps(to)}.`,
          },
        ];
  });
}

/**
 * Solidity type of the guardrail on price updates since version 0.6: the bounds of the annualized change of the share
 * price, as fractions with 18 decimals. A negative lower one is the largest fall.
 */
const GUARDRAILS = "(uint256 upperRate, int256 lowerRate)";

/** Formats the bounds of a guardrail as "-5% to 15%". */
function formatGuardrails(guardrails: unknown): string {
  const { upperRate, lowerRate } = guardrails as { upperRate: bigint; lowerRate: bigint };
  const format = (rate: bigint): string =>
    isUnlimited(rate < 0n ? -rate : rate) ? (rate < 0n ? "-∞" : "∞") : formatWadFraction(rate);
  return `${format(lowerRate)} to ${format(upperRate)}`;
}

/**
 * Governance events of Lagoon vaults. Changes to the management and the performance fee are left out, because views
 * return them. Source: hopperlabsxyz/lagoon-v0.
 */
export const lagoonEvents: readonly GovernanceEvent[] = [
  changeEvent(["address", "pause", "StateUpdated(uint8 state)"], {
    what: "state",
    title: ({ state }) => (state === 2 ? "vault closed" : "state changed"),
    report: ({ state }, context) =>
      state === 2
        ? `${context.vault} was closed at ${context.time}.`
        : `The state of ${context.vault} is now ${["open", "closing"][Number(state)] ?? `unknown (${state})`}.${tookEffect(context)}`,
    advice: ({ state }) =>
      state === 2
        ? "Do not deposit: the contract may still take deposit requests, but never settles them. Redemption requests fail; " +
          "shares can be redeemed instantly."
        : "Check whether deposits and withdrawals still work.",
    // Opening and closing show as a pause or its end. `closed` follows `closing`, which was a pause already.
    seenByView: ({ state }) => state === 0 || state === 1,
  }),
  changeEvent(["address", "owner", "SafeUpdated(address oldSafe, address newSafe)"], {
    ...addressTexts("Safe that receives the assets", {
      member: "newSafe",
      from: "oldSafe",
      advice:
        "The signers of a Safe control the assets in it, and the old Safe may still hold some: find out who they are " +
        "before you deposit or leave funds in the vault.",
      removed: "Find out who controls the assets now before you deposit or leave funds in the vault.",
    }),
  }),
  changeEvent(
    ["address", "price", "ValuationManagerUpdated(address oldManager, address newManager)"],
    addressTexts("valuation manager", {
      member: "newManager",
      from: "oldManager",
      advice:
        "The valuation manager reports the value that determines the share price: find out who it is before you deposit or " +
        "withdraw.",
      removed:
        "Only the security council, if any, can still report values: check whether the share price is still updated and requests " +
        "are settled.",
    }),
  ),
  changeEvent(["address", "price", "GuardrailsStatusUpdated(bool activated)"], {
    ...switchTexts("share price guardrail", {
      member: "activated",
      advice: [
        "Price updates outside the guardrail's bounds are now rejected, except those of the security council.",
        "Price updates are no longer bounded: watch the next prices before you deposit or withdraw.",
      ],
    }),
  }),
  changeEvent(
    ["address", "price", `GuardrailsUpdated(${GUARDRAILS} oldGuardrails, ${GUARDRAILS} newGuardrails)`],
    {
      what: "share price guardrail",
      report: ({ oldGuardrails, newGuardrails }, context) =>
        `The bounds of the share price guardrail of ${context.vault} are now ${formatGuardrails(newGuardrails)} a year; ` +
        `before, they were ${formatGuardrails(oldGuardrails)}.${tookEffect(context)}`,
      advice: "The bounds apply only while the guardrail is enabled.",
    },
  ),
  changeEvent(
    ["address", "guardian", "SecurityCouncilUpdated(address oldSecurityCouncil, address newSecurityCouncil)"],
    addressTexts("security council", {
      member: "newSecurityCouncil",
      from: "oldSecurityCouncil",
      advice:
        "The security council sets the share price guardrail and can report values outside it: find out who it is before you rely on it.",
      removed: "Until a new council is set, nobody can change or bypass the share price guardrail.",
    }),
  ),
  changeEvent(
    ["address", "owner", "SuperOperatorUpdated(address oldSuperOperator, address newSuperOperator)"],
    addressTexts("super operator", {
      member: "newSuperOperator",
      from: "oldSuperOperator",
      advice: `The super operator can move the shares of any holder: ${FIND_OUT}`,
      removed: "Now only holders and the operators that they approved can move shares.",
      removedTier: "low",
    }),
  ),
  changeEvent(["address", "allow_list", "WhitelistDisabled()"], {
    what: "whitelist",
    title: () => "whitelist disabled",
    report: (_args, { vault, time }) => `The whitelist of ${vault} was disabled at ${time}.`,
    advice: "Accounts no longer need to be listed to use the vault.",
  }),
  changeEvent(["address", "allow_list", "AccessModeUpdated(uint8 newMode)"], {
    what: "access mode",
    title: ({ newMode }) => `access mode changed to ${ACCESS_MODES[Number(newMode)] ?? "an unknown mode"}`,
    describe: ({ newMode }) => `is ${ACCESS_MEANINGS[Number(newMode)] ?? `unknown (${newMode})`}`,
    advice: "Check whether your account can still deposit, transfer shares and withdraw.",
    tierFor: ({ newMode }) => (Number(newMode) === 1 ? "high" : null),
  }),
  // Each takes effect in its transaction.
  changeEvent(["address", "fee", `RatesUpdated(${RATES} oldRates, ${RATES} newRate, uint256 timestamp)`], {
    what: "entry fee, exit fee or haircut",
    title: (args) => {
      const names = rateChanges(args, "").map(({ name }) => name);
      return `${names.join(", ").replace(/, (?=[^,]*$)/, " and ")} changed`;
    },
    report: (args, context) => {
      const sentences = rateChanges(args, context.vault).map(({ sentence }) => sentence);
      return `${sentences.join(" ")}${tookEffect(context)}`;
    },
    advice:
      "The entry fee reduces the shares of a deposit, the exit fee what any withdrawal pays, and the haircut what an instant one pays.",
    routine: (args) => rateChanges(args, "").length === 0,
  }),
  changeEvent(["address", "cap", "MaxCapUpdated(uint256 previousMaxCap, uint256 maxCap)"], {
    ...levelTexts("deposit cap", [["previousMaxCap", "maxCap"], formatAssetUnits]),
  }),
];
