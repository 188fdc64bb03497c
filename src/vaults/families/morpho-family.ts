import {
  decodeEventLog,
  type Hex,
  isAddressEqual,
  parseAbi,
  toEventSelector,
  toFunctionSelector,
} from "viem";
import { createQuery, type Query, read, valueOrNull } from "../../chains/chain-query.ts";
import { once } from "../../lib/once.ts";
import { type FeeRates, feeRate } from "../fee-rates.ts";
import { curationEvents } from "../governance/common-governance-events.ts";
import {
  addedMember,
  announcementEvent,
  cancellationEvent,
  changeEvent,
  type EventArgs,
  formatAssetUnits,
  formatHours,
  formatUtcMinute,
  formatWadFraction,
  type GovernanceEvent,
  newValue,
  removedMember,
} from "../governance/governance-event.ts";
import type { Vault } from "../vault.ts";
import type { FlowSource, TermsInput, VaultFamily } from "../vault-adapter.ts";
import type { DerivationSubject } from "../vault-derivation.ts";
import { familyErrors } from "../vault-reverts.ts";
import { defineErc4626 } from "./erc4626/erc4626-adapter.ts";
import {
  erc4626Deriver,
  type FamilyFactories,
  type Identification,
  identifyByFactory,
  ORDINARY_ACCOUNT,
} from "./erc4626/erc4626-derivation.ts";
import { erc4626Flows } from "./erc4626/erc4626-flows.ts";
import type { FamilyViews } from "./erc4626/erc4626-variant-views.ts";

/**
 * Adapter of MetaMorpho 1.0 and 1.1 vaults. `maxDeposit` may be too high if a market is in the supply queue twice.
 * `totalSupply` lacks accrued fee shares, so only the vault's own conversion values a balance. Source: morpho-org/metamorpho.
 */
export const metaMorpho = defineErc4626({ name: "metamorpho", noMinimum: true });

const identificationAbi = once(() =>
  parseAbi([
    "function MORPHO() view returns (address)",
    "function adaptersLength() view returns (uint256)",
    "function canSendAssets(address) view returns (bool)",
  ]),
);
const factoryAbi = once(() =>
  parseAbi([
    "function isMetaMorpho(address) view returns (bool)",
    "function isVaultV2(address) view returns (bool)",
  ]),
);

/** Factories of MetaMorpho 1.0 and 1.1 vaults by chain. Sources: morpho-org/metamorpho, DefiLlama. */
const metaMorphoFactories: FamilyFactories = {
  family: "MetaMorpho",
  createdRead: (to, vault) => read({ to, abi: factoryAbi(), name: "isMetaMorpho", args: [vault] }),
  byChain: {
    1: ["0xA9c3D3a366466Fa809d1Ae982Fb2c46E5fC41101", "0x1897A8997241C1cD4bD0698647e4EB7213535c24"],
    8453: ["0xA9c3D3a366466Fa809d1Ae982Fb2c46E5fC41101", "0xFf62A7c278C62eD665133147129245053Bbf5918"],
  },
};

const onSubject = ({ address }: DerivationSubject) => ({ to: address, abi: identificationAbi() }) as const;

/** Vault family of MetaMorpho 1.0 and 1.1: its adapter, deriver and governance events. */
export const metaMorphoFamily: VaultFamily = {
  adapter: metaMorpho,
  type: "morpho",
  deriver: erc4626Deriver({
    identify: (subject) =>
      identifyByFactory(metaMorphoFactories, {
        ...subject,
        view: read({ ...onSubject(subject), name: "MORPHO" }),
      }),
  }),
  governanceEvents: curationEvents("bytes32"),
  instantWithdrawals: true,
};

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

/**
 * Returns a query that reads whether the vault's gates admit payer and receiver. A payer that is the clone that the Router
 * creates per deposit is not checked: its address is not known in advance, so only a simulation shows whether it is admitted.
 */
function gateViews(vault: Vault, request: TermsInput | null) {
  if (request === null) return createQuery({}, (): FamilyViews => ({}));
  const on = { to: vault.entryPoint, abi: gatesAbi() } as const;
  return createQuery(
    {
      sends: read({ ...on, name: "canSendAssets", args: [request.caller ?? request.receiver] }),
      receives: read({ ...on, name: "canReceiveShares", args: [request.receiver] }),
    },
    ({ sends, receives }): FamilyViews => {
      const refused =
        (request.caller !== null && valueOrNull(sends) === false) || valueOrNull(receives) === false;
      return { refusal: refused ? "not_allowed" : null };
    },
  );
}

