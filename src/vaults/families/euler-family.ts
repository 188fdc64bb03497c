import { isAddressEqual, parseAbi, zeroAddress } from "viem";
import { createQuery, type Query, read, valueOrNull } from "../../chains/chain-reads.ts";
import { once } from "../../lib/once.ts";
import { curationEvents, FIND_OUT } from "../governance/common-governance-events.ts";
import {
  addressTexts,
  changeEvent,
  type EventArgs,
  type EventContext,
  formatBps,
  type GovernanceEvent,
  isNone,
  newValue,
  tookEffect,
} from "../governance/governance-event.ts";
import type { Vault } from "../vault.ts";
import type { VaultFamily } from "../vault-adapter.ts";
import type { DerivationSubject } from "../vault-deriver.ts";
import type { ExitTerms, ExitTermsInput } from "../vault-exits.ts";
import { FEE_UNITS, feeFractionQuery } from "../vault-fee-rates.ts";
import { familyErrors } from "../vault-reverts.ts";
import { defineErc4626 } from "./erc4626-base/erc4626-adapter.ts";
import {
  erc4626Deriver,
  factoryQuery,
  type Identification,
  identifyByAnswers,
  identifyByViews,
} from "./erc4626-base/erc4626-derivation.ts";
import { erc4626Exits } from "./erc4626-base/erc4626-exits.ts";
import type { FamilyViews } from "./erc4626-base/erc4626-variant-views.ts";
import { eulerEarnFactories, factoriesByChain } from "./family-factory-addresses.ts";
import { curatedProfitFeeQuery, curationTimelockQuery } from "./morpho/morpho-family.ts";

const hookAbi = once(() =>
  parseAbi(["function hookConfig() view returns (address hookTarget, uint32 hookedOps)"]),
);
const identificationAbi = once(() =>
  parseAbi([
    "function MODULE_VAULT() view returns (address)",
    "function EVC() view returns (address)",
    "function permit2Address() view returns (address)",
    "function creator() view returns (address)",
    "function supplyQueueLength() view returns (uint256)",
    "function lostAssets() view returns (uint256)",
    "function isVault(address) view returns (bool)",
  ]),
);
/** Bit of deposits in the mask of hooked operations. */
const OP_DEPOSIT = 1;
/** Bit of `mint` in the mask of hooked operations. */
const OP_MINT = 2;
/** Bit of `withdraw` in the mask of hooked operations. */
const OP_WITHDRAW = 4;
/** Bit of `redeem` in the mask of hooked operations. */
const OP_REDEEM = 8;
/** Bit of share transfers in the mask of hooked operations. */
const OP_TRANSFER = 16;
/** Bit of the check of a vault's status in the mask of hooked operations, which ends every operation. */
const OP_STATUS_CHECK = 16_384;
/** Bits of withdrawals and redemptions in the mask of hooked operations. */
const EXIT_OPS = OP_WITHDRAW | OP_REDEEM | OP_STATUS_CHECK;

/**
 * Returns a query for whether deposits are disabled, that is hooked without a hook target; unknown if the hook cannot be
 * read. Whether a hook target rejects a deposit, only a simulation shows.
 */
function hookViews(vault: Vault) {
  return createQuery(
    { hook: read({ to: vault.entryPoint, abi: hookAbi(), name: "hookConfig" }) },
    ({ hook }): FamilyViews => {
      if (!hook.ok) return { pauseUnknown: true };
      const [target, operations] = hook.value;
      const stopping = OP_DEPOSIT | OP_STATUS_CHECK;
      return { paused: isAddressEqual(target, zeroAddress) && (operations & stopping) !== 0 };
    },
  );
}

const cashAbi = once(() =>
  parseAbi([
    "function cash() view returns (uint256)",
    "function maxRedeem(address) view returns (uint256)",
    "function hookConfig() view returns (address hookTarget, uint32 hookedOps)",
  ]),
);

/**
 * Returns a query for the vault's cash, the owner's limit, and whether redemptions are disabled. A `maxRedeem` of 0
 * counts as unknown, because it is also 0 for an owner who has borrowed against the shares.
 */
