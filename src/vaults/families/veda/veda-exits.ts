import { type Address, encodeFunctionData, parseAbi, zeroAddress } from "viem";
import {
  createQuery,
  isUnmade,
  mapQuery,
  type Query,
  queryAll,
  type ReadResult,
  read,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { sameAddress } from "../../../lib/address.ts";
import { mulDivDown } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import {
  type ExitCall,
  type ExitInput,
  type ExitMode,
  type ExitTerms,
  type ExitTermsInput,
  joinPending,
  unknownExitTerms,
  type VaultExits,
} from "../../vault-exits.ts";
import { addressParam } from "../../vault-params.ts";
import { familyErrors } from "../../vault-reverts.ts";
import {
  atomicCancellation,
  endsAtomicRequest,
  findAtomicRequest,
  findAtomicSettlement,
  isAtomicRequest,
  isAtomicRequestFor,
  pendingAtomic,
} from "./veda-atomic-queue.ts";
import { delayedContractOf } from "./veda-delayed-contracts.ts";
import {
  delayedCall,
  delayedTerms,
  delayedTokens,
  pendingDelayed,
  rateAbi,
  vedaDelayedAbi,
  vedaExitTokens,
} from "./veda-delayed-withdraw.ts";
import { oneShare, tellerLimits } from "./veda-pricing.ts";
import { sharesTakenByQueue, takenByQueue } from "./veda-taken-assets.ts";
import {
  cancelsInQueue,
  findQueueRequest,
  findQueueSettlement,
  pendingInQueue,
  queueCall,
  queueCancellation,
  queueTerms,
} from "./veda-withdraw-queue.ts";

const tellerAbi = once(() =>
  parseAbi([
    "function withdraw(address withdrawAsset, uint256 shareAmount, uint256 minimumAssets, address to) returns (uint256 assetsOut)",
    "function isPaused() view returns (bool)",
    "function assetData(address) view returns (bool allowDeposits, bool allowWithdraws, uint16 sharePremium)",
    "function shareUnlockTime(address) view returns (uint256)",
    "function beforeTransferData(address) view returns (bool denyFrom, bool denyTo, bool denyOperator, bool permissionedOperator, uint256 shareUnlockTime)",
    "function fromDenyList(address) view returns (bool)",
    "function vault() view returns (address)",
    "function accountant() view returns (address)",
    "function currentBufferHelpers(address) view returns (address depositHelper, address withdrawHelper)",
  ]),
);
const shareAbi = once(() =>
  parseAbi(["function balanceOf(address) view returns (uint256)", "function hook() view returns (address)"]),
);

/** Byte offset of the shares in the calldata of `withdraw(asset, shares, minimum, to)`. */
const SHARES_OFFSET = 36;
/** Byte offset of the receiver in the calldata of `withdraw(asset, shares, minimum, to)`. */
const RECEIVER_OFFSET = 100;

/**
 * Returns the withdrawal modes of a vault. Each mode is served by a contract of its own, which the registry entry
 * names.
 */
const modesOf = (vault: Vault): ExitMode[] => [
  ...(vault.params["teller_withdraw"] === "public" ? (["instant"] as const) : []),
  ...(addressParam(vault, "withdraw_queue") === null ? [] : (["request"] as const)),
  ...(addressParam(vault, "delayed_withdraw") === null ? [] : (["cooldown"] as const)),
];

/**
 * Returns a query for the conditions that all modes share: price, balance, locks and deny lists of the shares, and the
 * teller's pause.
 */
function commonTerms(vault: Vault, request: ExitTermsInput): Query<ExitTerms> {
  const teller = { to: vault.entryPoint, abi: tellerAbi() } as const;
  const reads = {
    ...{ vault: read({ ...teller, name: "vault" }), accountant: read({ ...teller, name: "accountant" }) },
    paused: read({ ...teller, name: "isPaused" }),
    unlock: read({ ...teller, name: "shareUnlockTime", args: [request.owner] }),
    transfers: read({ ...teller, name: "beforeTransferData", args: [request.owner] }),
    denied: read({ ...teller, name: "fromDenyList", args: [request.owner] }),
    held: read({ to: vault.shareToken, abi: shareAbi(), name: "balanceOf", args: [request.owner] }),
    hook: read({ to: vault.shareToken, abi: shareAbi(), name: "hook" }),
    rate: read({
      ...{ to: vault.pricer, abi: rateAbi(), name: "getRateInQuoteSafe" },
      args: [request.token.address],
    }),
  };
  return createQuery(reads, (results): ExitTerms => {
    const ours =
      sameAddress(valueOrNull(results.vault) ?? "", vault.shareToken) &&
      sameAddress(valueOrNull(results.accountant) ?? "", vault.pricer);
    const rate = valueOrNull(results.rate);
    const gross = rate === null ? null : mulDivDown(request.shares, rate, oneShare(vault));
    const [denyFrom, , , , unlocks] = valueOrNull(results.transfers) ?? [];
    const isDenied = (denyFrom ?? valueOrNull(results.denied)) === true;
    const until = Number(unlocks ?? valueOrNull(results.unlock) ?? 0n);
    // The teller also notes locks and denials that no transfer is checked for, because another contract is the hook.
    const hook = valueOrNull(results.hook) ?? vault.entryPoint;
    const holds = request.mode === "instant" || sameAddress(hook, vault.entryPoint);
    const locked = holds && until * 1_000 > request.now;
    return {
      ...unknownExitTerms,
      asset:
        ours && rate !== null
          ? request.token.address
          : ours && isKnown(results.rate)
            ? request.token.address
            : null,
      ...{ heldShares: valueOrNull(results.held), previewAssets: gross, grossAssets: gross },
      previewRevert: results.rate.ok ? null : results.rate.revert,
      lockedUntil: locked ? until : null,
      paused: valueOrNull(results.paused) === true,
      refusal: holds && isDenied ? "not_allowed" : locked ? "share_locked" : null,
    };
  });
}

/**
 * Returns true if a price read failed with revert data, such as that of a paused accountant, so that a price exists.
 */
const isKnown = (rate: ReadResult<bigint>): boolean =>
  !rate.ok && rate.revert !== null && rate.revert !== "0x";

/**
 * Returns true if the teller has the vault withdraw a payment from another protocol first, or may do so, so that the
 * vault's balance limits nothing. Most tellers have no such view. Source: Veda-Labs/boring-vault, TellerWithBuffer.
 */
const drawsOnBuffer = (buffer: ReadResult<readonly [Address, Address]>): boolean =>
  isUnmade(buffer) || !sameAddress(valueOrNull(buffer)?.[1] ?? zeroAddress, zeroAddress);

function tellerTerms(vault: Vault, request: ExitTermsInput): Query<ExitTerms> {
  const on = { to: vault.entryPoint, abi: tellerAbi() } as const;
  const token = request.token.address;
  const reads = {
    data: read({ ...on, name: "assetData", args: [token] }),
    idle: read({ to: token, abi: shareAbi(), name: "balanceOf", args: [vault.shareToken] }),
    buffer: read({ ...on, name: "currentBufferHelpers", args: [token] }),
  };
  const own = createQuery(reads, ({ data, idle, buffer }) => ({
    supported: valueOrNull(data)?.[1] ?? null,
    idle: drawsOnBuffer(buffer) ? null : valueOrNull(idle),
  }));
  return mapQuery(
    queryAll({ common: commonTerms(vault, request), own }),
    ({ common, own: { supported, idle } }) => ({
      ...common,
      ...tellerLimits(common, { idle, shares: request.shares }),
      refusal: supported === false ? "token_unsupported" : common.refusal,
    }),
  );
}

function tellerCall(vault: Vault, request: ExitInput): ExitCall {
  const receiver = request.receiver ?? request.caller ?? zeroAddress;
  const args = [request.token.address, request.shares, request.minAssets, receiver] as const;
  return {
    target: vault.entryPoint,
    data: encodeFunctionData({ abi: tellerAbi(), functionName: "withdraw", args }),
    spender: null,
    sharesOffset: SHARES_OFFSET,
    sharesScale: 1n,
    selfOffsets: request.caller === null && request.receiver === null ? [RECEIVER_OFFSET] : [],
    paysTo: request.receiver === null ? "caller" : "receiver",
    minAssets: "native",
    tokenOut: request.token.address,
    async: false,
  };
}

/**
 * Returns a query for the conditions of a withdrawal that is paid later, from the share token and from the paying
 * contract.
 */
function waitingTerms(vault: Vault, request: ExitTermsInput): Query<ExitTerms> {
  const own = request.mode === "cooldown" ? delayedTerms(vault, request) : queueTerms(vault, request);
  return mapQuery(queryAll({ common: commonTerms(vault, request), own }), ({ common, own: known }) => ({
    ...common,
    ...known,
    refusal: common.refusal ?? known.refusal ?? null,
    // The teller's pause stops only what the teller itself pays.
    paused: known.paused === true,
  }));
}

/**
 * Withdrawals from Veda's BoringVaults, by contracts that registry parameters enable: the teller pays instantly,
 * solvers pay a queue's requests, an older contract pays claims after a fixed delay. Requests at the oldest contract,
 * AtomicQueue, are read and cancelled but not made: they need a standing allowance of the shares. Source: Veda-Labs.
 */
export const vedaExits: VaultExits = {
  modes: modesOf,
  tokens: (vault, mode) => (mode === "cooldown" ? delayedTokens(vault) : vedaExitTokens(vault)),
  viaRouter: (vault, mode) => mode === "instant" && vault.caller === "router",
  terms: (vault, request) =>
    request.mode === "instant" ? tellerTerms(vault, request) : waitingTerms(vault, request),
  encode(vault, request) {
    if (request.mode === "instant") return tellerCall(vault, request);
    return request.mode === "cooldown" ? delayedCall(vault, request) : queueCall(vault, request);
  },
  explain: familyErrors({
    errors: {
      "error BoringOnChainQueue__Paused()": "exits_paused",
      "error BoringOnChainQueue__WithdrawsNotAllowedForAsset()": "token_unsupported",
      "error BoringOnChainQueue__BadShareAmount()": "below_minimum",
      "error BoringOnChainQueue__NotEnoughWithdrawCapacity()": "no_liquidity",
      "error BoringOnChainQueue__BadUser()": "not_allowed",
      "error BoringOnChainQueue__RequestNotFound()": "withdrawal_state",
      "error DelayedWithdraw__WithdrawNotMatured()": "cooldown",
      "error DelayedWithdraw__RequestPastCompletionWindow()": "withdrawal_state",
      "error DelayedWithdraw__MaxLossExceeded()": "price_unsafe",
      "error DelayedWithdraw__NoSharesToWithdraw()": "withdrawal_state",
      "error DelayedWithdraw__Paused()": "exits_paused",
      "error DelayedWithdraw__WithdrawsNotAllowed()": "token_unsupported",
      "error TellerWithMultiAssetSupport__Paused()": "exits_paused",
      "error TellerWithMultiAssetSupport__AssetNotSupported()": "token_unsupported",
      "error TellerWithMultiAssetSupport__ZeroShares()": "nothing_to_withdraw",
      "error TellerWithMultiAssetSupport__MinimumAssetsNotMet()": null,
    },
    reasons: [
      { reason: /^UNAUTHORIZED$/, code: "mode_unsupported" },
      { reason: /^TRANSFER_FAILED$/, code: "no_liquidity" },
    ],
  }),
  pending: (vault, of) =>
    mapQuery(
      queryAll({
        ...{ queue: pendingInQueue(vault, of), delayed: pendingDelayed(vault, of) },
        atomic: pendingAtomic(vault, of),
      }),
      ({ queue, delayed, atomic }) => joinPending([queue, delayed, atomic]),
    ),
  findsByIds: () => true,
  takenOut: takenByQueue,
  takenShares: sharesTakenByQueue,
  // Solvers pay the queue's requests.
  paysUnclaimed: (mode) => mode === "request",
  claim(vault, { user, request }) {
    const target = delayedContractOf(vault, request.requestId);
    if (request.mode !== "cooldown" || request.state !== "claimable" || target === null) return null;
    const args = [request.token, user] as const;
    return {
      target,
      data: encodeFunctionData({ abi: vedaDelayedAbi(), functionName: "completeWithdraw", args }),
    };
  },
  cancel(vault, { user, request }) {
    if (isAtomicRequest(request.requestId)) return atomicCancellation(vault, request);
    if (request.mode === "request") return queueCancellation(vault, { user, request });
    const target = delayedContractOf(vault, request.requestId);
    if (target === null) return null;
    const args = [request.token] as const;
    return {
      target,
      data: encodeFunctionData({ abi: vedaDelayedAbi(), functionName: "cancelWithdraw", args }),
    };
  },
  cancelsUnseen: isAtomicRequestFor,
  // A request that was built is never one at an AtomicQueue, but a smart account may batch it with one.
  findRequest: (vault, seen) => findQueueRequest(vault, seen) ?? findAtomicRequest(vault, seen),
  findSettlement: (vault, seen) =>
    isAtomicRequest(seen.requestId) ? findAtomicSettlement(vault, seen) : findQueueSettlement(vault, seen),
  findCancellation(vault, seen) {
    if (cancelsInQueue(vault, seen)) return "returned";
    return endsAtomicRequest(vault, seen) ? "kept" : null;
  },
};
