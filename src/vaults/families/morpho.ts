import {
  decodeEventLog,
  type Hex,
  isAddressEqual,
  parseAbi,
  toEventSelector,
  toFunctionSelector,
} from "viem";
import { createQuery, read, valueOrNull } from "../../chains/query.ts";
import { once } from "../../lib/once.ts";
import {
  announcementEvent,
  cancellationEvent,
  changeEvent,
  type EventArgs,
  formatHours,
  type GovernanceEvent,
  newValue,
} from "../governance/governance-event.ts";
import { familyErrors } from "../reverts.ts";
import type { Vault } from "../vault.ts";
import type { FlowSource, TermsInput } from "../vault-adapter.ts";
import type { FamilyViews } from "./erc4626/family-views.ts";
import { erc4626Flows } from "./erc4626/flows.ts";
import { defineErc4626 } from "./erc4626/index.ts";

/**
 * MetaMorpho 1.0 and 1.1: ERC-4626 with neither pause nor minimum; `maxDeposit` may overstate when a market
 * stands in the supply queue twice. Fee shares that have accrued are missing in `totalSupply`, so that only the
 * vault's own conversion tells what a balance is worth. Source: morpho-org/metamorpho.
 */
export const metaMorpho = defineErc4626({ name: "metamorpho", noMinimum: true });

const gatesAbi = once(() =>
  parseAbi([
    "function canSendAssets(address) view returns (bool)",
    "function canReceiveShares(address) view returns (bool)",
  ]),
);
const withdrawAbi = once(() =>
  parseAbi([
    "event Withdraw(address indexed sender, address indexed receiver, address indexed onBehalf, uint256 assets, uint256 shares)",
  ]),
);

/** Whether the gates admit who pays and who gets the shares. Of the Router's clones only a simulation can tell. */
function gateViews(vault: Vault, asked: TermsInput | null) {
  if (asked === null) return createQuery({}, (): FamilyViews => ({}));
  const on = { to: vault.entryPoint, abi: gatesAbi() } as const;
  return createQuery(
    {
      sends: read({ ...on, name: "canSendAssets", args: [asked.caller ?? asked.receiver] }),
      receives: read({ ...on, name: "canReceiveShares", args: [asked.receiver] }),
    },
    ({ sends, receives }): FamilyViews => {
      const shut = (asked.caller !== null && valueOrNull(sends) === false) || valueOrNull(receives) === false;
      return { refusal: shut ? "not_allowed" : null };
    },
  );
}

/** As ERC-4626, but for the penalty of a forced deallocation: it burns shares, and pays the vault itself. */
function morphoV2Flows(vault: Vault): FlowSource {
  const standard = erc4626Flows(vault);
  const [withdrawTopic] = withdrawAbi().map(toEventSelector);
  return {
    ...standard,
    decode(log) {
      const flow = standard.decode(log);
      if (flow === null || log.topics[0] !== withdrawTopic) return flow;
      const { args } = decodeEventLog({ abi: withdrawAbi(), data: log.data, topics: log.topics });
      return isAddressEqual(args.receiver, vault.entryPoint) ? null : flow;
    },
  };
}

/**
 * Morpho Vault V2: `maxDeposit` is always 0 and says nothing; gates admit callers and receivers; caps show in a
 * simulation only. A penalty is a loss, no withdrawal. Source: morpho-org/vault-v2.
 */
export const morphoV2 = defineErc4626({
  name: "morpho_v2",
  limited: false,
  views: gateViews,
  flows: morphoV2Flows,
  explain: familyErrors({ errors: { "error ZeroAbsoluteCap()": "above_maximum" } }),
});

/** What can be submitted, by what it is to people. Source: morpho-org/vault-v2. */
const SUBMITTED_FUNCTIONS: Readonly<Record<string, string>> = {
  "setIsAllocator(address,bool)": "an allocator",
  "setReceiveSharesGate(address)": "who may receive shares",
  "setSendSharesGate(address)": "who may send shares",
  "setReceiveAssetsGate(address)": "who may be paid out",
  "setSendAssetsGate(address)": "who may deposit",
  "setAdapterRegistry(address)": "the registry of adapters",
  "addAdapter(address)": "a new adapter",
  "removeAdapter(address)": "an adapter less",
  "increaseTimelock(bytes4,uint256)": "a longer timelock",
  "decreaseTimelock(bytes4,uint256)": "a shorter timelock",
  "abdicate(bytes4)": "a right given up",
  "setPerformanceFee(uint256)": "the performance fee",
  "setManagementFee(uint256)": "the management fee",
  "setPerformanceFeeRecipient(address)": "who is paid the performance fee",
  "setManagementFeeRecipient(address)": "who is paid the management fee",
  "increaseAbsoluteCap(bytes,uint256)": "a higher absolute cap",
  "increaseRelativeCap(bytes,uint256)": "a higher relative cap",
  "setForceDeallocatePenalty(address,uint256)": "the penalty of forced exits",
};
const functionBySelector = once(
  () => new Map(Object.entries(SUBMITTED_FUNCTIONS).map(([name, says]) => [toFunctionSelector(name), says])),
);