function cashViews(vault: Vault, { owner }: ExitTermsInput): Query<Partial<ExitTerms>> {
  const on = { to: vault.entryPoint, abi: cashAbi() } as const;
  return createQuery(
    {
      cash: read({ ...on, name: "cash" }),
      limit: read({ ...on, name: "maxRedeem", args: [owner] }),
      hook: read({ ...on, name: "hookConfig" }),
    },
    ({ cash, limit, hook }): Partial<ExitTerms> => {
      const [target, operations] = valueOrNull(hook) ?? [zeroAddress, 0];
      return {
        availableAssets: valueOrNull(cash),
        maxShares: valueOrNull(limit) || null,
        paused: isAddressEqual(target, zeroAddress) && (operations & (OP_REDEEM | OP_STATUS_CHECK)) !== 0,
      };
    },
  );
}

const feeAbi = once(() => parseAbi(["function interestFee() view returns (uint16)"]));

const explainEulerExit = familyErrors({
  errors: {
    "error E_InsufficientCash()": "no_liquidity",
    "error E_OperationDisabled()": "exits_paused",
    "error E_ZeroAssets()": "nothing_to_withdraw",
    "error E_InsufficientBalance()": "nothing_to_withdraw",
    "error E_BadAssetReceiver()": "not_allowed",
    "error E_AccountLiquidity()": "not_allowed",
  },
});

/**
 * Adapter of Euler's EVK vaults. `maxDeposit` does not reflect a hook that restricts deposits to certain accounts.
 * Withdrawals are instant, up to the vault's cash. Source: euler-vault-kit.
 */
export const euler = defineErc4626({
  name: "euler",
  ratio: true,
  views: hookViews,
  exits: { ...erc4626Exits({ limited: false, views: cashViews }), explain: explainEulerExit },
});

/**
 * Formats an EVK cap, which is packed: 10 bits of mantissa with two decimals, then 6 bits of exponent. 0 means no cap.
 * Source: euler-vault-kit, AmountCap.
 */
const formatCap = (cap: unknown, { formatAssets }: EventContext): string => {
  const bits = BigInt(String(cap));
  return bits === 0n ? "unlimited" : formatAssets((10n ** (bits & 63n) * (bits >> 6n)) / 100n);
};

/** Returns true for a hook configuration that disables one of some operations: hooked, but without a hook target. */
const disables = ({ newHookTarget, newHookedOps }: EventArgs, operations: number): boolean =>
  isNone(newHookTarget) && (Number(newHookedOps) & operations) !== 0;

const disablesExits = (args: EventArgs): boolean => disables(args, EXIT_OPS);

/** Returns the text about a hook configuration that disables withdrawals or share transfers, or null for another. */
function disabledText(args: EventArgs, { vault, time }: { vault: string; time: string }): string | null {
  const disabled = (what: string) =>
    `${what} are disabled by the hook configuration set at ${time}: it names no hook contract, so every such call reverts.`;
  if (disables(args, OP_STATUS_CHECK)) return disabled(`All operations of ${vault} that change balances`);
  if (disablesExits(args)) {
    const exits = disables(args, OP_REDEEM) ? "Redemptions (redeem)" : "Withdrawals (withdraw)";
    const both = disables(args, OP_REDEEM) && disables(args, OP_WITHDRAW);
    return disabled(`${both ? "Withdrawals and redemptions" : exits} from ${vault}`);
  }
  return disables(args, OP_TRANSFER) ? disabled(`Share transfers of ${vault}`) : null;
}

/** Returns the text about a hook configuration without a hook contract that disables no withdrawals or transfers. */
const undisabledText = (args: EventArgs, { vault, time }: { vault: string; time: string }): string =>
  `The hook configuration of ${vault} was set at ${time} without a hook contract. It disables ` +
  `${disables(args, OP_DEPOSIT) ? "deposits but " : ""}neither withdrawals nor share transfers.`;

