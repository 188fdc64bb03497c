import {
  decodeAbiParameters,
  type Hex,
  keccak256,
  parseAbiItem,
  parseAbiParameters,
  toFunctionSelector,
} from "viem";
import { DAY_S } from "../../../lib/durations.ts";
import { once } from "../../../lib/once.ts";
import {
  announcementEvent,
  cancellationEvent,
  changeEvent,
  type EventArgs,
  type EventContext,
  type EventTerms,
  formatAssetUnits,
  formatDuration,
  formatUtcMinute,
  formatWadFraction,
  type GovernanceEvent,
  isNone,
  memberTexts,
  tookEffect,
} from "../../governance/governance-event.ts";
import { GATES, gateEvents } from "./morpho-gate-events.ts";

/** Formats the arguments of a submitted call as the end of the sentence that names the change. */
type CallDetail = (args: readonly unknown[], context: EventContext) => string;
interface TimelockedFunction {
  /** The change that the function makes, without an article. */
  change: string;
  detail: CallDetail;
}

/** Text of an amount without a limit, as the formatters of amounts return it. */
const UNLIMITED = "unlimited";

const toAddress: CallDetail = ([value]) => (isNone(value) ? ", which removes it," : `, to ${value},`);
const ofAccount: CallDetail = ([account]) => ` (${account})`;
const toCap =
  (formatCap: (cap: unknown, context: EventContext) => string): CallDetail =>
  ([idData, cap], context) => {
    const value = formatCap(cap, context);
    const scope = capScope({ id: keccak256(idData as Hex), idData });
    return ` for ${scope} (${value === UNLIMITED ? value : `to ${value}`})`;
  };
const toTimelock: CallDetail = ([selector, duration]) =>
  ` for ${withArticle(changeOf(selector))}, to ${formatDuration(duration)},`;
/** Factor from a management fee, which is charged per second, to a yearly one: the seconds of a year. */
const YEAR_S = 365 * DAY_S;

/** Timelocked functions of Morpho Vault V2 and the change that each makes. Source: morpho-org/vault-v2. */
const TIMELOCKED_FUNCTIONS: Readonly<Record<string, TimelockedFunction>> = {
  "setIsAllocator(address,bool)": {
    change: "change to the allocators",
    detail: ([account, isAllocator]) => ` (${account} is ${isAllocator === true ? "added" : "removed"})`,
  },
  "setReceiveSharesGate(address)": { change: `change to the ${GATES.receiveShares}`, detail: toAddress },
  "setSendSharesGate(address)": { change: `change to the ${GATES.sendShares}`, detail: toAddress },
  "setReceiveAssetsGate(address)": { change: `change to the ${GATES.receiveAssets}`, detail: toAddress },
  "setSendAssetsGate(address)": { change: `change to the ${GATES.sendAssets}`, detail: toAddress },
  "setAdapterRegistry(address)": { change: "change to the adapter registry", detail: toAddress },
  "addAdapter(address)": { change: "adapter addition", detail: ofAccount },
  "removeAdapter(address)": { change: "adapter removal", detail: ofAccount },
  "increaseTimelock(bytes4,uint256)": { change: "timelock increase", detail: toTimelock },
  "decreaseTimelock(bytes4,uint256)": { change: "timelock reduction", detail: toTimelock },
  "abdicate(bytes4)": {
    change: "permanent deactivation (abdication) of a function",
    detail: ([selector]) => ` for ${withArticle(changeOf(selector))}`,
  },
  "setPerformanceFee(uint256)": {
    change: "change to the performance fee",
    detail: ([fee]) => ` (to ${formatWadFraction(fee)})`,
  },
  "setManagementFee(uint256)": {
    change: "change to the management fee",
    detail: ([fee]) => ` (to ${formatWadFraction(Number(fee) * YEAR_S)} a year)`,
  },
  "setPerformanceFeeRecipient(address)": {
    change: "change to the recipient of the performance fee",
    detail: toAddress,
  },
  "setManagementFeeRecipient(address)": {
    change: "change to the recipient of the management fee",
    detail: toAddress,
  },
  "increaseAbsoluteCap(bytes,uint256)": {
    change: "increase in the absolute cap",
    detail: toCap(formatAssetUnits),
  },
  "increaseRelativeCap(bytes,uint256)": {
    change: "increase in the relative cap",
    detail: toCap((cap) => relativeCap({ newRelativeCap: cap })),
  },
  "setForceDeallocatePenalty(address,uint256)": {
    change: "change to the force deallocate penalty",
    detail: ([adapter, penalty]) => ` of adapter ${adapter} (to ${formatWadFraction(penalty)})`,
  },
};
const functionBySelector = once(
  () =>
    new Map(
      Object.entries(TIMELOCKED_FUNCTIONS).map(([signature, known]) => [
        toFunctionSelector(signature),
        { ...known, signature },
      ]),
    ),
);
const findFunction = (selector: unknown) => functionBySelector().get(String(selector).toLowerCase() as Hex);
/** Returns the name of the change that a function makes, without an article. */
const changeOf = (selector: unknown): string =>
  findFunction(selector)?.change ?? `call to function ${selector}`;
