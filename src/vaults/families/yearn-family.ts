import { encodeFunctionData, parseAbi } from "viem";
import { createQuery, type Query, read, valueOrNull } from "../../chains/chain-reads.ts";
import { fractionToParts, PARTS_PER_BILLION, smaller } from "../../lib/amount.ts";
import { once } from "../../lib/once.ts";
import { FIND_OUT } from "../governance/common-governance-events.ts";
import {
  addressTexts,
  announcementEvent,
  changeEvent,
  type EventArgs,
  type EventContext,
  formatAssetUnits,
  formatBps,
  type GovernanceEvent,
  isNone,
  memberTexts,
  newValue,
  pauseTexts,
  tookEffect,
} from "../governance/governance-event.ts";
import type { Vault } from "../vault.ts";
import type { VaultFamily } from "../vault-adapter.ts";
import type { DerivationSubject } from "../vault-deriver.ts";
import type { ExitInput, ExitTerms, ExitTermsInput, VaultExits } from "../vault-exits.ts";
import { FEE_UNITS, feeFractionQuery } from "../vault-fee-rates.ts";
import { familyErrors } from "../vault-reverts.ts";
import { defineErc4626 } from "./erc4626-base/erc4626-adapter.ts";
import { erc4626Deriver, type Identification, notIdentified } from "./erc4626-base/erc4626-derivation.ts";
import { erc4626Exits } from "./erc4626-base/erc4626-exits.ts";
import type { FamilyViews } from "./erc4626-base/erc4626-variant-views.ts";

const shutdownAbi = once(() =>
  parseAbi(["function isShutdown() view returns (bool)", "function isPaused() view returns (bool)"]),
);
const identificationAbi = once(() =>
  parseAbi([
    "function get_default_queue() view returns (address[])",
    "function isShutdown() view returns (bool)",
    "function fullProfitUnlockDate() view returns (uint256)",
  ]),
);

/**
 * Returns a query for whether the vault is shut down or, for strategies since version 3.1, paused. A view that fails
 * counts as neither; if both fail, the pause is unknown.
 */
function shutdownViews(vault: Vault) {
  const on = { to: vault.entryPoint, abi: shutdownAbi() } as const;
  return createQuery(
    { shutdown: read({ ...on, name: "isShutdown" }), pause: read({ ...on, name: "isPaused" }) },
    ({ shutdown, pause }): FamilyViews => ({
      paused: valueOrNull(shutdown) === true || valueOrNull(pause) === true,
      // Only strategies have both views.
      pauseUnknown: !shutdown.ok && !pause.ok,
    }),
  );
}

const lossAbi = once(() =>
  parseAbi([
    "function maxRedeem(address owner, uint256 maxLoss) view returns (uint256)",
    "function redeem(uint256 shares, address receiver, address owner, uint256 maxLoss) returns (uint256 assets)",
  ]),
);
/** Slippage of a withdrawal if the caller states none, as a fraction. */
const DEFAULT_SLIPPAGE = 0.005;
/** Maximum strategy loss that a redemption accepts, however high the slippage, in basis points. */
const MAX_LOSS_BPS = 300;
/** Maximum loss in basis points with which the vault's view takes no account of losses. */
const MAX_BPS = 10_000n;

/**
 * Returns the strategy loss that a redemption accepts, in basis points: the user's slippage, rounded down, at most 3%.
 * The standard `redeem` would accept any loss.
 */
function maxLossBps({ slippage = DEFAULT_SLIPPAGE }: Pick<ExitInput, "slippage">): bigint {
  const asked = fractionToParts(slippage) / (PARTS_PER_BILLION / 10_000n);
  return smaller(asked, BigInt(MAX_LOSS_BPS)) ?? 0n;
}

/**
 * Returns a query for the number of shares that the owner can redeem within the accepted loss or, if the vault redeems
 * none within it, with any loss; in the share token's smallest unit, null if unknown. And for whether a pause explains
 * a limit of 0: a paused strategy says only that a redemption exceeds the limit.
 */