const HOLDER_OPS = [
  [OP_DEPOSIT | OP_MINT | OP_STATUS_CHECK, "deposits"],
  [OP_TRANSFER | OP_STATUS_CHECK, "share transfers"],
  [EXIT_OPS, "withdrawals"],
] as const;

/** Returns what a hook contract means for the operations of holders that its configuration covers. */
function hookAdvice({ newHookedOps }: EventArgs): string {
  const covered = HOLDER_OPS.filter(([operations]) => (Number(newHookedOps) & operations) !== 0);
  if (covered.length === 0) return "The hook is not called for deposits, share transfers or withdrawals.";
  const names = covered.map(([, name]) => name);
  const list = names.join(", ").replace(/, (?=[^,]*$)/, " and ");
  return `The hook can refuse ${list}: check whether your account can still make them.`;
}

/**
 * Governance events of Euler's EVK vaults. The hook is included although a view returns it, because a hook may also
 * restrict operations other than deposits. Source: euler-vault-kit.
 */
const eulerEvents: readonly GovernanceEvent[] = [
  changeEvent(["address", "owner", "GovSetGovernorAdmin(address indexed newGovernorAdmin)"], {
    ...addressTexts("governor", {
      member: "newGovernorAdmin",
      advice: `The governor can change the vault's settings: ${FIND_OUT}`,
      removed:
        "Nobody can change the settings directly now: check whether the implementation can still be replaced.",
    }),
  }),
  changeEvent(["address", "fee", "GovSetInterestFee(uint16 newFee)"], {
    what: "interest fee",
    describe: newValue("newFee", formatBps),
  }),
  changeEvent(["address", "cap", "GovSetCaps(uint16 newSupplyCap, uint16 newBorrowCap)"], {
    what: "supply and borrow caps",
    report: ({ newSupplyCap, newBorrowCap }, context) =>
      `The supply cap of ${context.vault} is now ${formatCap(newSupplyCap, context)} and its borrow cap ` +
      `${formatCap(newBorrowCap, context)}.${tookEffect(context)}`,
    advice: ({ newSupplyCap, newBorrowCap }) => {
      if (Number(newSupplyCap) === 0 && Number(newBorrowCap) === 0)
        return "Neither deposits nor loans are capped now.";
      const supply =
        Number(newSupplyCap) === 0 ? "Deposits are not capped" : "Deposits above the supply cap fail";
      return `${supply}; ${Number(newBorrowCap) === 0 ? "loans are not capped" : "the borrow cap limits the interest that the vault can earn"}.`;
    },
  }),
  changeEvent(
    ["address", "allow_list", "GovSetHookConfig(address indexed newHookTarget, uint32 newHookedOps)"],
    {
      what: "hook",
      describe: newValue("newHookTarget"),
      tierFor: (args) => (disablesExits(args) ? "high" : null),
      title: (args) => {
        if (!isNone(args["newHookTarget"])) return "hook configuration changed";
        if (disables(args, OP_STATUS_CHECK)) return "all operations that change balances disabled";
        if (disablesExits(args))
          return `withdrawals ${disables(args, OP_REDEEM) && disables(args, OP_WITHDRAW) ? "" : "partly "}disabled`;
        if (disables(args, OP_TRANSFER)) return "share transfers disabled";
        return disables(args, OP_DEPOSIT) ? "deposits disabled" : "hook configuration changed";
      },
      report: (args, context) =>
        isNone(args["newHookTarget"])
          ? (disabledText(args, context) ?? undisabledText(args, context))
          : `The hook configuration of ${context.vault} was set at ${context.time}: its hook contract is ${args["newHookTarget"]}.`,
      advice: (args) => {
        if (!isNone(args["newHookTarget"])) return hookAdvice(args);
        if (disablesExits(args)) return "Find out why, and when withdrawals will be enabled again.";
        return disables(args, OP_TRANSFER)
          ? "Shares stay in the account that holds them: find out why. The configuration does not disable withdrawals."
          : "Find out why: the configuration may disable other operations, such as borrowing.";
      },
    },
  ),
  changeEvent(["address", "strategy", "GovSetInterestRateModel(address newInterestRateModel)"], {
    ...addressTexts("interest rate model", {
      member: "newInterestRateModel",
      advice: "This contract sets the interest that borrowers pay, and so the yield.",
      removed: "Borrowers pay no interest any more, so the vault earns none.",
    }),
    tier: "medium",
  }),
];

