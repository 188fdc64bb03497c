import { type Address, encodeFunctionData, isAddressEqual, parseAbi, zeroAddress } from "viem";
import {
  createQuery,
  type Query,
  type ReadResult,
  read,
  readThen,
  valueOrNull,
} from "../../chains/chain-reads.ts";
import { larger } from "../../lib/amount.ts";
import { once } from "../../lib/once.ts";
import type { Vault } from "../vault.ts";
import type { Refusal, TermsInput, VaultFamily } from "../vault-adapter.ts";
import type { DerivationSubject } from "../vault-deriver.ts";
import type { ExitTerms, ExitTermsInput } from "../vault-exits.ts";
import { familyErrors } from "../vault-reverts.ts";
import { defineErc4626, erc4626Abi } from "./erc4626-base/erc4626-adapter.ts";
import { erc4626Deriver, type Identification, notIdentified } from "./erc4626-base/erc4626-derivation.ts";
import type { FamilyViews } from "./erc4626-base/erc4626-variant-views.ts";
import { erc7540Exits } from "./erc7540/erc7540-exits.ts";

const vaultAbi = once(() =>
  parseAbi([
    "function strategy() view returns (address)",
    "function MIN_AMOUNT_WEI() view returns (uint256)",
    "function permissionLevel() view returns (uint8)",
    "function allowed(address) view returns (bool)",
  ]),
);
const strategyAbi = once(() =>
  parseAbi(["function paused() view returns (bool)", "function loan() view returns (uint256 minDeposit)"]),
);
/**
 * Permission levels that restrict deposits and redemptions: `signature` requires the operator's signature for each
 * call, `whitelist` requires the account to be on the vault's whitelist.
 */
const LEVELS = { signature: 1, whitelist: 2 } as const;

type Admission = {
  level: ReadResult<number>;
  receives: ReadResult<boolean>;
  calls: ReadResult<boolean>;
};

/**
 * Returns `not_allowed` if the vault's permission level requires signatures, which this service does not have, or if
 * its whitelist lacks the receiver or the caller. Null also if the views cannot be read.
 */
function refusalOf(request: TermsInput | null, { level, receives, calls }: Admission): Refusal | null {
  if (request === null) return null;
  if (valueOrNull(level) === LEVELS.signature) return "not_allowed";
  const callerRefused = request.caller !== null && valueOrNull(calls) === false;
  const refused =
    valueOrNull(level) === LEVELS.whitelist && (callerRefused || valueOrNull(receives) === false);
  return refused ? "not_allowed" : null;
}

/**
 * Returns a query for what the vault and its strategy show about a deposit; the shares come from `convertToShares`,
 * because `previewDeposit` reverts. Without `request`, only pause, minimum and net assets have a meaning.
 */
function views(vault: Vault, request: TermsInput | null) {
  const on = { to: vault.entryPoint, abi: vaultAbi() } as const;
  const receiver = request?.receiver ?? vault.entryPoint;
  const amount = request?.amount ?? 0n;
  return readThen(
    {
      strategy: read({ ...on, name: "strategy" }),
      minimum: read({ ...on, name: "MIN_AMOUNT_WEI" }),
      level: read({ ...on, name: "permissionLevel" }),
      receives: read({ ...on, name: "allowed", args: [receiver] }),
      calls: read({ ...on, name: "allowed", args: [request?.caller ?? receiver] }),
      shares: read({ to: vault.pricer, abi: erc4626Abi(), name: "convertToShares", args: [amount] }),
      supply: read({ to: vault.shareToken, abi: erc4626Abi(), name: "totalSupply" }),
    },
    (first) => {
      const own = { refusal: refusalOf(request, first), shares: valueOrNull(first.shares) };
      return createQuery(
        strategyReads(vault, first),
        ({ netAssets, paused, minimum }): FamilyViews => ({
          ...own,
          totalAssets: netAssets === undefined ? null : valueOrNull(netAssets),
          paused: paused !== undefined && valueOrNull(paused) === true,
          pauseUnknown: paused === undefined || valueOrNull(paused) === null,
          minDeposit: larger(valueOrNull(first.minimum), minimum === undefined ? null : valueOrNull(minimum)),
        }),
      );
    },
  );
}

/**
 * Creates the reads of the strategy's pause and minimum deposit (the first word that `loan()` returns) and of the
 * vault's net assets. A read is left out if its argument (strategy, share supply) is unknown.
 */
function strategyReads(vault: Vault, first: { strategy: ReadResult<Address>; supply: ReadResult<bigint> }) {
  const { strategy, supply } = first;
  const args = supply.ok ? ([supply.value] as const) : null;
  const known = knownStrategy(strategy);
  return {
    ...(args !== null && {
      netAssets: read({ to: vault.pricer, abi: erc4626Abi(), name: "convertToAssets", args }),
    }),
    ...(known !== null && {
      paused: read({ to: known, abi: strategyAbi(), name: "paused" }),
      minimum: read({ to: known, abi: strategyAbi(), name: "loan" }),
    }),
  };
}

