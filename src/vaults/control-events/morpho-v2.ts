import { type Hex, toFunctionSelector } from "viem";
import { once } from "../../lib/once.ts";
import { announced, type ControlEvent, done, type EventMembers, hours, to, withdrawn } from "./event.ts";

/** What can be submitted, by what it is to people. Source: morpho-org/vault-v2. */
const SUBMITTED: Readonly<Record<string, string>> = {
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
const bySelector = once(
  () => new Map(Object.entries(SUBMITTED).map(([name, says]) => [toFunctionSelector(name), says])),
);

const submission = ({ selector, executableAt }: EventMembers): string => {
  const says = bySelector().get(String(selector).toLowerCase() as Hex) ?? `the function ${selector}`;
  const at = Number(executableAt);
  const when = at < 8e12 ? new Date(at * 1000).toISOString().slice(0, 16).replace("T", " ") : "never";
  return `is about ${says} and can be put into effect from ${when} UTC on`;
};
const revoked = ({ selector }: EventMembers): string =>
  `was about ${bySelector().get(String(selector).toLowerCase() as Hex) ?? `the function ${selector}`}`;
const duration = (told: EventMembers): string =>
  `is ${hours(told["newDuration"])} for ${bySelector().get(String(told["selector"]).toLowerCase() as Hex) ?? `the function ${told["selector"]}`}`;

/** Morpho's Vault V2. Owner, curator and both fees have views. Source: morpho-org/vault-v2. */
export const morphoV2Events: readonly ControlEvent[] = [
  announced(["address", "timelock", "Submit(bytes4 indexed selector, bytes data, uint256 executableAt)"], {
    what: "vault's terms",
    words: submission,
  }),
  withdrawn(["address", "timelock", "Revoke(address indexed sender, bytes4 indexed selector, bytes data)"], {
    what: "vault's terms",
    words: revoked,
  }),
  done(["address", "timelock", "DecreaseTimelock(bytes4 indexed selector, uint256 newDuration)"], {
    what: "timelock",
    words: duration,
  }),
  done(["address", "timelock", "IncreaseTimelock(bytes4 indexed selector, uint256 newDuration)"], {
    what: "timelock",
    words: duration,
    tier: "low",
  }),
  done(["address", "guardian", "SetIsSentinel(address indexed account, bool newIsSentinel)"], {
    what: "set of sentinels",
    words: ({ account, newIsSentinel }) => `${newIsSentinel === true ? "has" : "no longer has"} ${account}`,
  }),
  done(["address", "allow_list", "SetReceiveSharesGate(address indexed newReceiveSharesGate)"], {
    what: "gate of those who may receive shares",
    words: to("newReceiveSharesGate"),
  }),
  done(["address", "allow_list", "SetSendSharesGate(address indexed newSendSharesGate)"], {
    what: "gate of those who may send or redeem shares",
    words: to("newSendSharesGate"),
    tier: "high",
  }),
  done(["address", "allow_list", "SetReceiveAssetsGate(address indexed newReceiveAssetsGate)"], {
    what: "gate of those who may be paid out",
    words: to("newReceiveAssetsGate"),
    tier: "high",
  }),
  done(["address", "allow_list", "SetSendAssetsGate(address indexed newSendAssetsGate)"], {
    what: "gate of those who may deposit",
    words: to("newSendAssetsGate"),
  }),
  done(["address", "strategy", "AddAdapter(address indexed account)"], {
    what: "set of places where money may go, to which one was added,",
    words: to("account"),
    tier: "medium",
  }),
  done(["address", "strategy", "RemoveAdapter(address indexed account)"], {
    what: "set of places where money may go, from which one was taken,",
    words: to("account"),
  }),
  done(["address", "cap", "IncreaseAbsoluteCap(bytes32 indexed id, bytes idData, uint256 newAbsoluteCap)"], {
    what: "absolute cap of a market",
    words: to("newAbsoluteCap"),
  }),
  done(
    [
      "address",
      "cap",
      "DecreaseAbsoluteCap(address indexed sender, bytes32 indexed id, bytes idData, uint256 newAbsoluteCap)",
    ],
    { what: "absolute cap of a market", words: to("newAbsoluteCap") },
  ),
  done(["address", "cap", "IncreaseRelativeCap(bytes32 indexed id, bytes idData, uint256 newRelativeCap)"], {
    what: "relative cap of a market",
    words: to("newRelativeCap", (part) => `${Number(part) / 1e16} %`),
  }),
  done(
    [
      "address",
      "cap",
      "DecreaseRelativeCap(address indexed sender, bytes32 indexed id, bytes idData, uint256 newRelativeCap)",
    ],
    { what: "relative cap of a market", words: to("newRelativeCap", (part) => `${Number(part) / 1e16} %`) },
  ),
];
