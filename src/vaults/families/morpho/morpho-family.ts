import {
  decodeEventLog,
  type Hex,
  isAddressEqual,
  parseAbi,
  toEventSelector,
  toFunctionSelector,
} from "viem";
import {
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  read,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { DAY_S } from "../../../lib/durations.ts";
import { once } from "../../../lib/once.ts";
import { curationEvents } from "../../governance/common-governance-events.ts";
import type { Vault } from "../../vault.ts";
import type { FlowSource, TermsInput, VaultFamily } from "../../vault-adapter.ts";
import type { DerivationSubject } from "../../vault-deriver.ts";
import type { ExitTerms, ExitTermsInput } from "../../vault-exits.ts";
import { FEE_UNITS, type FeeRates, feeFractionQuery, feeRate, rateFraction } from "../../vault-fee-rates.ts";
import { familyErrors } from "../../vault-reverts.ts";
import { defineErc4626 } from "../erc4626-base/erc4626-adapter.ts";
import {
  erc4626Deriver,
  type FamilyFactories,
  type Identification,
  identifyByFactory,
  ORDINARY_ACCOUNT,
} from "../erc4626-base/erc4626-derivation.ts";
import { erc4626Exits } from "../erc4626-base/erc4626-exits.ts";
import { erc4626Flows } from "../erc4626-base/erc4626-flow-events.ts";
import type { FamilyViews } from "../erc4626-base/erc4626-variant-views.ts";
import { factoriesByChain, metaMorphoFactories, morphoV2Factories } from "../family-factory-addresses.ts";
import { morphoV2Events } from "./morpho-governance-events.ts";

/**
 * Adapter of MetaMorpho 1.0 and 1.1 vaults. Shares are valued only by `convertToAssets`, because `totalSupply` lacks
 * accrued fee shares. `maxDeposit` may be too high. Source: morpho-org/metamorpho.
 */
export const metaMorpho = defineErc4626({ name: "metamorpho", noMinimum: true, exits: erc4626Exits() });

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

const ofMetaMorpho: FamilyFactories = {
  family: "MetaMorpho",
  createdRead: (to, vault) => read({ to, abi: factoryAbi(), name: "isMetaMorpho", args: [vault] }),
  byChain: factoriesByChain(metaMorphoFactories),
};

const onSubject = ({ address }: DerivationSubject) => ({ to: address, abi: identificationAbi() }) as const;

const timelockAbi = once(() => parseAbi(["function timelock() view returns (uint256)"]));

/**
 * Returns a query for the timelock of a vault of MetaMorpho or one of its forks, in seconds; null if it cannot be read.
 */
export function curationTimelockQuery({ address }: Vault): Query<bigint | null> {
  const timelock = read({ to: address, abi: timelockAbi(), name: "timelock" });
  return createQuery({ timelock }, (results) => valueOrNull(results.timelock));
}

const feeAbi = once(() => parseAbi(["function fee() view returns (uint96)"]));

/**
 * Returns a query for the performance fee of a vault of MetaMorpho or one of its forks, as a fraction; null if it
 * cannot be read.
 */
export function curatedProfitFeeQuery({ address }: Vault): Query<number | null> {
  return feeFractionQuery(read({ to: address, abi: feeAbi(), name: "fee" }), FEE_UNITS.wad);
}

/** Vault family of MetaMorpho 1.0 and 1.1: its adapter, deriver, governance events, fee, timelock and roles. */
export const metaMorphoFamily: VaultFamily = {
  adapter: metaMorpho,
  type: "morpho",
  deriver: erc4626Deriver({
    identify: (subject) =>
      identifyByFactory(ofMetaMorpho, {
        ...subject,
        view: read({ ...onSubject(subject), name: "MORPHO" }),
      }),
  }),
  governanceEvents: curationEvents("bytes32"),
  profitFeeQuery: curatedProfitFeeQuery,
  timelockQuery: curationTimelockQuery,
  roleViews: [["owner"], ["curator"]],
  instantWithdrawals: true,
};

const gatesAbi = once(() =>
  parseAbi([
    "function canSendAssets(address) view returns (bool)",
    "function canReceiveShares(address) view returns (bool)",
    "function canSendShares(address) view returns (bool)",
    "function canReceiveAssets(address) view returns (bool)",
  ]),
);
const withdrawAbi = once(() =>
  parseAbi([
    "event Withdraw(address indexed sender, address indexed receiver, address indexed onBehalf, uint256 assets, uint256 shares)",
  ]),
);

/**
 * Returns a query for whether the vault's gates admit payer and receiver; a gate that cannot be read counts as open.
 * The Router's executor is not checked as payer, because its address is not known in advance.
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

/**
 * Returns a query for whether the vault's gates let the shares be sent and the assets received; unreadable gates count
 * as open. An ordinary account stands for the Router's executor. Source: morpho-org/vault-v2.
 */
function exitGateViews(vault: Vault, request: ExitTermsInput): Query<Partial<ExitTerms>> {
  const on = { to: vault.entryPoint, abi: gatesAbi() } as const;
  const holder = request.caller ?? ORDINARY_ACCOUNT;
  return createQuery(
    {
      owner: read({ ...on, name: "canSendShares", args: [request.owner] }),
      sends: read({ ...on, name: "canSendShares", args: [holder] }),
      holds: read({ ...on, name: "canReceiveShares", args: [holder] }),
      receives: read({ ...on, name: "canReceiveAssets", args: [request.receiver ?? holder] }),
    },
    ({ owner, sends, holds, receives }): Partial<ExitTerms> => {
      const gates = request.caller === null ? [owner, sends, holds, receives] : [owner, receives];
      return { refusal: gates.some((gate) => valueOrNull(gate) === false) ? "not_allowed" : null };
    },
  );
}

/**
 * Returns the source of a vault's flows: its ERC-4626 events. Withdrawals to the vault itself are penalties of forced
 * deallocations, which pay nothing for the shares.
 */
function morphoV2Flows(vault: Vault): FlowSource {
  const standard = erc4626Flows(vault);
  const [withdrawTopic] = withdrawAbi().map(toEventSelector);
  return {
    ...standard,
    revision: 1,
    decode(log) {
      const flow = standard.decode(log);
      if (flow === null || log.topics[0] !== withdrawTopic) return flow;
      const { args } = decodeEventLog({ abi: withdrawAbi(), data: log.data, topics: log.topics });
      return isAddressEqual(args.receiver, vault.entryPoint)
        ? { ...flow, assets: 0n, sharesOnly: true }
        : flow;
    },
  };
}

/** Revert data of `Panic(17)`: an arithmetic underflow or overflow. */
const UNDERFLOW: Hex = `0x4e487b71${"11".padStart(64, "0")}`;
const exitErrors = familyErrors({
  errors: {
    "error CannotSendShares()": "not_allowed",
    "error CannotReceiveAssets()": "not_allowed",
    "error TransferReverted()": "no_liquidity",
    // The vault has nothing in the market of its liquidity adapter.
    "error ZeroAllocation()": "no_liquidity",
  },
  reasons: [{ reason: /insufficient liquidity/i, code: "no_liquidity" }],
});

/**
 * Adapter of Morpho Vault V2. `maxDeposit` and `maxRedeem` always return 0, so they are not read: only a simulation
 * shows whether a cap is reached or liquidity is missing. Source: morpho-org/vault-v2.
 */
export const morphoV2 = defineErc4626({
  name: "morpho_v2",
  limited: false,
  views: gateViews,
  flows: morphoV2Flows,
  // `maxRedeem` is always 0, and a shortage of liquidity shows only in the simulation, as the adapter's own error.
  exits: {
    ...erc4626Exits({ limited: false, viaRouter: ({ caller }) => caller === "router", views: exitGateViews }),
    // A market underflows before it names its liquidity. So does a vault whose holder has too few shares: no code.
    explain: (revert) =>
      revert === UNDERFLOW ? { code: null, text: "Panic(17): underflow" } : exitErrors(revert),
  },
  explain: familyErrors({ errors: { "error ZeroAbsoluteCap()": "above_maximum" } }),
});

const ofVaultV2: FamilyFactories = {
  family: "Morpho Vault V2",
  createdRead: (to, vault) => read({ to, abi: factoryAbi(), name: "isVaultV2", args: [vault] }),
  byChain: factoriesByChain(morphoV2Factories),
};

/**
 * Returns a query that identifies a vault by `identifyByFactory`. The Router may call it only if the deposit gate
 * admits an ordinary account; otherwise, or if that cannot be read, the user must.
 */
function identifyMorphoV2(subject: DerivationSubject): Query<Identification> {
  const created = identifyByFactory(ofVaultV2, {
    ...subject,
    view: read({ ...onSubject(subject), name: "adaptersLength" }),
  });
  const gate = read({ ...onSubject(subject), name: "canSendAssets", args: [ORDINARY_ACCOUNT] });
  const gateQuery = createQuery({ gate }, (results) => results.gate.ok && results.gate.value === true);
  return mapQuery(queryAll({ created, admits: gateQuery }), ({ created: identification, admits }) =>
    identification.ok ? { ok: true, caller: admits ? "router" : "user" } : identification,
  );
}

const feesAbi = once(() =>
  parseAbi([
    "function performanceFee() view returns (uint96)",
    "function managementFee() view returns (uint96)",
  ]),
);

/**
 * Returns a query for the vault's performance fee and management fee, as fractions with 18 decimals; the management fee
 * is charged per second. A fee is absent if it cannot be read. Source: morpho-org/vault-v2.
 */
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

const selectorTimelockAbi = once(() =>
  parseAbi(["function timelock(bytes4 selector) view returns (uint256)"]),
);
/** Changes that determine where deposits are allocated. Source: morpho-org/vault-v2, `submit`. */
const RISKY_CHANGES = ["addAdapter(address)", "increaseAbsoluteCap(bytes,uint256)"].map(toFunctionSelector);

/**
 * Returns a query for the shortest timelock, in seconds, among the changes that determine where deposits are allocated.
 * Null unless all can be read.
 */
function morphoV2TimelockQuery({ address }: Vault): Query<bigint | null> {
  const on = { to: address, abi: selectorTimelockAbi(), name: "timelock" } as const;
  const reads = Object.fromEntries(
    RISKY_CHANGES.map((selector) => [selector, read({ ...on, args: [selector] })]),
  );
  return createQuery(reads, (results) => {
    const waits = Object.values(results).flatMap((result) => (result.ok ? [result.value] : []));
    const [first, ...others] = waits;
    if (first === undefined || waits.length < RISKY_CHANGES.length) return null;
    return others.reduce((least, wait) => (wait < least ? wait : least), first);
  });
}

/** Vault family of Morpho Vault V2: its adapter, deriver, governance events, fees, timelock and roles. */
export const morphoV2Family: VaultFamily = {
  adapter: morphoV2,
  type: "morpho",
  deriver: erc4626Deriver({ identify: identifyMorphoV2 }),
  governanceEvents: morphoV2Events,
  feeRatesQuery: morphoV2FeeRatesQuery,
  profitFeeQuery: ({ address }) =>
    feeFractionQuery(read({ to: address, abi: feesAbi(), name: "performanceFee" }), FEE_UNITS.wad),
  yearlyFeeQuery: (vault) =>
    mapQuery(morphoV2FeeRatesQuery(vault), ({ management_fee: fee }) => {
      const perSecond = rateFraction(fee, FEE_UNITS.wad);
      return perSecond === null ? null : perSecond * 365 * DAY_S;
    }),
  timelockQuery: morphoV2TimelockQuery,
  roleViews: [["owner"], ["curator"]],
};