/** Returns the ERC-4626 deposit and withdrawal events, except penalties of forced deallocations, which pay the vault itself. */
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
 * Adapter of Morpho Vault V2. `maxDeposit` is always 0 and therefore not read, gates restrict payers and receivers, and only a
 * simulation shows whether a cap is reached. Source: morpho-org/vault-v2.
 */
export const morphoV2 = defineErc4626({
  name: "morpho_v2",
  limited: false,
  views: gateViews,
  flows: morphoV2Flows,
  explain: familyErrors({ errors: { "error ZeroAbsoluteCap()": "above_maximum" } }),
});

/** Factories of Morpho Vault V2 by chain. Source: morpho-org/vault-v2. */
const vaultV2Factories: FamilyFactories = {
  family: "Morpho Vault V2",
  createdRead: (to, vault) => read({ to, abi: factoryAbi(), name: "isVaultV2", args: [vault] }),
  byChain: {
    1: ["0xA1D94F746dEfa1928926b84fB2596c06926C0405"],
    8453: ["0x4501125508079A99ebBebCE205DeC9593C2b5857"],
  },
};

/** Returns a query that identifies a vault by its factory. If a gate rejects ordinary payers, the user must call the vault. */
function identifyMorphoV2(subject: DerivationSubject): Query<Identification> {
  const created = identifyByFactory(vaultV2Factories, {
    ...subject,
    view: read({ ...onSubject(subject), name: "adaptersLength" }),
  });
  const gate = read({ ...onSubject(subject), name: "canSendAssets", args: [ORDINARY_ACCOUNT] });
  return {
    reads: { ...created.reads, gate },
    interpret: ({ gate: admits, ...others }) => {
      const identification = created.interpret(others);
      if (!identification.ok) return identification;
      return { ok: true, caller: admits?.ok && admits.value === true ? "router" : "user" };
    },
  };
}

/** Timelocked functions of Morpho Vault V2 and the setting that each changes. Source: morpho-org/vault-v2. */
const TIMELOCKED_FUNCTIONS: Readonly<Record<string, string>> = {
  "setIsAllocator(address,bool)": "an allocator",
  "setReceiveSharesGate(address)": "the gate for receiving shares",
  "setSendSharesGate(address)": "the gate for sending shares",
  "setReceiveAssetsGate(address)": "the withdrawal gate",
  "setSendAssetsGate(address)": "the deposit gate",
  "setAdapterRegistry(address)": "the adapter registry",
  "addAdapter(address)": "the addition of an adapter",
  "removeAdapter(address)": "the removal of an adapter",
  "increaseTimelock(bytes4,uint256)": "a longer timelock",
  "decreaseTimelock(bytes4,uint256)": "a shorter timelock",
  "abdicate(bytes4)": "a function that is disabled permanently",
  "setPerformanceFee(uint256)": "the performance fee",
  "setManagementFee(uint256)": "the management fee",
  "setPerformanceFeeRecipient(address)": "the recipient of the performance fee",
  "setManagementFeeRecipient(address)": "the recipient of the management fee",
  "increaseAbsoluteCap(bytes,uint256)": "a higher absolute cap",
  "increaseRelativeCap(bytes,uint256)": "a higher relative cap",
  "setForceDeallocatePenalty(address,uint256)": "the penalty of forced deallocations",
};
const settingBySelector = once(
  () =>
    new Map(
      Object.entries(TIMELOCKED_FUNCTIONS).map(([signature, setting]) => [
        toFunctionSelector(signature),
        setting,
      ]),
    ),
);
const settingOfSelector = (selector: unknown): string =>
  settingBySelector().get(String(selector).toLowerCase() as Hex) ?? `the function ${selector}`;

/** Upper limit of displayable timestamps, in seconds. The timestamp of an abdicated function is the largest uint256. */
const LAST_TIME = 8e12;

const describeSubmission = ({ selector, executableAt }: EventArgs): string => {
  const when =
    Number(executableAt) < LAST_TIME
      ? `can be executed from ${formatUtcMinute(executableAt)}`
      : "can never be executed";
  return `concerns ${settingOfSelector(selector)} and ${when}`;
};
const describeRevocation = ({ selector }: EventArgs): string => `concerned ${settingOfSelector(selector)}`;
const describeTimelock = ({ selector, newDuration }: EventArgs): string =>
  `is ${formatHours(newDuration)} for ${settingOfSelector(selector)}`;

/**
 * Governance events of Morpho Vault V2. Owner, curator and both fees are read from views instead. Source: morpho-org/vault-v2.
 */
