import { decodeErrorResult, encodeFunctionData, parseAbi } from "viem";
import {
  createQuery,
  isUnmade,
  type Query,
  type ReadResult,
  read,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import { probeFunction } from "../../vault-deriver.ts";
import type { ExitCall, ExitInput, ExitTerms, ExitTermsInput, VaultExits } from "../../vault-exits.ts";
import { familyErrors } from "../../vault-reverts.ts";
import { erc4626RedeemCall } from "../erc4626-base/erc4626-exits.ts";
import { erc7540Exits, lessExitFee } from "../erc7540/erc7540-exits.ts";

const lagoonAbi = once(() =>
  parseAbi([
    "function paused() view returns (bool)",
    "function previewSyncRedeem(uint256) view returns (uint256)",
    "function isWhitelisted(address) view returns (bool)",
    "function isAllowed(address) view returns (bool)",
    "function convertToAssets(uint256 shares) view returns (uint256)",
    "function claimableRedeemRequest(uint256 requestId, address controller) view returns (uint256)",
    "function feeRates() view returns (uint16 management, uint16 performance, uint16 entry, uint16 exit, uint16 haircut)",
    "function requestRedeem(uint256 shares, address controller, address owner) returns (uint256 requestId)",
    "function syncRedeem(uint256 shares, address receiver, uint256 minimumAssets) returns (uint256 assets)",
    "function cancelRequestRedeem(address controller)",
    "error NotOpen(uint8 state)",
  ]),
);
/**
 * State number of a closed vault in the error `NotOpen`. A closed vault redeems instantly; a closing one does not pay
 * yet.
 */
const CLOSED = 2;
/** Name of the variant that redeems instantly from a closed vault. Other instant redemptions use `syncRedeem`. */
const AT_CLOSE = "closed";
/** Byte offset of the shares in the calldata of `syncRedeem`. */
const SHARES_OFFSET = 4;

/**
 * Returns the vault's state number from the revert of a probed request, or null if the call did not revert with
 * `NotOpen`: the vault is open, or its state could not be read. Source: lagoon-v0, `onlyOpen`.
 */
function closedState(probe: ReadResult<unknown>): number | null {
  if (probe.ok || probe.revert === null) return null;
  try {
    const { errorName, args } = decodeErrorResult({ abi: lagoonAbi(), data: probe.revert });
    return errorName === "NotOpen" ? args[0] : null;
  } catch {
    return null;
  }
}

type FeeRates = ReadResult<readonly [number, number, number, number, number]>;

/**
 * Returns the exit fee of version 0.6 or later in basis points, null if it is unread, and 0 for older versions, which
 * have none.
 */
function exitFeeOf(feeRates: FeeRates): bigint | null {
  if (isUnmade(feeRates)) return null;
  return BigInt(valueOrNull(feeRates)?.[3] ?? 0);
}

/**
 * Returns the payment for shares in assets, less the exit fee, rounded down; null if the fee is unread or above 100%.
 * Empty if the value is unknown.
 */
function netOfExitFee(value: bigint | null, feeRates: FeeRates): Pick<Partial<ExitTerms>, "previewAssets"> {
  return value === null ? {} : { previewAssets: lessExitFee(value, exitFeeOf(feeRates)) };
}

/**
 * Returns a query for the conditions of a redemption. A closing vault refuses both modes, a closed one refuses
 * requests; `variant` is `closed` for an instant redemption from a closed vault. While a settled request waits to be
 * claimed, or may do so, that is refused, because the vault would pay the request instead.
 */
function views(vault: Vault, request: ExitTermsInput): Query<Partial<ExitTerms>> {
  const on = { to: vault.entryPoint, abi: lagoonAbi() } as const;
  const own = [1n, vault.entryPoint, vault.entryPoint] as const;
  const reads = {
    paused: read({ ...on, name: "paused" }),
    sync: read({ ...on, name: "previewSyncRedeem", args: [request.shares] }),
    listed: read({ ...on, name: "isWhitelisted", args: [request.owner] }),
    allowed: read({ ...on, name: "isAllowed", args: [request.owner] }),
    open: probeFunction({ ...on, name: "requestRedeem", args: own }),
    value: read({ ...on, name: "convertToAssets", args: [request.shares] }),
    rates: read({ ...on, name: "feeRates" }),
    claimable: read({ ...on, name: "claimableRedeemRequest", args: [0n, request.owner] }),
  };
  return createQuery(reads, (results): Partial<ExitTerms> => {
    const { paused, sync, listed, allowed, claimable } = results;
    const state = closedState(results.open);
    const net = netOfExitFee(valueOrNull(results.value), results.rates);
    const admitted = valueOrNull(allowed.ok ? allowed : listed) !== false;
    const terms = {
      paused: valueOrNull(paused) === true,
      refusal: admitted ? null : ("not_allowed" as const),
    };
    if (request.mode === "request")
      return state === null
        ? { ...terms, ...net }
        : { ...terms, refusal: state === CLOSED ? "mode_unsupported" : "exits_paused" };
    if (state === CLOSED) {
      const refusal = terms.refusal ?? (valueOrNull(claimable) === 0n ? null : "request_pending");
      return { ...terms, ...net, refusal, priced: "now", variant: AT_CLOSE };
    }
    const now = valueOrNull(sync) ?? 0n;
    if (now === 0n || state !== null) return { ...terms, refusal: "mode_unsupported" };
    return { ...terms, priced: "now", previewAssets: now };
  });
}

const requests = erc7540Exits({
  views,
  requests: (vault) => {
    const on = { to: vault.entryPoint, abi: lagoonAbi() } as const;
    const reads = {
      sync: read({ ...on, name: "previewSyncRedeem", args: [0n] }),
      rates: read({ ...on, name: "feeRates" }),
    };
    // Versions since 0.6 have the view and take a request back within its epoch. They take the exit fee at settlement.
    return createQuery(reads, ({ sync, rates }) => {
      const exitFeeBps = exitFeeOf(rates);
      return { cancellable: sync.ok, returning: 0n, returned: 0n, exitFeeBps };
    });
  },
  cancel: (vault, { user }) => ({
    target: vault.entryPoint,
    data: encodeFunctionData({ abi: lagoonAbi(), functionName: "cancelRequestRedeem", args: [user] }),
  }),
  explain: familyErrors({
    errors: {
      "error OnlyOneRequestAllowed()": "request_pending",
      "error NotOpen(uint8 state)": "exits_paused",
      "error SyncOperationNotAllowed()": "mode_unsupported",
      "error AsyncOnly()": "mode_unsupported",
      "error TotalAssetsExpired()": "mode_unsupported",
      "error RequestNotCancelable(uint256 requestId)": "withdrawal_state",
      "error RequestNotCancelable()": "withdrawal_state",
      "error RequestIdNotClaimable()": "withdrawal_state",
      "error NotWhitelisted()": "not_allowed",
      "error AddressNotAllowed(address account)": "not_allowed",
      "error ERC7540InvalidOperator()": "not_allowed",
      "error BelowMinimumAssets(uint256 assets, uint256 minimum)": null,
      // The vault pays out of its Safe, by an allowance that the Safe may take back. The owner gives none.
      "error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)": "no_liquidity",
    },
    reasons: [{ reason: /transfer amount exceeds allowance/i, code: "no_liquidity" }],
  }),
});

function encode(vault: Vault, request: ExitInput): ExitCall {
  if (request.mode !== "instant") return requests.encode(vault, request);
  if (request.variant === AT_CLOSE) return erc4626RedeemCall(vault, { request });
  const receiver = request.receiver ?? request.owner;
  const args = [request.shares, receiver, request.minAssets] as const;
  return {
    ...requests.encode(vault, request),
    data: encodeFunctionData({ abi: lagoonAbi(), functionName: "syncRedeem", args }),
    sharesOffset: SHARES_OFFSET,
    paysTo: "receiver",
    minAssets: "native",
    async: false,
  };
}

/**
 * Withdrawals from Lagoon vaults, which the owner must call: requests, and instant ones from version 0.6 on or from a
 * closed vault. Those from a closed vault enforce no minimum output. Source: hopperlabsxyz/lagoon-v0.
 */
export const lagoonExits: VaultExits = {
  ...requests,
  modes: () => ["instant", "request"],
  encode,
  // No view returns the current epoch, with which the time to cancel a request ends.
  cancelsUntold: true,
};
