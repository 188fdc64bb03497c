import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  type Log,
  parseAbi,
  parseEventLogs,
  zeroAddress,
} from "viem";
import {
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  read,
  readThen,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { sameAddress } from "../../../lib/address.ts";
import { mulDivDown, smaller } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import {
  type ExitCall,
  type ExitInput,
  type ExitRefusal,
  type ExitSettlement,
  type ExitTerms,
  type ExitTermsInput,
  type PendingExit,
  unknownPendingExit,
  type VaultExits,
} from "../../vault-exits.ts";
import { claimFor } from "../../vault-log-arguments.ts";
import { addressParam } from "../../vault-params.ts";
import { familyErrors } from "../../vault-reverts.ts";
import { erc4626Exits } from "../erc4626-base/erc4626-exits.ts";
import { conversionPrice, conversionReads } from "../erc7540/erc7540-base.ts";

const vaultAbi = once(() =>
  parseAbi([
    "function getAccessManagerAddress() view returns (address)",
    "function convertToAssets(uint256) view returns (uint256)",
    "function redeemFromRequest(uint256 shares, address receiver, address owner) returns (uint256 assets)",
    "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
  ]),
);
const accessAbi = once(() =>
  parseAbi([
    "function getAccountLockTime(address account) view returns (uint256)",
    "function canCall(address caller, address target, bytes4 selector) view returns (bool immediate, uint32 delay)",
    "function isTargetClosed(address target) view returns (bool)",
  ]),
);
const withdrawManagerAbi = once(() =>
  parseAbi([
    "function getRequestFee() view returns (uint256)",
    "function getWithdrawWindow() view returns (uint256)",
    "function requestInfo(address account) view returns (uint256 shares, uint256 endWithdrawWindowTimestamp, bool canWithdraw, uint256 withdrawWindowInSeconds)",
    "function getSharesToRelease() view returns (uint256)",
    "function requestShares(uint256 shares)",
    "event WithdrawRequestUpdated(address account, uint256 shares, uint32 endWithdrawWindow)",
    "event ReleaseFundsUpdated(uint32 releaseTimestamp, uint128 sharesToRelease)",
  ]),
);
/** Selector of `redeem(uint256,address,address)`, to check with the access manager whether the owner may call it. */
const REDEEM_SELECTOR = "0xba087652";
/** Selector of `transferRequestSharesFee(address,address,uint256)`, which only the vault's WithdrawManager may call. */
const REQUEST_FEE_SELECTOR = "0x965c501e";
const SHARES_OFFSET = 4;
const WAD = 10n ** 18n;

/**
 * Returns the contract that takes withdrawal requests for the vault, or null if the registry entry names none. Throws
 * an Error if the parameter is not an address.
 */
const withdrawManager = (vault: Vault): Address | null => addressParam(vault, "withdraw_manager");

/**
 * Returns a query for what the vault's access manager says about a redemption: the account's lock, its permission, and
 * whether the vault is closed. A view that fails counts as no obstacle.
 */
function accessTerms(vault: Vault, { owner, now }: ExitTermsInput): Query<Partial<ExitTerms>> {
  const manager = read({ to: vault.entryPoint, abi: vaultAbi(), name: "getAccessManagerAddress" });
  return readThen({ manager }, ({ manager: named }) => {
    const on = { to: valueOrNull(named) ?? zeroAddress, abi: accessAbi() } as const;
    return createQuery(
      {
        lock: read({ ...on, name: "getAccountLockTime", args: [owner] }),
        call: read({ ...on, name: "canCall", args: [owner, vault.entryPoint, REDEEM_SELECTOR] }),
        closed: read({ ...on, name: "isTargetClosed", args: [vault.entryPoint] }),
      },
      ({ lock, call, closed }): Partial<ExitTerms> => {
        const until = Number(valueOrNull(lock) ?? 0n);
        const locked = until * 1_000 > now;
        const barred = valueOrNull(call)?.[0] === false;
        return {
          lockedUntil: locked ? until : null,
          paused: valueOrNull(closed) === true,
          refusal: barred ? "not_allowed" : locked ? "share_locked" : null,
        };
      },
    );
  });
}

const instant = erc4626Exits({
  ...{ limited: false, charges: true },
  // Shares are not transferable by default, and anyone could lock a shared redeemer by making a deposit for it.
  viaRouter: () => false,
  views: accessTerms,
});

/**
 * Returns why no request can be made, or null. A WithdrawManager whose window was never set has none: its requests end
 * when they are made. Another request would replace the open one, which may be claimable, and start its wait again.
 */
function refusalFor({ busy, window }: { busy: boolean; window: bigint | null }): ExitRefusal | null {
  if (window === 0n) return "mode_unsupported";
  return busy ? "request_pending" : null;
}

/**
 * Returns a query for the conditions of a withdrawal request, valued after the request fee. While a request is open
 * whose shares are all still in the wallet, another one is refused (`request_pending`).
 */
function requestTerms(vault: Vault, request: ExitTermsInput): Query<ExitTerms> {
  const on = { to: withdrawManager(vault) ?? zeroAddress, abi: withdrawManagerAbi() } as const;
  const own = createQuery(
    {
      fee: read({ ...on, name: "getRequestFee" }),
      window: read({ ...on, name: "getWithdrawWindow" }),
      open: read({ ...on, name: "requestInfo", args: [request.owner] }),
    },
    ({ fee, window, open }) => {
      const [shares, end] = valueOrNull(open) ?? [0n, 0n];
      const requested = Number(end) * 1_000 >= request.now ? shares : 0n;
      return { fee: valueOrNull(fee), window: valueOrNull(window), requested };
    },
  );
  return mapQuery(
    queryAll({ base: instant.terms(vault, request), own }),
    ({ base, own: { fee, window, requested } }) => {
      const gross = base.grossAssets;
      // Shares that have left the wallet since are no longer claimed.
      const busy = requested > 0n && requested <= (base.heldShares ?? requested);
      const charged = gross === null || fee === null || fee > WAD ? null : mulDivDown(gross, WAD - fee, WAD);
      // An account's lock does not affect requests.
      const barred = base.refusal === "share_locked" ? null : base.refusal;
      return {
        ...base,
        ...{ previewAssets: charged, previewRevert: null, priced: "later", lockedUntil: null },
        expiresAt: window === null ? null : Math.floor(request.now / 1_000) + Number(window),
        refusal: barred ?? refusalFor({ busy, window }),
      };
    },
  );
}

function encode(vault: Vault, request: ExitInput): ExitCall {
  const redeem = instant.encode(vault, request);
  const target = withdrawManager(vault);
  if (request.mode === "instant" || target === null) return redeem;
  const args = [request.shares] as const;
  const data = encodeFunctionData({ abi: withdrawManagerAbi(), functionName: "requestShares", args });
  const own = { selfOffsets: [], paysTo: "caller", async: true } as const;
  return { ...redeem, ...own, target, data, sharesOffset: SHARES_OFFSET };
}

/**
 * Returns a query for the user's request. What can be claimed of it is limited by what the account still holds and by
 * what the WithdrawManager has released for all accounts together. Null if the request or, once it is released, one of
 * these limits cannot be read.
 */
function describePending(
  vault: Vault,
  { user, now }: { user: Address; now: number },
): Query<readonly PendingExit[] | null> {
  const manager = withdrawManager(vault);
  if (manager === null) return createQuery({}, () => []);
  const on = { to: manager, abi: withdrawManagerAbi() } as const;
  const reads = {
    ...conversionReads(vault),
    info: read({ ...on, name: "requestInfo", args: [user] }),
    released: read({ ...on, name: "getSharesToRelease" }),
    held: read({ to: vault.shareToken, abi: erc20Abi, name: "balanceOf", args: [user] }),
  };
  return createQuery(reads, ({ info, released, held, ...conversion }) => {
    if (!info.ok) return null;
    const [shares, end, ready] = info.value;
    if (shares === 0n) return [];
    const expired = Number(end) * 1_000 < now;
    const isReleased = ready && !expired;
    // A WithdrawManager without this view, which reverts, states no such limit.
    const limit = released.ok || released.revert === null ? valueOrNull(released) : shares;
    if (isReleased && (limit === null || !held.ok)) return null;
    const payable = smaller(smaller(shares, limit), valueOrNull(held)) ?? 0n;
    const claimableShares = isReleased ? payable : 0n;
    const price = conversionPrice(vault, conversion);
    const worth = (part: bigint) =>
      price === null || price.shares === 0n ? null : mulDivDown(part, price.assets, price.shares);
    return [
      {
        ...unknownPendingExit,
        ...{ shares, assets: worth(shares), token: vault.asset.address, inWallet: true },
        state: expired ? "expired" : claimableShares > 0n ? "claimable" : "pending",
        ...{ claimableShares, claimableAssets: claimableShares === 0n ? 0n : worth(claimableShares) },
        // The view's window is the current one: when the request was made is not known.
        expiresAt: Number(end),
      },
    ];
  });
}

type SeenLogs = { user: Address; logs: readonly Log[] };

/**
 * Returns the events of the WithdrawManager that name a user's request, in log order: `paid` is null where one was made,
 * or the arguments of the vault's `Withdraw` for the redemption that reduced it. An instant redemption emits the same, but
 * the WithdrawManager has no part in it: for a request, it first reduces the request and what it has released.
 */
function requestsOf(vault: Vault, { user, logs }: SeenLogs) {
  const manager = withdrawManager(vault);
  if (manager === null) return [];
  const own = logs.filter(({ address }) =>
    [manager, vault.entryPoint].some((one) => sameAddress(address, one)),
  );
  const seen = parseEventLogs({ abi: [...vaultAbi(), ...withdrawManagerAbi()], logs: own });
  return seen.flatMap((event, index) => {
    if (event.eventName !== "WithdrawRequestUpdated" || !sameAddress(event.args.account, user)) return [];
    const [released, withdrawn] = [seen[index + 1], seen[index + 2]];
    const isRedemption =
      released?.eventName === "ReleaseFundsUpdated" &&
      withdrawn?.eventName === "Withdraw" &&
      sameAddress(withdrawn.args.owner, user);
    return [{ ...event.args, paid: isRedemption ? withdrawn.args : null }];
  });
}

/**
 * Finds the redemptions of a user's request in a receipt's logs, or returns null. If they name another end than the
 * request had, a later request has replaced it, which cancels it.
 */
function findSettlement(
  vault: Vault,
  { user, logs, requestLogs }: SeenLogs & { requestLogs: readonly Log[] },
): ExitSettlement | null {
  const made = requestsOf(vault, { user, logs: requestLogs }).at(-1)?.endWithdrawWindow;
  const paid = requestsOf(vault, { user, logs }).flatMap(({ endWithdrawWindow: end, paid: args }) =>
    args === null ? [] : [{ ...args, end }],
  );
  if (paid.length === 0) return null;
  // The shares of a replaced request stay in the wallet.
  if (made !== undefined && paid.every(({ end }) => end !== made))
    return { outcome: "cancelled", assets: 0n };
  const sumOf = (name: "assets" | "shares") => paid.reduce((sum, args) => sum + args[name], 0n);
  const settlement = { outcome: "paid", assets: sumOf("assets"), shares: sumOf("shares") } as const;
  return claimFor(vault, { settlement, user, logs, receivers: paid.map(({ receiver }) => receiver) });
}

/**
 * Withdrawals from IPOR Fusion's Plasma vaults, which the owner must call: instant and, with the registry parameter
 * `withdraw_manager`, by request. Requested shares stay in the wallet until the claim. Source: IPOR-Labs/ipor-fusion.
 */
export const iporExits: VaultExits = {
  ...instant,
  modes: (vault) => (withdrawManager(vault) === null ? ["instant"] : ["instant", "request"]),
  terms: (vault, request) =>
    request.mode === "instant" ? instant.terms(vault, request) : requestTerms(vault, request),
  encode,
  keepsShares: true,
  explain: familyErrors({
    errors: {
      "error WithdrawManagerInvalidSharesToRelease(uint256 shares)": "withdrawal_state",
      "error WithdrawManagerInvalidSharesToRelease(uint256 shares, uint256 balance, uint256 reserved)":
        "no_liquidity",
      "error WithdrawManagerZeroShares()": "nothing_to_withdraw",
      "error NoSharesToRedeem()": "nothing_to_withdraw",
      // Hooks that the vault's managers put before its functions.
      "error FunctionPaused(bytes4 selector)": "exits_paused",
      "error RWAPreHookPaused()": "exits_paused",
    },
  }),
  pending: describePending,
  claim(vault, { user, request }) {
    const shares = request.claimableShares;
    if (shares === null || shares === 0n) return null;
    const data = encodeFunctionData({
      abi: vaultAbi(),
      functionName: "redeemFromRequest",
      args: [shares, user, user],
    });
    return { target: vault.entryPoint, data };
  },
  findRequest(vault, { user, logs }) {
    const found = requestsOf(vault, { user, logs }).find(({ shares, paid }) => shares > 0n && paid === null);
    return found === undefined ? null : { requestId: "0", shares: found.shares };
  },
  findSettlement,
};

/**
 * Returns a query for the registry parameter `withdraw_manager`: that of the earlier entry (`reviewed`), or empty if
 * the vault's access manager does not treat it as the WithdrawManager. It stays if that cannot be read. Absent if
 * `reviewed` is null.
 */
export function iporExitParams(of: {
  vault: Address;
  accessManager: Address;
  reviewed: Address | null;
}): Query<Record<string, string>> {
  const { vault, accessManager, reviewed } = of;
  // No view of the vault names its WithdrawManager, only its storage.
  if (reviewed === null) return createQuery({}, () => ({}));
  const args = [reviewed, vault, REQUEST_FEE_SELECTOR] as const;
  const call = read({ to: accessManager, abi: accessAbi(), name: "canCall", args });
  return createQuery({ call }, (results) => {
    const denied = valueOrNull(results.call)?.[0] === false;
    return { withdraw_manager: denied ? "" : reviewed.toLowerCase() };
  });
}