const describeSubmission = ({ selector, executableAt }: EventArgs): string => {
  const says = functionBySelector().get(String(selector).toLowerCase() as Hex) ?? `the function ${selector}`;
  const at = Number(executableAt);
  const when = at < 8e12 ? new Date(at * 1000).toISOString().slice(0, 16).replace("T", " ") : "never";
  return `is about ${says} and can be put into effect from ${when} UTC on`;
};
const describeRevocation = ({ selector }: EventArgs): string =>
  `was about ${functionBySelector().get(String(selector).toLowerCase() as Hex) ?? `the function ${selector}`}`;
const describeTimelock = (told: EventArgs): string =>
  `is ${formatHours(told["newDuration"])} for ${functionBySelector().get(String(told["selector"]).toLowerCase() as Hex) ?? `the function ${told["selector"]}`}`;

/** Morpho's Vault V2. Owner, curator and both fees have views. Source: morpho-org/vault-v2. */
export const morphoV2Events: readonly GovernanceEvent[] = [
  announcementEvent(
    ["address", "timelock", "Submit(bytes4 indexed selector, bytes data, uint256 executableAt)"],
    {
      what: "vault's terms",
      words: describeSubmission,
    },
  ),
  cancellationEvent(
    ["address", "timelock", "Revoke(address indexed sender, bytes4 indexed selector, bytes data)"],
    {
      what: "vault's terms",
      words: describeRevocation,
    },
  ),
  changeEvent(["address", "timelock", "DecreaseTimelock(bytes4 indexed selector, uint256 newDuration)"], {
    what: "timelock",
    words: describeTimelock,
  }),
  changeEvent(["address", "timelock", "IncreaseTimelock(bytes4 indexed selector, uint256 newDuration)"], {
    what: "timelock",
    words: describeTimelock,
    tier: "low",
  }),
  changeEvent(["address", "guardian", "SetIsSentinel(address indexed account, bool newIsSentinel)"], {
    what: "set of sentinels",
    words: ({ account, newIsSentinel }) => `${newIsSentinel === true ? "has" : "no longer has"} ${account}`,
  }),
  changeEvent(["address", "allow_list", "SetReceiveSharesGate(address indexed newReceiveSharesGate)"], {
    what: "gate of those who may receive shares",
    words: newValue("newReceiveSharesGate"),
  }),
  changeEvent(["address", "allow_list", "SetSendSharesGate(address indexed newSendSharesGate)"], {
    what: "gate of those who may send or redeem shares",
    words: newValue("newSendSharesGate"),
    tier: "high",
  }),
  changeEvent(["address", "allow_list", "SetReceiveAssetsGate(address indexed newReceiveAssetsGate)"], {
    what: "gate of those who may be paid out",
    words: newValue("newReceiveAssetsGate"),
    tier: "high",
  }),
  changeEvent(["address", "allow_list", "SetSendAssetsGate(address indexed newSendAssetsGate)"], {
    what: "gate of those who may deposit",
    words: newValue("newSendAssetsGate"),
  }),
  changeEvent(["address", "strategy", "AddAdapter(address indexed account)"], {
    what: "set of places where money may go, to which one was added,",
    words: newValue("account"),
    tier: "medium",
  }),
  changeEvent(["address", "strategy", "RemoveAdapter(address indexed account)"], {
    what: "set of places where money may go, from which one was taken,",
    words: newValue("account"),
  }),
  changeEvent(
    ["address", "cap", "IncreaseAbsoluteCap(bytes32 indexed id, bytes idData, uint256 newAbsoluteCap)"],
    {
      what: "absolute cap of a market",
      words: newValue("newAbsoluteCap"),
    },
  ),
  changeEvent(
    [
      "address",
      "cap",
      "DecreaseAbsoluteCap(address indexed sender, bytes32 indexed id, bytes idData, uint256 newAbsoluteCap)",
    ],
    { what: "absolute cap of a market", words: newValue("newAbsoluteCap") },
  ),
  changeEvent(
    ["address", "cap", "IncreaseRelativeCap(bytes32 indexed id, bytes idData, uint256 newRelativeCap)"],
    {
      what: "relative cap of a market",
      words: newValue("newRelativeCap", (part) => `${Number(part) / 1e16} %`),
    },
  ),
  changeEvent(
    [
      "address",
      "cap",
      "DecreaseRelativeCap(address indexed sender, bytes32 indexed id, bytes idData, uint256 newRelativeCap)",
    ],
    {
      what: "relative cap of a market",
      words: newValue("newRelativeCap", (part) => `${Number(part) / 1e16} %`),
    },
  ),
];
