import { decodeAbiParameters, type Hex, parseAbiParameters, toFunctionSelector } from "viem";
import { once } from "../../lib/once.ts";
import {
  addressTexts,
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
  memberTexts,
} from "../governance/governance-event.ts";

/** Timelocked functions of Morpho Vault V2, each with the change it makes. Source: morpho-org/vault-v2. */
const TIMELOCKED_FUNCTIONS: Readonly<Record<string, string>> = {
  "setIsAllocator(address,bool)": "change to the allocators",
  "setReceiveSharesGate(address)": "change to the gate for receiving shares",
  "setSendSharesGate(address)": "change to the gate for sending and redeeming shares",
  "setReceiveAssetsGate(address)": "change to the withdrawal gate",
  "setSendAssetsGate(address)": "change to the deposit gate",
  "setAdapterRegistry(address)": "change to the adapter registry",
  "addAdapter(address)": "addition of an adapter",
  "removeAdapter(address)": "removal of an adapter",
  "increaseTimelock(bytes4,uint256)": "increase of a timelock",
  "decreaseTimelock(bytes4,uint256)": "reduction of a timelock",
  "abdicate(bytes4)": "permanent disabling of a function",
  "setPerformanceFee(uint256)": "change to the performance fee",
  "setManagementFee(uint256)": "change to the management fee",
  "setPerformanceFeeRecipient(address)": "change to the recipient of the performance fee",
  "setManagementFeeRecipient(address)": "change to the recipient of the management fee",
  "increaseAbsoluteCap(bytes,uint256)": "increase of an absolute cap",
  "increaseRelativeCap(bytes,uint256)": "increase of a relative cap",
  "setForceDeallocatePenalty(address,uint256)": "change to the penalty on forced deallocations",
};
const changeBySelector = once(
  () =>
    new Map(
      Object.entries(TIMELOCKED_FUNCTIONS).map(([signature, change]) => [
        toFunctionSelector(signature),
        change,
      ]),
    ),
);
/** Returns the name of the change that a function makes, without an article. */
const changeOf = (selector: unknown): string =>
  changeBySelector().get(String(selector).toLowerCase() as Hex) ?? `call to function ${selector}`;