/** Returns the address of a vault's strategy, or null if it is unknown or zero. */
const knownStrategy = (strategy: ReadResult<Address>): Address | null =>
  strategy.ok && !isAddressEqual(strategy.value, zeroAddress) ? strategy.value : null;

const redemptionAbi = once(() =>
  parseAbi(["function cancelRedeemRequest(address controller, address receiver) returns (uint256 shares)"]),
);

/**
 * Returns a query for the conditions of a redemption: the strategy's pause, the vault's minimum shares
 * (`MIN_AMOUNT_WEI`), and whether the owner is permitted. On a level that requires signatures, no account is, because
 * this service has none.
 */
function exitViews(vault: Vault, { owner }: ExitTermsInput): Query<Partial<ExitTerms>> {
  const on = { to: vault.entryPoint, abi: vaultAbi() } as const;
  const reads = {
    minimum: read({ ...on, name: "MIN_AMOUNT_WEI" }),
    level: read({ ...on, name: "permissionLevel" }),
    listed: read({ ...on, name: "allowed", args: [owner] }),
    strategy: read({ ...on, name: "strategy" }),
  };
  return readThen(reads, ({ minimum, level, listed, strategy }) => {
    const to = knownStrategy(strategy);
    const barred = valueOrNull(level) === LEVELS.whitelist && valueOrNull(listed) === false;
    return createQuery(
      to === null ? {} : { paused: read({ to, abi: strategyAbi(), name: "paused" }) },
      ({ paused }): Partial<ExitTerms> => ({
        minShares: valueOrNull(minimum),
        paused: paused !== undefined && valueOrNull(paused) === true,
        refusal: barred || valueOrNull(level) === LEVELS.signature ? "not_allowed" : null,
      }),
    );
  });
}

/**
 * Exits of Accountable's vaults: a request in a queue, then a claim. Every pending request counts as cancellable, but
 * the strategy may reject the cancellation. Source: AccountableAsyncRedeemVault.
 */
const exits = erc7540Exits({
  views: exitViews,
  requests: () => createQuery({}, () => ({ cancellable: true, returning: 0n, returned: 0n })),
  cancel: (vault, { user }) => ({
    target: vault.entryPoint,
    data: encodeFunctionData({
      abi: redemptionAbi(),
      functionName: "cancelRedeemRequest",
      args: [user, user],
    }),
  }),
  explain: familyErrors({
    errors: {
      "error InsufficientAmount()": "below_minimum",
      // The strategy's minimum of shares; also of a vault whose shares the owner lacks, which is checked before.
      "error InsufficientShares()": "below_minimum",
      "error ExceedsMaxRedeem()": "withdrawal_state",
      "error NoPendingRedeemRequest()": "withdrawal_state",
      "error CancelRedeemRequestFailed()": "withdrawal_state",
      "error SharesNotTransferable()": "not_allowed",
      "error Unauthorized()": "not_allowed",
    },
  }),
});

/**
 * Adapter of Accountable's vaults. The value of the share supply counts as total assets, because `totalAssets` counts
 * idle assets only. Sources: AccountableAsyncRedeemVault, AccountableOpenTerm, AccountableYield.
 */
export const accountable = defineErc4626({
  name: "accountable",
  pausable: true,
  views,
  exits,
  explain: familyErrors({
    errors: {
      "error InsufficientAmount()": "below_minimum",
      "error DepositNotAllowed()": "vault_paused",
      "error NAVGracePeriodExpired()": "price_stale",
      "error Unauthorized()": "not_allowed",
      "error ExceedsMaxDeposit()": "above_maximum",
      "error SharesNotTransferable()": "share_locked",
    },
  }),
});

/**
 * Returns a query that identifies a vault by its permission level and strategy. Only on level 0, which has no
 * permissions, may the Router deposit; on other levels the user must call the vault.
 */
function identifyAccountable({ address }: DerivationSubject): Query<Identification> {
  const onSubject = { to: address, abi: vaultAbi() } as const;
  const reads = {
    level: read({ ...onSubject, name: "permissionLevel" }),
    strategy: read({ ...onSubject, name: "strategy" }),
  };
  return createQuery(reads, ({ level, strategy }): Identification => {
    const named = valueOrNull(strategy);
    if (!level.ok || named === null || isAddressEqual(named, zeroAddress))
      return notIdentified("Accountable", "it has no permissionLevel() and strategy()");
    return { ok: true, caller: level.value === 0 ? "router" : "user" };
  });
}

/**
 * Vault family of Accountable. The deployed vaults may differ from the only public source, an audited copy, so only the
 * governance events that any contract may emit (ownership, proxies) are read.
 */
export const accountableFamily: VaultFamily = {
  adapter: accountable,
  type: "accountable",
  deriver: erc4626Deriver({
    identify: identifyAccountable,
    ownShare: true,
    // `previewDeposit` of deployed vaults reverts although they accept deposits.
    previews: false,
  }),
};
