import {
  type Address,
  encodeFunctionData,
  isAddressEqual,
  type Log,
  maxUint256,
  parseAbi,
  parseEventLogs,
  size,
} from "viem";
import {
  createQuery,
  type Query,
  type ReadResult,
  type ReadResults,
  read,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { DerivationSubject } from "../../vault-deriver.ts";
import {
  type ExitInput,
  type ExitMode,
  type ExitRequestSeen,
  type ExitSettlement,
  type ExitTermsInput,
  paidTo,
  type VaultExits,
} from "../../vault-exits.ts";
import { addressParam, optionalChoiceParam, withoutParams, withWithdrawSeconds } from "../../vault-params.ts";
import { familyErrors } from "../../vault-reverts.ts";
import {
  hasMapleQueue,
  identifyMaple,
  MAPLE_MANUAL,
  mapleAbi,
  mapleCancellation,
  mapleClaimedShares,
  mapleTerms,
} from "../maple/maple-exits.ts";
import { findMapleEnd, findMapleRequest, isTakenFromQueue } from "../maple/maple-request-events.ts";
import { mapleRequests } from "../maple/maple-requests.ts";
import { cooldownAbi, cooldownTerms, coolingShares } from "./erc4626-cooldowns.ts";
import { type Identification, ORDINARY_ACCOUNT } from "./erc4626-derivation.ts";
import { yoReads } from "./yo-exits.ts";

/** Length of a selector in bytes, after which the shares follow in calldata. */
const SELECTOR_BYTES = 4;

/** The two forms of `cooldownShares`, as views: a read shows which of them a contract has. */
const startAbi = once(() =>
  parseAbi([
    "function cooldownShares(uint256 shares) view returns (uint256 assets)",
    "function cooldownShares(uint256 shares, address owner) view returns (uint256 assets)",
  ]),
);

const erc7540Abi = once(() =>
  parseAbi([
    "function supportsInterface(bytes4) view returns (bool)",
    "function previewRedeem(uint256 shares) view returns (uint256 assets)",
  ]),
);
/** ERC-165 identifier of asynchronous redemptions. Source: EIP-7540. */
const ASYNC_REDEEM = "0x620ee8e4";

/**
 * Returns how a generic ERC-4626 vault may delay withdrawals, by its registry parameter `exit`; null if it is missing
 * or empty. Throws an Error for an invalid value.
 */
export const waitOf = (vault: Vault): "cooldown" | "maple" | "erc7540" | "yo" | null =>
  optionalChoiceParam(vault, { name: "exit", choices: ["cooldown", "maple", "erc7540", "yo"] });

/**
 * Returns true if the call that starts a vault's cooldown names the owner of the shares, by the registry parameter
 * `cooldown_call`; false if it is missing or empty. Throws an Error for another value than `owner`.
 */
const namesOwner = (vault: Vault): boolean =>
  optionalChoiceParam(vault, { name: "cooldown_call", choices: ["owner"] }) !== null;

/** Registry parameters that `identifyWaiting` sets or removes, in addition to `withdraw_seconds`. */
const WAITING_PARAMS = ["exit", "cooldown_call", "pool_manager", "withdrawal_manager", "withdrawal_type"];

/**
 * Validates the registry parameters by which a generic ERC-4626 vault delays withdrawals, except `withdraw_seconds`.
 * Throws an Error if one is invalid.
 */
export function checkWaitingParams(vault: Vault): void {
  waitOf(vault);
  namesOwner(vault);
  hasMapleQueue(vault);
  addressParam(vault, "pool_manager");
  addressParam(vault, "withdrawal_manager");
}

/**
 * Returns a query that detects how a generic ERC-4626 vault delays withdrawals. The result contains the registry
 * parameters, with `exit` (see `waitOf`), `withdraw_seconds` and those that the exits need as detected. It has `ok`
 * false only for a Maple pool whose manager names no withdrawal manager.
 */
export function identifyWaiting({ address, params }: DerivationSubject): Query<Identification> {
  const known = withoutParams(params, WAITING_PARAMS);
  const start = { to: address, abi: startAbi(), name: "cooldownShares" } as const;
  // `cooldownDuration()` shows sUSDe and its forks, `convertToExitAssets` with `manager` Maple's pools, and all of
  // `yoReads` Yo's vaults. In ERC-7540 vaults, `previewRedeem` must revert.
  const reads = {
    cooldown: read({ to: address, abi: cooldownAbi(), name: "cooldownDuration" }),
    // More shares than anybody has: both forms refuse them with an error before they write anything.
    ownStart: read({ ...start, args: [maxUint256] }),
    namedStart: read({ ...start, args: [maxUint256, ORDINARY_ACCOUNT] }),
    exitPrice: read({ to: address, abi: mapleAbi(), name: "convertToExitAssets", args: [1n] }),
    manager: read({ to: address, abi: mapleAbi(), name: "manager" }),
    requests: read({ to: address, abi: erc7540Abi(), name: "supportsInterface", args: [ASYNC_REDEEM] }),
    preview: read({ to: address, abi: erc7540Abi(), name: "previewRedeem", args: [1n] }),
    ...yoReads(address, address),
  };
  const ordinary = createQuery(reads, (results): Identification => {
    const { cooldown, ownStart, namedStart, requests, preview, ...yo } = results;
    const onRequest = valueOrNull(requests) === true && !preview.ok;
    const ofYo = yo.yoOwed.ok && yo.yoFee.ok && yo.yoRequest.ok;
    const waits = onRequest ? { exit: "erc7540" } : ofYo ? { exit: "yo" } : {};
    const call = !exists(ownStart) && exists(namedStart) ? { cooldown_call: "owner" } : {};
    const exit = cooldown.ok ? { exit: "cooldown", ...call } : waits;
    return { ok: true, params: withWithdrawSeconds({ ...known, ...exit }, valueOrNull(cooldown)) };
  });
  return {
    ...ordinary,
    next: (results) => {
      const { cooldown, exitPrice, manager } = results as ReadResults<typeof reads>;
      return cooldown.ok || !exitPrice.ok || !manager.ok ? null : identifyMaple(known, manager.value);
    },
  };
}

/** Returns true if a read shows that its function exists: it returned a value, or reverted with an error. */
const exists = (result: ReadResult<unknown>): boolean =>
  result.ok || (result.revert !== null && size(result.revert) >= SELECTOR_BYTES);

/**
 * Adds delayed withdrawals to `ordinary` for the values `cooldown` (sUSDe and its forks) and `maple` of the registry
 * parameter `exit`. Sources: ethena-labs, StakedUSDeV2; maple-labs/pool-v2.
 */
export function waitingExits(ordinary: VaultExits): VaultExits {
  return {
    ...ordinary,
    modes: (vault) => modesOf(vault),
    viaRouter: (vault, mode) => mode === "instant" && ordinary.viaRouter(vault, mode),
    terms: (vault, request) => describeExit(vault, { request, ordinary }),
    exitPrice: (vault, now) => {
      const price = waitOf(vault) === null ? ordinary.exitPrice?.(vault, now) : undefined;
      return price ?? createQuery({}, () => null);
    },
    encode(vault, request) {
      const call = ordinary.encode(vault, request);
      if (request.mode === "instant") return call;
      const own = { selfOffsets: [], paysTo: "caller", async: true, sharesOffset: SELECTOR_BYTES } as const;
      return { ...call, ...own, data: requestData(vault, request) };
    },
    explain: familyErrors({
      errors: {
        "error OperationNotAllowed()": "mode_unsupported",
        "error InvalidCooldown()": "cooldown",
        "error ExcessiveRedeemAmount()": "nothing_to_withdraw",
        "error ExcessiveWithdrawAmount()": "nothing_to_withdraw",
      },
      // A request to Maple while an earlier one is open, a cancellation before or a claim outside of its window, and a
      // claim that its pool cannot pay. Sources: maple-labs' withdrawal managers.
      reasons: [
        { reason: /^WM:AS:(IN_QUEUE|WITHDRAWAL_PENDING)$/, code: "request_pending" },
        { reason: /^WM:(RS:WITHDRAWAL_PENDING|PE:NOT_IN_WINDOW)$/, code: "withdrawal_state" },
        { reason: /^WM:PE:NOT_ENOUGH_LIQUIDITY$/, code: "no_liquidity" },
      ],
    }),
    pending(vault, of) {
      const wait = waitOf(vault);
      if (wait === null) return createQuery({}, () => []);
      return wait === "maple" ? mapleRequests(vault, of) : coolingShares(vault, of);
    },
    paysUnclaimed: (mode, vault, variant) =>
      mode === "request" && hasMapleQueue(vault) && variant !== MAPLE_MANUAL,
    claim(vault, { user, request }) {
      if (request.state !== "claimable") return null;
      const data =
        request.mode === "cooldown"
          ? encodeFunctionData({ abi: cooldownAbi(), functionName: "unstake", args: [user] })
          : encodeFunctionData({
              abi: mapleAbi(),
              functionName: "redeem",
              args: [mapleClaimedShares(request), user, user],
            });
      return { target: vault.entryPoint, data };
    },
    cancel: mapleCancellation,
    findRequest,
    findSettlement: findPayment,
    findCancellation: (vault, seen) =>
      waitOf(vault) === "maple" && isTakenFromQueue(vault, seen) ? "returned" : null,
  };
}

const modesOf = (vault: Vault): readonly ExitMode[] => {
  const wait = waitOf(vault);
  if (wait === null) return ["instant"];
  return wait === "cooldown" ? ["instant", "cooldown"] : ["request"];
};

function requestData(vault: Vault, { mode, shares, owner }: ExitInput) {
  if (mode !== "cooldown")
    return encodeFunctionData({ abi: mapleAbi(), functionName: "requestRedeem", args: [shares, owner] });
  const start = { abi: cooldownAbi(), functionName: "cooldownShares" } as const;
  return namesOwner(vault)
    ? encodeFunctionData({ ...start, args: [shares, owner] })
    : encodeFunctionData({ ...start, args: [shares] });
}

function describeExit(
  vault: Vault,
  { request, ordinary }: { request: ExitTermsInput; ordinary: VaultExits },
) {
  const wait = waitOf(vault);
  if (wait === null) return ordinary.terms(vault, request);
  if (wait !== "cooldown") return mapleTerms(vault, request);
  return cooldownTerms(vault, { request, ordinary: ordinary.terms(vault, request) });
}

type SeenLogs = { user: Address; logs: readonly Log[] };

function findRequest(vault: Vault, seen: SeenLogs): ExitRequestSeen | null {
  const wait = waitOf(vault);
  if (wait === null) return null;
  if (wait === "maple") return findMapleRequest(vault, seen);
  const found = findCooldown(vault, seen);
  return found === null ? null : { requestId: "0", shares: found.shares, assets: found.assets };
}

/**
 * Returns the arguments of the event that starts a user's cooldown, or null. It is a withdrawal in favour of the
 * contract that keeps the assets. One in favour of the user is an instant redemption.
 */
function findCooldown(vault: Vault, { user, logs }: SeenLogs) {
  const own = logs.filter(({ address }) => isAddressEqual(address, vault.entryPoint));
  const found = parseEventLogs({ abi: mapleAbi(), eventName: "Withdraw", logs: own }).find(
    ({ args }) => isAddressEqual(args.owner, user) && !isAddressEqual(args.receiver, user),
  );
  return found?.args ?? null;
}

function findPayment(
  vault: Vault,
  { user, requestId, logs, requestLogs }: SeenLogs & { requestId: string; requestLogs: readonly Log[] },
): ExitSettlement | null {
  const wait = waitOf(vault);
  if (wait === null) return null;
  if (wait === "maple") return findMapleEnd(vault, { user, requestId, logs, requestLogs });
  const cooldown = findCooldown(vault, { user, logs: requestLogs });
  if (cooldown === null) return null;
  // `unstake` emits no event of the vault, and pays all that its caller was cooling, or nothing. What exceeds this
  // cooldown's assets belongs to others of the account, which share its end.
  const amounts = paidTo(logs, { token: vault.asset.address, receiver: user, sender: cooldown.receiver });
  const assets = amounts.reduce((sum, amount) => sum + amount, 0n);
  if (assets === 0n || assets < cooldown.assets) return null;
  return { outcome: "paid", assets: cooldown.assets, alone: true };
}
