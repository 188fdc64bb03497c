import { erc20Abi, parseAbi } from "viem";
import {
  andThen,
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  read,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { smaller } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import { accessControlEvents } from "../../governance/common-governance-events.ts";
import {
  changeEvent,
  DEPOSITOR_WHITELIST_ADVICE,
  formatAssetUnits,
  type GovernanceEvent,
  newValue,
  pauseTexts,
  switchTexts,
} from "../../governance/governance-event.ts";
import type { Vault } from "../../vault.ts";
import type { TermsInput, VaultFamily } from "../../vault-adapter.ts";
import type { DerivationSubject } from "../../vault-deriver.ts";
import type { ExitTerms, ExitTermsInput, VaultExits } from "../../vault-exits.ts";
import { optionalChoiceParam } from "../../vault-params.ts";
import { familyErrors } from "../../vault-reverts.ts";
import { defineErc4626 } from "../erc4626-base/erc4626-adapter.ts";
import { erc4626Deriver, type Identification, notIdentified } from "../erc4626-base/erc4626-derivation.ts";
import { erc4626Exits } from "../erc4626-base/erc4626-exits.ts";
import type { FamilyViews } from "../erc4626-base/erc4626-variant-views.ts";
import { type LrtContracts, lrtContracts } from "./mellow-lrt-contracts.ts";
import { mellowLrtFlows } from "./mellow-lrt-flow-events.ts";
import { findLrtClaim, findLrtRequest } from "./mellow-lrt-request-events.ts";
import { lrtClaim, lrtRequests, lrtTakenOut, lrtTakenShares } from "./mellow-lrt-requests.ts";
import { queuesParam } from "./mellow-redeem-queues.ts";

const depositSwitchAbi = once(() =>
  parseAbi([
    "function depositPause() view returns (bool)",
    "function depositWhitelist() view returns (bool)",
    "function isDepositorWhitelisted(address account) view returns (bool)",
  ]),
);

/**
 * Returns a query for the deposit pause, and for whether the depositor whitelist rejects the receiver; each can make
 * `maxDeposit` 0. A view that fails counts as no obstacle.
 */
function depositSwitchViews(vault: Vault, request: TermsInput | null) {
  const on = { to: vault.entryPoint, abi: depositSwitchAbi() } as const;
  const account = request?.receiver ?? vault.entryPoint;
  return createQuery(
    {
      paused: read({ ...on, name: "depositPause" }),
      whitelist: read({ ...on, name: "depositWhitelist" }),
      whitelisted: read({ ...on, name: "isDepositorWhitelisted", args: [account] }),
    },
    ({ paused, whitelist, whitelisted }): FamilyViews => {
      const refused =
        request !== null && valueOrNull(whitelist) === true && valueOrNull(whitelisted) === false;
      return {
        ...{ paused: valueOrNull(paused) === true, pauseUnknown: !paused.ok },
        refusal: refused ? "not_allowed" : null,
      };
    },
  );
}

const exitAbi = once(() => parseAbi(["function withdrawalPause() view returns (bool)"]));

/**
 * Returns a query for what the vault holds in its asset and as collateral, all that it pays at once. Null if a balance
 * is unknown, or if a subvault pays too.
 */
function liquidAssets(vault: Vault, contracts: LrtContracts | null): Query<bigint | null> {
  if (contracts === null || contracts.paysMore) return createQuery({}, () => null);
  const { collateral } = contracts;
  const held = { abi: erc20Abi, name: "balanceOf", args: [vault.entryPoint] } as const;
  const reads = {
    liquid: read({ ...held, to: vault.asset.address }),
    kept: read({ ...held, to: collateral ?? vault.asset.address }),
  };
  return createQuery(reads, ({ liquid, kept }) => {
    if (collateral === null) return valueOrNull(liquid);
    return liquid.ok && kept.ok ? liquid.value + kept.value : null;
  });
}

/**
 * Returns a query for the pause, for what the vault pays at once, and for whether its queues pay requests: a request
 * that nobody could claim must not be built.
 */
function exitViews(vault: Vault, { mode }: ExitTermsInput): Query<Partial<ExitTerms>> {
  const paused = createQuery(
    { paused: read({ to: vault.entryPoint, abi: exitAbi(), name: "withdrawalPause" }) },
    (results) => valueOrNull(results.paused) === true,
  );
  const ways = andThen(lrtContracts(vault.entryPoint), (contracts) =>
    mapQuery(liquidAssets(vault, contracts), (availableAssets): Partial<ExitTerms> => {
      const queues = contracts === null || contracts.needsAcceptance ? [] : contracts.queues;
      return { availableAssets, ...(mode !== "instant" && queues.length === 0 && UNSUPPORTED) };
    }),
  );
  return mapQuery(queryAll({ paused, ways }), (found) => ({ paused: found.paused, ...found.ways }));
}
const UNSUPPORTED = { refusal: "mode_unsupported" } as const;

const redeem = erc4626Exits({ limited: false, viaRouter: () => false, views: exitViews });

/**
 * Returns a query for the conditions of a redemption. In the mode `request`, the part that is paid at once (`paidNow`)
 * is the smaller of the preview and the liquid assets, null if these are unknown.
 */
function exitTerms(vault: Vault, request: ExitTermsInput): Query<ExitTerms> {
  if (request.mode === "instant") return redeem.terms(vault, request);
  return mapQuery(redeem.terms(vault, request), (terms) => ({
    ...terms,
    paidNow: terms.availableAssets === null ? null : smaller(terms.previewAssets, terms.availableAssets),
    availableAssets: null,
    // What is queued may be slashed.
    priced: "recorded",
  }));
}

/** Returns true if the registry entry says that the vault pays everything at once. Throws an Error for another value. */
const paysAtOnce = (vault: Vault): boolean =>
  optionalChoiceParam(vault, { name: "exit", choices: ["instant"] }) !== null;

/**
 * Exits of Simple LRT vaults: `redeem` pays the liquid part and queues the rest for the receiver, the only account that
 * can claim it; so the receiver is always the user. Source: mellow-finance/simple-lrt.
 */
const exits: VaultExits = {
  ...redeem,
  modes: (vault) => (paysAtOnce(vault) ? ["instant"] : ["instant", "request"]),
  redeemQueues: true,
  terms: exitTerms,
  encode: (vault, request) => ({
    ...redeem.encode(vault, { ...request, caller: request.owner, receiver: request.owner }),
    async: request.mode !== "instant",
  }),
  explain: familyErrors({
    errors: { "error EnforcedPause()": "exits_paused" },
    reasons: [{ reason: /^RatiosStrategy: withdrawals paused$/, code: "exits_paused" }],
  }),
  pending: lrtRequests,
  takenOut: lrtTakenOut,
  takenShares: lrtTakenShares,
  claim: lrtClaim,
  findRequest: findLrtRequest,
  findSettlement: findLrtClaim,
};

/**
 * Adapter of Mellow's Simple LRT vaults, such as Lido's DVV. A redemption pays the liquid part immediately and queues
 * the rest, which the owner claims. Source: mellow-finance/simple-lrt.
 */
export const mellowLrt = defineErc4626({
  ...{ name: "mellow_lrt", ratio: true, views: depositSwitchViews, exits },
  flows: mellowLrtFlows,
  checkParams(vault) {
    queuesParam(vault, "withdrawal_queues");
    paysAtOnce(vault);
  },
});

/**
 * Returns the registry parameters for a vault's contracts: its queues, with those of the earlier parameters, where
 * requests may still be open, and `exit` if it has none and pays everything at once.
 */
function paramsOf(
  earlier: Readonly<Record<string, string>>,
  contracts: LrtContracts,
): Record<string, string> {
  const stored = (earlier["withdrawal_queues"] ?? "").split(",").filter((text) => text !== "");
  const current = contracts.queues.map((queue) => queue.toLowerCase());
  const queues = [...new Set([...stored, ...current])];
  return {
    ...(queues.length > 0 && { withdrawal_queues: queues.join(",") }),
    ...(contracts.queues.length === 0 && { exit: "instant" }),
  };
}

/**
 * Returns a query that identifies a vault by the views of its deposit pause and whitelist, and by the contracts that pay
 * withdrawals. If the whitelist is active, the user must call the vault.
 */
function identifyMellowLrt({ address, params }: DerivationSubject): Query<Identification> {
  const onSubject = { to: address, abi: depositSwitchAbi() } as const;
  const reads = {
    pause: read({ ...onSubject, name: "depositPause" }),
    whitelist: read({ ...onSubject, name: "depositWhitelist" }),
  };
  const switches = createQuery(reads, (results) => results);
  const parts = queryAll({ switches, contracts: lrtContracts(address) });
  return mapQuery(parts, ({ switches: { pause, whitelist }, contracts }): Identification => {
    if (!pause.ok || !whitelist.ok)
      return notIdentified("Mellow Simple LRT", "it has no depositPause() and depositWhitelist()");
    // Any contract can have two switches; without queues or DVV's views, nothing shows how it pays withdrawals.
    if (contracts === null)
      return notIdentified("Mellow Simple LRT", "it does not name the contracts that pay withdrawals");
    return { ok: true, caller: whitelist.value ? "user" : "router", params: paramsOf(params, contracts) };
  });
}

/**
 * Governance events of Mellow's Simple LRT vaults. The deposit pause is left out, because a view returns it. Source:
 * mellow-finance/simple-lrt.
 */
const mellowLrtEvents: readonly GovernanceEvent[] = [
  ...accessControlEvents,
  changeEvent(["address", "pause", "WithdrawalPauseSet(bool paused, uint256 timestamp, address sender)"], {
    ...pauseTexts("withdrawals", ({ paused }) => paused === true),
  }),
  changeEvent(
    ["address", "allow_list", "DepositWhitelistSet(bool status, uint256 timestamp, address sender)"],
    switchTexts("depositor whitelist", { member: "status", advice: DEPOSITOR_WHITELIST_ADVICE }),
  ),
  changeEvent(["address", "cap", "LimitSet(uint256 limit, uint256 timestamp, address sender)"], {
    what: "deposit cap",
    describe: newValue("limit", formatAssetUnits),
  }),
];

/** Vault family of Mellow's Simple LRT vaults: its adapter, deriver and governance events. */
export const mellowLrtFamily: VaultFamily = {
  adapter: mellowLrt,
  type: "lido",
  deriver: erc4626Deriver({ identify: identifyMellowLrt }),
  governanceEvents: mellowLrtEvents,
};