/** Vault family of Euler's EVK vaults: its adapter, deriver, governance events, interest fee and governor. */
export const eulerFamily: VaultFamily = {
  adapter: euler,
  type: "custom",
  deriver: erc4626Deriver({
    identify: ({ address }) =>
      identifyByViews("Euler", {
        MODULE_VAULT: read({ to: address, abi: identificationAbi(), name: "MODULE_VAULT" }),
      }),
  }),
  governanceEvents: eulerEvents,
  profitFeeQuery: ({ address }) =>
    feeFractionQuery(read({ to: address, abi: feeAbi(), name: "interestFee" }), FEE_UNITS.bps),
  roleViews: [["governorAdmin"]],
};

/**
 * Returns a query for whether an EulerEarn vault has a vault to supply: with an empty supply queue, it takes no deposit.
 * Whether those in the queue have room is unknown, because only `maxDeposit` tells. Source: EulerEarn.sol.
 */
function supplyQueueViews(vault: Vault): Query<FamilyViews> {
  const length = read({ to: vault.entryPoint, abi: identificationAbi(), name: "supplyQueueLength" });
  return createQuery(
    { length },
    (results): FamilyViews => (valueOrNull(results.length) === 0n ? { maxDeposit: 0n } : {}),
  );
}

/**
 * Adapter of EulerEarn vaults, a fork of MetaMorpho. `maxDeposit` is not read, because it may need more gas than a
 * batched read is allowed. `maxRedeem` costs some 120,000 gas for each vault in the withdrawal queue, and does what a
 * redemption does. Source: euler-earn.
 */
export const eulerEarn = defineErc4626({
  name: "euler_earn",
  limited: false,
  views: supplyQueueViews,
  exits: {
    ...erc4626Exits(),
    explain: familyErrors({ errors: { "error BadAssetReceiver()": "not_allowed" } }),
  },
  explain: familyErrors({ errors: { "error ZeroShares()": "zero_shares" } }),
});

const ofEulerEarn = {
  createdRead: (to: `0x${string}`, vault: `0x${string}`) =>
    read({ to, abi: identificationAbi(), name: "isVault", args: [vault] }),
  byChain: factoriesByChain(eulerEarnFactories),
};

/**
 * Returns a query that identifies an EulerEarn vault by a set of views that neither MetaMorpho nor its other forks have
 * together, and by its factory if one is known on the chain. Source: euler-earn, IEulerEarn.
 */
function identifyEulerEarn(subject: DerivationSubject): Query<Identification> {
  const on = { to: subject.address, abi: identificationAbi() } as const;
  return identifyByAnswers("EulerEarn", {
    views: {
      EVC: read({ ...on, name: "EVC" }),
      permit2Address: read({ ...on, name: "permit2Address" }),
      creator: read({ ...on, name: "creator" }),
      supplyQueueLength: read({ ...on, name: "supplyQueueLength" }),
      lostAssets: read({ ...on, name: "lostAssets" }),
    },
    confirm: () => factoryQuery(ofEulerEarn, subject),
  });
}

/**
 * Vault family of EulerEarn vaults, which have the fee view, the timelock and the roles of MetaMorpho and the
 * governance events of its forks.
 */
export const eulerEarnFamily: VaultFamily = {
  adapter: eulerEarn,
  type: "custom",
  deriver: erc4626Deriver({ identify: identifyEulerEarn }),
  governanceEvents: curationEvents("address"),
  profitFeeQuery: curatedProfitFeeQuery,
  timelockQuery: curationTimelockQuery,
  roleViews: [["owner"], ["curator"]],
};