function lossViews(vault: Vault, request: ExitTermsInput): Query<Partial<ExitTerms>> {
  const to = vault.entryPoint;
  const within = (maxLoss: bigint) =>
    read({ to, abi: lossAbi(), name: "maxRedeem", args: [request.owner, maxLoss] });
  return createQuery(
    {
      shares: within(maxLossBps(request)),
      any: within(MAX_BPS),
      pause: read({ to, abi: shutdownAbi(), name: "isPaused" }),
    },
    ({ shares, any, pause }): Partial<ExitTerms> => {
      // The view stops at the first strategy whose loss is too large. That is not a lack of liquidity.
      const maxShares = valueOrNull(shares) || valueOrNull(any);
      return { maxShares, closed: maxShares === 0n && valueOrNull(pause) === true };
    },
  );
}

/**
 * Exits of Yearn v3: `redeem` with a maximum loss. `previewRedeem` ignores losses that the strategies have not reported
 * yet, so the simulation decides. Sources: yearn-vaults-v3, tokenized-strategy.
 */
const exits: VaultExits = {
  ...erc4626Exits({
    limited: false,
    views: lossViews,
    encode: ({ shares, receiver, owner }, request) => ({
      data: encodeFunctionData({
        abi: lossAbi(),
        functionName: "redeem",
        args: [shares, receiver, owner, maxLossBps(request)],
      }),
      minAssets: "none",
    }),
  }),
  explain: familyErrors({
    reasons: [
      {
        reason:
          /^(exceed withdraw limit|insufficient assets in vault|ERC4626: (redeem|withdraw) more than max)$/,
        code: "no_liquidity",
      },
      {
        reason: /^(no shares to redeem|insufficient shares to redeem|ZERO_ASSETS)$/,
        code: "nothing_to_withdraw",
      },
      { reason: /^paused$/, code: "exits_paused" },
      { reason: /^too much loss$/, code: "price_unsafe" },
    ],
  }),
};

/**
 * Adapter of Yearn v3 vaults and tokenized strategies. Withdrawals accept strategy losses up to the user's slippage
 * (0.5% if none is given), at most 3%. Sources: yearn-vaults-v3, tokenized-strategy.
 */
export const yearn = defineErc4626({ name: "yearn_v3", ratio: true, views: shutdownViews, exits });

/**
 * Returns a query that identifies an allocator vault by its default queue of strategies, or a tokenized strategy by its
 * views of shutdown and profit unlocking.
 */
function identifyYearn({ address }: DerivationSubject): Query<Identification> {
  const onSubject = { to: address, abi: identificationAbi() } as const;
  const reads = {
    queue: read({ ...onSubject, name: "get_default_queue" }),
    shutdown: read({ ...onSubject, name: "isShutdown" }),
    unlock: read({ ...onSubject, name: "fullProfitUnlockDate" }),
  };
  return createQuery(reads, ({ queue, shutdown, unlock }): Identification => {
    if (queue.ok || (shutdown.ok && unlock.ok)) return { ok: true };
    return notIdentified("Yearn", "it has neither get_default_queue() nor fullProfitUnlockDate()");
  });
}

/** Permissions of each role of a version 3 vault, from the lowest bit up. Source: yearn-vaults-v3, Roles. */
const ROLES = [
  ...[
    "add strategies",
    "revoke strategies",
    "force-revoke strategies",
    "set the accountant",
    "set the withdrawal queue",
  ],
  ...[
    "report profits",
    "allocate assets to strategies",
    "set the maximum allocation of strategies",
    "set the deposit limit",
    "set the withdrawal limit",
  ],
  ...[
    "set the minimum idle assets",
    "set the profit unlock time",
    "buy bad debt of strategies",
    "shut the vault down",
  ],
] as const;
const rolesOf = (bits: bigint): string => {
  const names = ROLES.filter((_, bit) => ((bits >> BigInt(bit)) & 1n) === 1n);
  return names.length === 0 ? `unknown permissions (${bits})` : names.join(", ");
};