const morphoV2Events: readonly GovernanceEvent[] = [
  announcementEvent(
    ["address", "timelock", "Submit(bytes4 indexed selector, bytes data, uint256 executableAt)"],
    {
      what: "configuration",
      describe: describeSubmission,
    },
  ),
  cancellationEvent(
    ["address", "timelock", "Revoke(address indexed sender, bytes4 indexed selector, bytes data)"],
    {
      what: "configuration",
      describe: describeRevocation,
    },
  ),
  changeEvent(["address", "timelock", "DecreaseTimelock(bytes4 indexed selector, uint256 newDuration)"], {
    what: "timelock",
    describe: describeTimelock,
  }),
  changeEvent(["address", "timelock", "IncreaseTimelock(bytes4 indexed selector, uint256 newDuration)"], {
    what: "timelock",
    describe: describeTimelock,
    tier: "low",
  }),
  changeEvent(["address", "guardian", "SetIsSentinel(address indexed account, bool newIsSentinel)"], {
    what: "sentinels",
    describe: ({ account, newIsSentinel }) =>
      `${newIsSentinel === true ? "now include" : "no longer include"} ${account}`,
  }),
  changeEvent(["address", "allow_list", "SetReceiveSharesGate(address indexed newReceiveSharesGate)"], {
    what: "gate for receiving shares",
    describe: newValue("newReceiveSharesGate"),
  }),
  changeEvent(["address", "allow_list", "SetSendSharesGate(address indexed newSendSharesGate)"], {
    what: "gate for sending and redeeming shares",
    describe: newValue("newSendSharesGate"),
    tier: "high",
  }),
  changeEvent(["address", "allow_list", "SetReceiveAssetsGate(address indexed newReceiveAssetsGate)"], {
    what: "withdrawal gate",
    describe: newValue("newReceiveAssetsGate"),
    tier: "high",
  }),
  changeEvent(["address", "allow_list", "SetSendAssetsGate(address indexed newSendAssetsGate)"], {
    what: "deposit gate",
    describe: newValue("newSendAssetsGate"),
  }),
  changeEvent(["address", "strategy", "AddAdapter(address indexed account)"], {
    what: "adapters",
    describe: addedMember("account"),
    tier: "medium",
  }),
  changeEvent(["address", "strategy", "RemoveAdapter(address indexed account)"], {
    what: "adapters",
    describe: removedMember("account"),
  }),
  changeEvent(
    ["address", "cap", "IncreaseAbsoluteCap(bytes32 indexed id, bytes idData, uint256 newAbsoluteCap)"],
    {
      what: "absolute cap of a market",
      describe: newValue("newAbsoluteCap", formatAssetUnits),
    },
  ),
  changeEvent(
    [
      "address",
      "cap",
      "DecreaseAbsoluteCap(address indexed sender, bytes32 indexed id, bytes idData, uint256 newAbsoluteCap)",
    ],
    { what: "absolute cap of a market", describe: newValue("newAbsoluteCap", formatAssetUnits) },
  ),
  changeEvent(
    ["address", "cap", "IncreaseRelativeCap(bytes32 indexed id, bytes idData, uint256 newRelativeCap)"],
    {
      what: "relative cap of a market",
      describe: newValue("newRelativeCap", formatWadFraction),
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
      describe: newValue("newRelativeCap", formatWadFraction),
    },
  ),
];

const feesAbi = once(() =>
  parseAbi([
    "function performanceFee() view returns (uint96)",
    "function managementFee() view returns (uint96)",
  ]),
);

/** Returns a query for the vault's performance fee and management fee, as fractions with 18 decimals. */
function morphoV2FeeRatesQuery({ address }: Vault): Query<FeeRates> {
  const on = { to: address, abi: feesAbi() } as const;
  return createQuery(
    {
      performance: read({ ...on, name: "performanceFee" }),
      management: read({ ...on, name: "managementFee" }),
    },
    ({ performance, management }) => ({
      ...feeRate("performance_fee", { result: performance, feeOf: (fee) => fee }),
      ...feeRate("management_fee", { result: management, feeOf: (fee) => fee }),
    }),
  );
}

/** Vault family of Morpho Vault V2: its adapter, deriver and governance events. */
export const morphoV2Family: VaultFamily = {
  adapter: morphoV2,
  type: "morpho",
  deriver: erc4626Deriver({ identify: identifyMorphoV2 }),
  governanceEvents: morphoV2Events,
  feeRatesQuery: morphoV2FeeRatesQuery,
};