const withArticle = (noun: string): string => `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;

/** Largest timestamp that can be displayed, in seconds. Submissions of abdicated functions have the largest uint256. */
const LAST_TIME = 8e12;

const submissionTexts: EventTerms = {
  what: "configuration",
  title: ({ selector }) => `${changeOf(selector)} submitted`,
  report: ({ selector, executableAt }, { vault, time }) => {
    const submitted = `Submitted to the timelock of ${vault} at ${time}: ${withArticle(changeOf(selector))}.`;
    return Number(executableAt) < LAST_TIME
      ? `${submitted} It can be executed from ${formatUtcMinute(executableAt)}.`
      : `${submitted} It can never be executed.`;
  },
  advice: ({ executableAt }, { seconds }) => {
    if (Number(executableAt) >= LAST_TIME) return "";
    return Number(executableAt) <= seconds
      ? "There is no time to withdraw before: find out what it changes."
      : "Find out what it changes, and whether to withdraw before.";
  },
};

/** Creates the texts for an event that reduces or increases a timelock. */
const timelockTexts = (of: { verb: "reduced" | "increased"; advice: string }): EventTerms => ({
  what: "timelock",
  title: () => `timelock of a function ${of.verb}`,
  report: ({ selector, newDuration }, context) =>
    `The timelock of ${context.vault} for ${withArticle(changeOf(selector))} was ${of.verb} to ` +
    `${formatDuration(newDuration)} at ${context.time}.`,
  advice: of.advice,
});

/**
 * Returns what a cap applies to, decoded from `idData`, of which the id is the hash. Source: morpho-org/vault-v2,
 * adapters.
 */
function capScope({ id, idData }: EventArgs): string {
  try {
    const [scope, address] = decodeAbiParameters(parseAbiParameters("string, address"), idData as Hex);
    if (scope === "this") return `adapter ${address}`;
    if (scope === "collateralToken") return `collateral token ${address}`;
    if (scope === "this/marketParams") return `market ${String(id).slice(0, 10)}… of adapter ${address}`;
  } catch {
    // Adapters may use data of any other form.
  }
  return `id ${id}`;
}

const CAP_ADVICE = "It limits how much the vault may allocate there.";
/** Creates the texts for an event that reduces or increases a cap on allocations. */
const capTexts = (
  cap: "absolute cap" | "relative cap",
  of: { verb: "reduced" | "increased"; value: (args: EventArgs, context: EventContext) => string },
): EventTerms => ({
  what: cap,
  title: () => `${cap} ${of.verb}`,
  report: (args, context) =>
    `The ${cap} for ${capScope(args)} of ${context.vault} was ${of.verb} to ${of.value(args, context)} at ${context.time}.`,
  advice: CAP_ADVICE,
});
const absoluteCap = ({ newAbsoluteCap }: EventArgs, context: EventContext): string =>
  formatAssetUnits(newAbsoluteCap, context);
const relativeCap = ({ newRelativeCap }: EventArgs): string =>
  `${formatWadFraction(newRelativeCap)} of total assets`;

const gateEvents: readonly GovernanceEvent[] = [
  changeEvent(
    ["address", "allow_list", "SetReceiveSharesGate(address indexed newReceiveSharesGate)"],
    addressTexts("gate for receiving shares", {
      member: "newReceiveSharesGate",
      advice: "This contract decides who may receive shares: check whether your account can still deposit.",
    }),
  ),
  changeEvent(["address", "allow_list", "SetSendSharesGate(address indexed newSendSharesGate)"], {
    ...addressTexts("gate for sending and redeeming shares", {
      member: "newSendSharesGate",
      advice:
        "This contract decides who may transfer or redeem shares: check whether your account can still withdraw.",
    }),
    tier: "high",
  }),
  changeEvent(["address", "allow_list", "SetReceiveAssetsGate(address indexed newReceiveAssetsGate)"], {
    ...addressTexts("withdrawal gate", {
      member: "newReceiveAssetsGate",
      advice:
        "This contract decides who may receive withdrawals: check whether your account can still withdraw.",
    }),
    tier: "high",
  }),
  changeEvent(
    ["address", "allow_list", "SetSendAssetsGate(address indexed newSendAssetsGate)"],
    addressTexts("deposit gate", {
      member: "newSendAssetsGate",
      advice: "This contract decides who may deposit: check whether your account can still deposit.",
    }),
  ),
];

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
 * Governance events of Morpho Vault V2. Changes of owner, curator and both fees are left out, because views return
 * them. Source: morpho-org/vault-v2.
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
      report: ({ selector }, { vault, time }) =>
        `Cancelled in the timelock of ${vault} at ${time}: ${withArticle(changeOf(selector))}.`,
      advice: "The current configuration remains in force.",
    },
  ),
  changeEvent(
    ["address", "timelock", "DecreaseTimelock(bytes4 indexed selector, uint256 newDuration)"],
    timelockTexts({
      verb: "reduced",
      advice:
        "Holders now have less time to withdraw before such a change takes effect: check pending changes more often.",
    }),
  ),
  changeEvent(["address", "timelock", "IncreaseTimelock(bytes4 indexed selector, uint256 newDuration)"], {
    ...timelockTexts({
      verb: "increased",
      advice: "Holders now have more time to withdraw before such a change takes effect.",
    }),
    tier: "low",
  }),
  changeEvent(
    ["address", "guardian", "SetIsSentinel(address indexed account, bool newIsSentinel)"],
    memberTexts("sentinel", {
      member: "account",
      added: ({ newIsSentinel }) => newIsSentinel === true,
      advice: [
        "Sentinels can cancel pending changes and reduce caps: find out who it is before you rely on it.",
        "It can no longer cancel pending changes: check who still can.",
      ],
    }),
  ),
  ...gateEvents,
  changeEvent(["address", "strategy", "AddAdapter(address indexed account)"], {
    ...memberTexts("adapter", {
      member: "account",
      added: () => true,
      advice: ["The vault can now allocate assets through it: find out where.", ""],
    }),
    tier: "medium",
  }),
  changeEvent(
    ["address", "strategy", "RemoveAdapter(address indexed account)"],
    memberTexts("adapter", {
      member: "account",
      added: () => false,
      advice: ["", "The vault no longer counts assets that are held through it: check whether any are left."],
    }),
  ),
  ...capEvents,
];