/** The texts for the shutdown of a vault or strategy, which cannot be undone. */
const shutdownTexts = {
  what: "state",
  title: () => "permanently shut down",
  report: (_args: EventArgs, { vault, time }: EventContext) =>
    `${vault} was permanently shut down at ${time}.`,
  advice: "Deposits fail: find out why, and check whether withdrawals still work.",
};

/** Governance events of Yearn v3 vaults and tokenized strategies. Sources: yearn-vaults-v3, tokenized-strategy. */
const yearnEvents: readonly GovernanceEvent[] = [
  changeEvent(
    ["address", "owner", "UpdateRoleManager(address indexed role_manager)"],
    addressTexts("role manager", {
      member: "role_manager",
      advice: `The role manager grants the roles that control the vault: ${FIND_OUT}`,
      removed: "Roles can no longer be granted or revoked.",
    }),
  ),
  announcementEvent(["address", "owner", "UpdateFutureRoleManager(address indexed future_role_manager)"], {
    what: "role manager",
    tierFor: ({ future_role_manager }) => (isNone(future_role_manager) ? "low" : null),
    title: ({ future_role_manager }) =>
      isNone(future_role_manager)
        ? "pending role manager transfer cancelled"
        : "role manager transfer started",
    report: ({ future_role_manager }, { vault, time }) =>
      isNone(future_role_manager)
        ? `The pending transfer of the role manager position of ${vault} was cancelled at ${time}.`
        : `A transfer of the role manager position of ${vault} to ${future_role_manager} was started at ${time}. It ` +
          "takes effect as soon as that account accepts.",
    advice: ({ future_role_manager }) =>
      isNone(future_role_manager)
        ? "The current role manager remains in place."
        : "The proposed role manager could then grant and revoke the roles that control the vault, perhaps before you can " +
          `withdraw: ${FIND_OUT}`,
  }),
  changeEvent(["address", "owner", "RoleSet(address indexed account, uint256 indexed role)"], {
    what: "roles of an account",
    title: ({ role }) => (role === 0n ? "roles of an account removed" : "roles of an account changed"),
    report: ({ account, role }, context) =>
      role === 0n
        ? `${account} no longer has any role in ${context.vault}.${tookEffect(context)}`
        : `${account} may now do the following in ${context.vault}: ${rolesOf(BigInt(String(role)))}.${tookEffect(context)}`,
    advice: ({ role }) =>
      role === 0n
        ? "Check who still holds roles."
        : "Find out who the account is, and whether it needs these permissions, before you deposit or leave funds in the vault.",
    tier: "medium",
  }),
  changeEvent(
    ["address", "owner", "UpdateManagement(address indexed newManagement)"],
    addressTexts("management address", {
      member: "newManagement",
      advice: `Management controls the strategy's settings and fees: ${FIND_OUT}`,
      removed: "The strategy's settings and fees can no longer be changed by management.",
    }),
  ),
  announcementEvent(["address", "owner", "UpdatePendingManagement(address indexed newPendingManagement)"], {
    what: "management address",
    tierFor: ({ newPendingManagement }) => (isNone(newPendingManagement) ? "low" : null),
    title: ({ newPendingManagement }) =>
      isNone(newPendingManagement) ? "pending management transfer cancelled" : "management transfer started",
    report: ({ newPendingManagement }, { vault, time }) =>
      isNone(newPendingManagement)
        ? `The pending transfer of the management of ${vault} was cancelled at ${time}.`
        : `A transfer of the management of ${vault} to ${newPendingManagement} was started at ${time}. It takes effect as ` +
          "soon as that account accepts.",
    advice: ({ newPendingManagement }) =>
      isNone(newPendingManagement)
        ? "The current management remains in place."
        : "The proposed account could then change the strategy's settings and fees, perhaps before you can withdraw: " +
          FIND_OUT,
  }),
  changeEvent(
    ["address", "guardian", "UpdateEmergencyAdmin(address indexed newEmergencyAdmin)"],
    addressTexts("emergency admin", {
      member: "newEmergencyAdmin",
      advice: "The emergency admin can shut down and, since v3.1, pause the vault: find out who it is.",
      removed: "No emergency admin can shut the vault down or pause it any more.",
    }),
  ),
  changeEvent(
    ["address", "fee", "UpdateAccountant(address indexed accountant)"],
    addressTexts("accountant", {
      member: "accountant",
      advice: "This contract determines the fees: compare the net yield before and after.",
      removed: "Without an accountant, no fees are charged when strategies report profits.",
      removedTier: "low",
    }),
  ),
  changeEvent(["address", "fee", "UpdatePerformanceFee(uint16 newPerformanceFee)"], {
    what: "performance fee",
    describe: newValue("newPerformanceFee", formatBps),
  }),
  changeEvent(["address", "pause", "Shutdown()"], {
    ...shutdownTexts,
  }),
  changeEvent(["address", "pause", "StrategyShutdown()"], {
    ...shutdownTexts,
  }),
  changeEvent(["address", "pause", "UpdatePaused(bool paused)"], {
    ...pauseTexts("deposits and withdrawals", ({ paused }) => paused === true),
    report: ({ paused }, { vault, time }) =>
      `${paused === true ? `Deposits into and withdrawals from ${vault} were paused` : `The pause of ${vault} ended`} at ${time}.`,
    title: ({ paused }) => (paused === true ? "deposits and withdrawals paused" : "pause ended"),
  }),
  changeEvent(["address", "allow_list", "UpdateDepositLimitModule(address indexed deposit_limit_module)"], {
    ...addressTexts("deposit limit module", {
      member: "deposit_limit_module",
      advice: "This contract decides who may deposit, and how much: check whether you can still deposit.",
      removed: "The vault's own deposit limit applies again.",
      removedTier: "low",
    }),
  }),
  changeEvent(["address", "allow_list", "UpdateWithdrawLimitModule(address indexed withdraw_limit_module)"], {
    ...addressTexts("withdraw limit module", {
      member: "withdraw_limit_module",
      advice: "This contract decides who may withdraw, and how much: check whether you can still withdraw.",
      removed: "Withdrawals are no longer limited by a module.",
      removedTier: "low",
    }),
    tier: "high",
  }),
  changeEvent(["address", "cap", "UpdateDepositLimit(uint256 deposit_limit)"], {
    what: "deposit limit",
    describe: newValue("deposit_limit", formatAssetUnits),
  }),
  changeEvent(
    ["address", "strategy", "StrategyChanged(address indexed strategy, uint256 indexed change_type)"],
    {
      ...memberTexts("strategy", {
        member: "strategy",
        added: ({ change_type }) => Number(change_type) === 1,
        advice: [
          "The vault can now allocate assets to this strategy, up to the maximum debt that is set for it: find out what it does.",
          "The vault no longer allocates assets to this strategy. If the removal was forced, what it still held there is a loss: check the share price.",
        ],
      }),
      what: "strategies",
      tier: "medium",
    },
  ),
];

const feesAbi = once(() => parseAbi(["function performanceFee() view returns (uint16)"]));

/** Vault family of Yearn v3 vaults and tokenized strategies: its adapter, deriver, governance events, roles and fee. */
export const yearnFamily: VaultFamily = {
  adapter: yearn,
  type: "custom",
  deriver: erc4626Deriver({ identify: identifyYearn }),
  governanceEvents: yearnEvents,
  // A vault has a role manager, a tokenized strategy its management.
  roleViews: [["role_manager", "management"]],
  // A tokenized strategy's own fee; an allocator's accountant, whose view functions differ, sets those of its vaults.
  profitFeeQuery: ({ address }) =>
    feeFractionQuery(read({ to: address, abi: feesAbi(), name: "performanceFee" }), FEE_UNITS.bps),
};