/** Describes the arguments of a call; empty if the function is unknown or the calldata do not match it. */
function detailOf(call: { selector: unknown; data: unknown }, context: EventContext): string {
  const known = findFunction(call.selector);
  if (known === undefined) return "";
  try {
    const { inputs } = parseAbiItem(`function ${known.signature}` as "function known(uint256)");
    return known.detail(decodeAbiParameters(inputs, `0x${String(call.data).slice(10)}`), context);
  } catch {
    return "";
  }
}
const withArticle = (noun: string): string => `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
const callText = (call: { selector: unknown; data: unknown }, context: EventContext): string =>
  withArticle(changeOf(call.selector) + detailOf(call, context)).replace(/^a/, "A");

/**
 * Timestamp, in seconds, from which on a time counts as never (a JavaScript date ends at 8.64e12). Older
 * releases give submissions of abdicated functions the largest uint256.
 */
const LAST_TIME = 8e12;

const submissionTexts: EventTerms = {
  what: "configuration",
  title: ({ selector }) => `${changeOf(selector)} submitted`,
  report: ({ selector, data, executableAt }, context) => {
    const submitted = `${callText({ selector, data }, context)} was submitted to the timelock of ${context.vault} at ${context.time}.`;
    if (Number(executableAt) >= LAST_TIME) return `${submitted} It can never be executed.`;
    return Number(executableAt) <= context.seconds
      ? `${submitted} It can be executed immediately.`
      : `${submitted} It cannot be executed before ${formatUtcMinute(executableAt)}.`;
  },
  advice: ({ executableAt }, { seconds }) => {
    if (Number(executableAt) >= LAST_TIME) return "";
    return Number(executableAt) <= seconds
      ? "There is no time to withdraw first: find out what the call changes."
      : "Find out what the call changes, and decide whether to withdraw first.";
  },
};

/** Creates the texts for an event that reduces or increases a timelock. */
const timelockTexts = (of: { verb: "reduced" | "increased"; advice: string }): EventTerms => ({
  what: "timelock",
  title: () => `timelock of a function ${of.verb}`,
  report: ({ selector, newDuration }, context) =>
    `The timelock of ${context.vault} for ${withArticle(changeOf(selector))} is now ` +
    `${formatDuration(newDuration)}.${tookEffect(context)}`,
  advice: of.advice,
});

/**
 * Returns what a cap applies to, decoded from `idData`, of which the id is the hash; otherwise the id itself. Source:
 * morpho-org/vault-v2, adapters.
 */
function capScope({ id, idData }: EventArgs): string {
  try {
    const [scope, address] = decodeAbiParameters(parseAbiParameters("string, address"), idData as Hex);
    if (scope === "this") return `adapter ${address}`;
    if (scope === "collateralToken") return `collateral token ${address}`;
    // Morpho's id of the market: the hash of its parameters, the third to seventh word of `idData`.
    if (scope === "this/marketParams")
      return `market ${keccak256(`0x${String(idData).slice(130, 450)}`)} of adapter ${address}`;
  } catch {
    // Adapters may use data of any other form.
  }
  return `allocation id ${id}`;
}

const CAP_ADVICE =
  "The cap limits how much the vault may allocate to one target, such as an adapter, a collateral token or a market.";
const UNLIMITED_ADVICE = "The vault may allocate any amount to this target, as far as other caps allow.";
/** Creates the texts for an event that reduces or increases a cap on allocations. */
const capTexts = (
  cap: "absolute cap" | "relative cap",
  of: { verb: "reduced" | "increased"; value: (args: EventArgs, context: EventContext) => string },
): EventTerms => ({
  what: cap,
  title: () => `${cap} ${of.verb}`,
  report: (args, context) => {
    const value = of.value(args, context);
    const setting = `The ${cap} for ${capScope(args)} of ${context.vault}`;
    // The earlier value is unknown: it may have been the same.
    return `${setting} is now ${value}.${tookEffect(context)}`;
  },
  advice: (args, context) => (of.value(args, context) === UNLIMITED ? UNLIMITED_ADVICE : CAP_ADVICE),
});
const absoluteCap = ({ newAbsoluteCap }: EventArgs, context: EventContext): string =>
  formatAssetUnits(newAbsoluteCap, context);
const relativeCap = ({ newRelativeCap }: EventArgs): string =>
  newRelativeCap === 10n ** 18n ? UNLIMITED : `${formatWadFraction(newRelativeCap)} of total assets`;

const capEvents: readonly GovernanceEvent[] = [
  changeEvent(
    ["address", "cap", "IncreaseAbsoluteCap(bytes32 indexed id, bytes idData, uint256 newAbsoluteCap)"],
    capTexts("absolute cap", { verb: "increased", value: absoluteCap }),
  ),
  changeEvent(
    [
      "address",
      "cap",
      "DecreaseAbsoluteCap(address indexed sender, bytes32 indexed id, bytes idData, uint256 newAbsoluteCap)",
    ],
    capTexts("absolute cap", { verb: "reduced", value: absoluteCap }),
  ),
  changeEvent(
    ["address", "cap", "IncreaseRelativeCap(bytes32 indexed id, bytes idData, uint256 newRelativeCap)"],
    capTexts("relative cap", { verb: "increased", value: relativeCap }),
  ),
  changeEvent(
    [
      "address",
      "cap",
      "DecreaseRelativeCap(address indexed sender, bytes32 indexed id, bytes idData, uint256 newRelativeCap)",
    ],
    capTexts("relative cap", { verb: "reduced", value: relativeCap }),
  ),
];

/**
 * Governance events of Morpho Vault V2. Changes of the owner, the curator and both fees are omitted, because view
 * functions return them. Source: morpho-org/vault-v2.
 */
export const morphoV2Events: readonly GovernanceEvent[] = [
  announcementEvent(
    ["address", "timelock", "Submit(bytes4 indexed selector, bytes data, uint256 executableAt)"],
    submissionTexts,
  ),
  cancellationEvent(
    ["address", "timelock", "Revoke(address indexed sender, bytes4 indexed selector, bytes data)"],
    {
      what: "configuration",
      title: ({ selector }) => `pending ${changeOf(selector)} cancelled`,
      report: ({ selector, data }, context) =>
        `${callText({ selector, data }, context)} that had been submitted to the timelock of ${context.vault} was ` +
        `cancelled at ${context.time}.`,
      advice: "The current configuration remains in force.",
    },
  ),
  changeEvent(
    ["address", "timelock", "DecreaseTimelock(bytes4 indexed selector, uint256 newDuration)"],
    timelockTexts({
      verb: "reduced",
      advice:
        "Holders have less time to withdraw before such a change takes effect if it is submitted from now on: check pending changes more often.",
    }),
  ),
  changeEvent(["address", "timelock", "IncreaseTimelock(bytes4 indexed selector, uint256 newDuration)"], {
    ...timelockTexts({
      verb: "increased",
      advice:
        "Holders have more time to withdraw before such a change takes effect, unless it was submitted earlier.",
    }),
    tier: "low",
  }),
  changeEvent(["address", "timelock", "Abdicate(bytes4 indexed selector)"], {
    what: "configuration",
    title: () => "function abdicated",
    report: ({ selector }, { vault, time }) =>
      `The function of ${vault} for ${withArticle(changeOf(selector))} was abdicated (permanently deactivated) at ${time}.`,
    advice: "This cannot be undone: the vault can never make such a change again.",
    tier: "low",
  }),
  changeEvent(
    ["address", "guardian", "SetIsSentinel(address indexed account, bool newIsSentinel)"],
    memberTexts("sentinel", {
      member: "account",
      added: ({ newIsSentinel }) => newIsSentinel === true,
      advice: [
        "A sentinel can cancel pending changes, reduce caps and deallocate: find out who it is before you rely on it.",
        "A sentinel can cancel pending changes, reduce caps and deallocate: check who still can.",
      ],
    }),
  ),
  ...gateEvents,
  changeEvent(["address", "strategy", "AddAdapter(address indexed account)"], {
    ...memberTexts("adapter", {
      member: "account",
      added: () => true,
      advice: [
        "Within its caps, the vault can now allocate assets through this adapter: find out where.",
        "",
      ],
    }),
    tier: "medium",
  }),
  changeEvent(
    ["address", "strategy", "RemoveAdapter(address indexed account)"],
    memberTexts("adapter", {
      member: "account",
      added: () => false,
      advice: [
        "",
        "The vault no longer counts assets that are held through this adapter: check whether any are left.",
      ],
    }),
  ),
  ...capEvents,
];
