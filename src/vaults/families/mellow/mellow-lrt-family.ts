import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  isAddressEqual,
  type Log,
  parseAbi,
  parseEventLogs,
} from "viem";
import { createQuery, mapQuery, type Query, read, valueOrNull } from "../../../chains/chain-reads.ts";
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
import {
  type ExitSettlement,
  type ExitTerms,
  type ExitTermsInput,
  type PendingExit,
  paidTo,
  unknownPendingExit,
  type VaultExits,
} from "../../vault-exits.ts";
import { namesAccount } from "../../vault-log-arguments.ts";
import { familyErrors } from "../../vault-reverts.ts";
import { defineErc4626 } from "../erc4626-base/erc4626-adapter.ts";
import { erc4626Deriver, type Identification, notIdentified } from "../erc4626-base/erc4626-derivation.ts";
import { erc4626Exits } from "../erc4626-base/erc4626-exits.ts";
import type { FamilyViews } from "../erc4626-base/erc4626-variant-views.ts";

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

const exitAbi = once(() =>
  parseAbi([
    "function withdrawalPause() view returns (bool)",
    "function pendingAssetsOf(address account) view returns (uint256)",
    "function claimableAssetsOf(address account) view returns (uint256)",
    "function claim(address account, address recipient, uint256 maxAmount) returns (uint256)",
    "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
  ]),
);
/** First topic of `Claimed(address,address,uint256)`, the event of a claim of queued assets. */
const CLAIMED_TOPIC = "0xf7a40077ff7a04c7e61f6f26fb13774259ddf1b6bce9ecf26a8276cdd3992683";

/**
 * Returns a query for the pause and for the vault's balance of the asset, null if unknown. The balance is a lower bound
 * of what the vault can pay instantly, because it may also withdraw from its default collateral.
 */
function liquidityViews(vault: Vault): Query<Partial<ExitTerms>> {
  return createQuery(
    {
      paused: read({ to: vault.entryPoint, abi: exitAbi(), name: "withdrawalPause" }),
      liquid: read({ to: vault.asset.address, abi: erc20Abi, name: "balanceOf", args: [vault.entryPoint] }),
    },
    ({ paused, liquid }) => ({ paused: valueOrNull(paused) === true, availableAssets: valueOrNull(liquid) }),
  );
}

const redeem = erc4626Exits({ limited: false, viaRouter: () => false, views: liquidityViews });

/**
 * Returns a query for the conditions of a redemption. In the mode `request`, the part that is paid at once (`paidNow`)
 * is the smaller of the preview and the liquid assets, as far as they are known.
 */
function exitTerms(vault: Vault, request: ExitTermsInput): Query<ExitTerms> {
  if (request.mode === "instant") return redeem.terms(vault, request);
  return mapQuery(redeem.terms(vault, request), (terms) => ({
    ...terms,
    paidNow: smaller(terms.previewAssets, terms.availableAssets),
    availableAssets: null,
    // What is queued may be slashed.
    priced: "recorded",
  }));
}

function pendingExits(vault: Vault, { user }: { user: Address }): Query<readonly PendingExit[] | null> {
  const on = { to: vault.entryPoint, abi: exitAbi(), args: [user] } as const;
  return createQuery(
    {
      pending: read({ ...on, name: "pendingAssetsOf" }),
      claimable: read({ ...on, name: "claimableAssetsOf" }),
    },
    (results) => {
      const [pending, claimable] = [valueOrNull(results.pending), valueOrNull(results.claimable)];
      if (pending === null || claimable === null) return null;
      if (pending === 0n && claimable === 0n) return [];
      return [
        {
          ...unknownPendingExit,
          // Assets that are still pending may be slashed.
          ...{
            assets: pending + claimable,
            priced: pending === 0n,
            token: vault.asset.address,
            bookedOut: true,
          },
          ...{ state: claimable > 0n ? "claimable" : "pending", claimableAssets: claimable },
        },
      ];
    },
  );
}

function findClaim(
  vault: Vault,
  { user, logs }: { user: Address; logs: readonly Log[] },
): ExitSettlement | null {
  const claimed = logs.some(
    (log) =>
      isAddressEqual(log.address, vault.entryPoint) &&
      log.topics[0] === CLAIMED_TOPIC &&
      // A stranger's claim in favour of the user names the user second.
      namesAccount(log, { account: user, first: true }),
  );
  const amounts = paidTo(logs, { token: vault.asset.address, receiver: user });
  if (!claimed || amounts.length === 0) return null;
  // The queued assets of two epochs become claimable one after the other.
  return { outcome: "paid", assets: amounts.reduce((sum, amount) => sum + amount, 0n), inParts: true };
}

/**
 * Exits of Simple LRT vaults: `redeem` pays the liquid part and queues the rest for the receiver, the only account that
 * can claim it; so the receiver is always the user. Source: mellow-finance/simple-lrt.
 */
const exits: VaultExits = {
  ...redeem,
  modes: () => ["instant", "request"],
  redeemQueues: true,
  terms: exitTerms,
  encode: (vault, request) => ({
    ...redeem.encode(vault, { ...request, caller: request.owner, receiver: request.owner }),
    async: request.mode !== "instant",
  }),
  explain: familyErrors({ errors: { "error EnforcedPause()": "exits_paused" } }),
  pending: pendingExits,
  claim(vault, { user, request }) {
    const amount = request.claimableAssets;
    if (amount === null || amount === 0n) return null;
    const data = encodeFunctionData({ abi: exitAbi(), functionName: "claim", args: [user, user, amount] });
    return { target: vault.entryPoint, data };
  },
  cancel: () => null,
  findRequest(vault, { user, logs }) {
    const own = logs.filter(({ address }) => isAddressEqual(address, vault.entryPoint));
    const found = parseEventLogs({ abi: exitAbi(), eventName: "Withdraw", logs: own }).find(({ args }) =>
      isAddressEqual(args.owner, user),
    );
    if (found === undefined) return null;
    const paid = paidTo(logs, { token: vault.asset.address, receiver: user });
    // The event counts what is queued too: nothing is requested if all of it was paid.
    if (paid.reduce((sum, amount) => sum + amount, 0n) >= found.args.assets) return null;
    return { requestId: "0", shares: found.args.shares };
  },
  findSettlement: findClaim,
};

/**
 * Adapter of Mellow's Simple LRT vaults, such as Lido's DVV. A redemption pays the liquid part immediately and queues
 * the rest, which the owner claims. Source: mellow-finance/simple-lrt.
 */
export const mellowLrt = defineErc4626({ name: "mellow_lrt", ratio: true, views: depositSwitchViews, exits });

/**
 * Returns a query that identifies a vault by the views of its deposit pause and whitelist. If the whitelist is active,
 * the user must call the vault.
 */
function identifyMellowLrt({ address }: DerivationSubject): Query<Identification> {
  const onSubject = { to: address, abi: depositSwitchAbi() } as const;
  const reads = {
    pause: read({ ...onSubject, name: "depositPause" }),
    whitelist: read({ ...onSubject, name: "depositWhitelist" }),
  };
  return createQuery(reads, ({ pause, whitelist }): Identification => {
    if (!pause.ok || !whitelist.ok)
      return notIdentified("Mellow Simple LRT", "it has no depositPause() and depositWhitelist()");
    return { ok: true, caller: whitelist.value ? "user" : "router" };
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
