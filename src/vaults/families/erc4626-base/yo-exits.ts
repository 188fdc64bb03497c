import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  isAddressEqual,
  type Log,
  parseAbi,
  parseEventLogs,
} from "viem";
import {
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  read,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { mulDivDown, smaller } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import {
  type ExitRequestSeen,
  type ExitSettlement,
  type ExitTerms,
  type ExitTermsInput,
  type PendingExit,
  paidTo,
  unknownPendingExit,
  type VaultExits,
} from "../../vault-exits.ts";
import { familyErrors } from "../../vault-reverts.ts";
import { erc4626Exits } from "./erc4626-exits.ts";

const yoAbi = once(() =>
  parseAbi([
    "function totalPendingAssets() view returns (uint256)",
    "function feeOnWithdraw() view returns (uint256)",
    "function pendingRedeemRequest(address user) view returns (uint256 assets, uint256 pendingShares)",
    "function requestRedeem(uint256 shares, address receiver, address owner) returns (uint256)",
    "event RedeemRequest(address indexed receiver, address indexed owner, uint256 assets, uint256 shares, bool indexed instant)",
    "event RequestFulfilled(address indexed receiver, uint256 shares, uint256 assets)",
    "event RequestCancelled(address indexed receiver, uint256 shares, uint256 assets)",
  ]),
);
/** Value of the withdrawal fee that stands for 100% of the payment. The fee is added to the payment. */
const FEE_SCALE = 10n ** 18n;

/**
 * Creates the reads that identify a generic ERC-4626 vault as one of Yo's if all of them succeed. `account` may be any
 * account.
 */
export function yoReads(vault: Address, account: Address) {
  const on = { to: vault, abi: yoAbi() } as const;
  return {
    yoOwed: read({ ...on, name: "totalPendingAssets" }),
    yoFee: read({ ...on, name: "feeOnWithdraw" }),
    yoRequest: read({ ...on, name: "pendingRedeemRequest", args: [account] }),
  };
}

const redeem = erc4626Exits({ pausable: true, charges: true });

/**
 * Returns a query for what the vault can pay at once: the assets that it holds and does not owe to open requests, in
 * the asset's smallest unit. Null if either is unknown.
 */
function availableQuery(vault: Vault): Query<bigint | null> {
  const held = read({ to: vault.asset.address, abi: erc20Abi, name: "balanceOf", args: [vault.entryPoint] });
  const owed = read({ to: vault.entryPoint, abi: yoAbi(), name: "totalPendingAssets" });
  return createQuery({ held, owed }, (results) => {
    const [holds, owes] = [valueOrNull(results.held), valueOrNull(results.owed)];
    if (holds === null || owes === null) return null;
    return holds > owes ? holds - owes : 0n;
  });
}

/**
 * Returns a query for the conditions of a redemption. A redemption that the vault cannot pay at once does not revert
 * but becomes a request, so it is refused in the mode `instant` (`no_liquidity`).
 */
function exitTerms(vault: Vault, request: ExitTermsInput): Query<ExitTerms> {
  const parts = { terms: redeem.terms(vault, request), available: availableQuery(vault) };
  return mapQuery(queryAll(parts), ({ terms, available }): ExitTerms => {
    // The operator may pay less than the recorded assets, and the fee is that of the payment's time.
    if (request.mode !== "instant") return { ...terms, availableAssets: null, priced: "recorded" };
    const { grossAssets: gross, previewAssets: net } = terms;
    if (available === null || gross === null) return { ...terms, availableAssets: available };
    // The fee is paid from the same assets.
    const payable = net === null || gross === 0n ? available : mulDivDown(available, net, gross);
    return {
      ...terms,
      availableAssets: payable,
      refusal: available < gross ? "no_liquidity" : terms.refusal,
    };
  });
}

function pendingExits(vault: Vault, { user }: { user: Address }): Query<readonly PendingExit[] | null> {
  const { yoFee: fee, yoRequest: request } = yoReads(vault.entryPoint, user);
  return createQuery({ fee, request }, (results) => {
    if (!results.request.ok) return null;
    const [gross, shares] = results.request.value;
    if (shares === 0n) return [];
    const rate = valueOrNull(results.fee);
    // The operator may pay less than the recorded assets, and the fee is that of the payment's time.
    const assets = rate === null ? null : mulDivDown(gross, FEE_SCALE, rate + FEE_SCALE);
    return [{ ...unknownPendingExit, shares, assets, token: vault.asset.address }];
  });
}

type SeenLogs = { user: Address; logs: readonly Log[] };

function findRequest(vault: Vault, { user, logs }: SeenLogs): ExitRequestSeen | null {
  const own = logs.filter(({ address }) => isAddressEqual(address, vault.entryPoint));
  const found = parseEventLogs({ abi: yoAbi(), eventName: "RedeemRequest", logs: own }).find(
    ({ args }) => !args.instant && isAddressEqual(args.receiver, user),
  );
  if (found === undefined) return null;
  return { requestId: "0", shares: found.args.shares, assets: found.args.assets };
}

function findSettlement(vault: Vault, { user, logs }: SeenLogs): ExitSettlement | null {
  const own = logs.filter(({ address }) => isAddressEqual(address, vault.entryPoint));
  const ends = parseEventLogs({ abi: yoAbi(), logs: own }).filter(
    ({ eventName, args }) => eventName !== "RedeemRequest" && isAddressEqual(args.receiver, user),
  );
  const sumOf = (name: string, member: "shares" | "assets") =>
    ends.reduce((sum, { eventName, args }) => (eventName === name ? sum + args[member] : sum), 0n);
  const [fulfilled, returned] = [sumOf("RequestFulfilled", "shares"), sumOf("RequestCancelled", "shares")];
  if (fulfilled > 0n) {
    // The event's assets include the fee; other accounts may pay the user in the same transaction.
    const paid = paidTo(logs, { token: vault.asset.address, receiver: user, sender: vault.entryPoint });
    const arrived = paid.reduce((sum, amount) => sum + amount, 0n);
    const assets = smaller(arrived, sumOf("RequestFulfilled", "assets"));
    return { outcome: "paid", assets, shares: fulfilled };
  }
  return returned > 0n ? { outcome: "rejected", assets: 0n, shares: returned } : null;
}

/**
 * Withdrawals from Yo's vaults, which record a request instead of paying if they are short of assets; the operator
 * later pays it or returns its shares. The mode `instant` is refused if the views show that the vault is short. Source:
 * yoprotocol/core, YoVault_V2.
 */
export const yoExits: VaultExits = {
  ...redeem,
  modes: () => ["instant", "request"],
  viaRouter: (_vault, mode) => mode === "instant",
  terms: exitTerms,
  encode(vault, request) {
    const call = redeem.encode(vault, request);
    if (request.mode === "instant") return call;
    const args = [request.shares, request.owner, request.owner] as const;
    const data = encodeFunctionData({ abi: yoAbi(), functionName: "requestRedeem", args });
    return { ...call, data, selfOffsets: [], paysTo: "caller", async: true };
  },
  explain: familyErrors({
    errors: {
      "error EnforcedPause()": "exits_paused",
      "error InsufficientShares()": "nothing_to_withdraw",
      "error SharesAmountZero()": "nothing_to_withdraw",
    },
  }),
  pending: pendingExits,
  paysUnclaimed: (mode) => mode === "request",
  claim: () => null,
  findRequest,
  findSettlement,
};
