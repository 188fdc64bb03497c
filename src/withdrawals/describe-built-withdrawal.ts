import { mulDivDown, partsToFraction } from "../lib/amount.ts";
import { formatUnixTime } from "../lib/unix-time.ts";
import { type GasFunds, isGasSufficient } from "../orders/order-gas-funds.ts";
import { isCovered } from "../orders/order-payer-funds.ts";
import { allowedLoss } from "../orders/order-slippage.ts";
import { type StepPlan, toBuiltWithdrawalSteps, toLeg } from "../orders/order-steps.ts";
import { toTransactionRequest, toWalletCall } from "../orders/order-wallet-calls.ts";
import { TRANSFER_ROUNDING } from "../orders/simulate-order-payment.ts";
import { formatUsdValue, type Prices, priceOf, valueInUsd } from "../prices/price.ts";
import type { TokenRef, Warning } from "../schemas/step-schema.ts";
import type { BuiltWithdrawal, WithdrawOption } from "../schemas/withdraw-build-schema.ts";
import { CONVERSION_ROUNDING } from "../vaults/vault-share-price.ts";
import { isCheap, type ModeOption } from "./choose-exit.ts";
import type { ExitWay } from "./exit-preflight.ts";
import { sharePayment } from "./prepare-exit.ts";
import { type PreparedWithdrawal, transferOf } from "./prepared-withdrawal.ts";
import { mayCancel } from "./withdrawal-order.ts";

type Figures = Omit<WithdrawOption, "mode" | "two_step" | "reasons">;

/**
 * Returns the expected (`amount`) and the least amount of the requested token, in its smallest unit; null where unknown
 * or not enforced. In two steps, `least` is an estimate: the second step is quoted again.
 */
export function arrivalOf(prepared: PreparedWithdrawal): { amount: bigint | null; least: bigint | null } {
  if (prepared.kind === "routed") {
    const { toAmount, toAmountMin } = prepared.exit;
    return { amount: toAmount, least: toAmountMin };
  }
  const { assets, minAssets } = prepared.exit;
  if (prepared.kind === "direct") return { amount: assets, least: minAssets };
  const { transfer } = prepared;
  if (transfer === null || assets === null || assets === 0n) return { amount: null, least: null };
  const { route } = transfer;
  const least = minAssets === null ? null : mulDivDown(route.toAmountMin, minAssets, assets);
  return { amount: route.toAmount, least };
}

/**
 * Returns the conditions of a withdrawal with the lower of what the vault previews and what the simulation paid: a
 * preview may leave out the fee, or a part of it.
 */
function measuredTerms({ exit }: PreparedWithdrawal): ExitWay["terms"] {
  const { terms, mode } = exit.exit.way;
  const { previewAssets: preview, paidNow } = terms;
  if (mode !== "instant" || paidNow !== null || preview === null || exit.assets === null) return terms;
  return exit.assets + TRANSFER_ROUNDING < preview ? { ...terms, previewAssets: exit.assets } : terms;
}

/**
 * Returns the vault's exit fee in the smallest unit of the paid token, 0 if it is so small that it may be rounding, or
 * null if unknown.
 */
function exitFee({ grossAssets, previewAssets }: ExitWay["terms"]): bigint | null {
  if (grossAssets === null || previewAssets === null) return null;
  const fee = grossAssets - previewAssets;
  return fee > CONVERSION_ROUNDING ? fee : 0n;
}

/**
 * Returns the figures of a withdrawal in the API's format: the vault's payment and exit fee in the paid token's
 * smallest unit, the amount and US dollar value of the requested token, and when a request may be paid. Each is null if
 * unknown; a minimum also if none is enforced, the time also if the vault pays at once.
 */
export function toFigures(prepared: PreparedWithdrawal, prices: Prices): Figures {
  const { exit, order } = prepared;
  const { way } = exit.exit;
  const { amount, least } = arrivalOf(prepared);
  const { earliest } = way.terms;
  const price = priceOf(prices, { chainId: order.to.chainId, token: order.to.token });
  const decimals = decimalsOfTarget(prepared);
  const usd =
    amount === null || price === null || decimals === null
      ? null
      : valueInUsd(amount, { decimals, usd: price.usd });
  return {
    assets: exit.assets?.toString() ?? null,
    min_assets: exit.minAssets?.toString() ?? null,
    exit_fee: exitFee(measuredTerms(prepared))?.toString() ?? null,
    to_amount: amount?.toString() ?? null,
    to_amount_min: least?.toString() ?? null,
    to_amount_usd: formatUsdValue(usd),
    available_at: way.mode === "instant" ? null : formatUnixTime(earliest),
  };
}

function decimalsOfTarget(prepared: PreparedWithdrawal): number | null {
  if (prepared.kind === "direct") return prepared.exit.exit.way.token.decimals;
  return transferOf(prepared)?.token.decimals ?? null;
}

/** Converts a refused mode to an option of a quote, with the reason and without amounts. */
export function toRefusedOption({
  mode,
  refusal,
}: Extract<ModeOption<unknown>, { prepared: null }>): WithdrawOption {
  return {
    ...{ mode, two_step: null },
    ...{ assets: null, min_assets: null, exit_fee: null },
    ...{ to_amount: null, to_amount_min: null, to_amount_usd: null, available_at: null },
    reasons: [{ code: refusal.code, detail: refusal.message }],
  };
}

/**
 * Returns the warnings of a withdrawal: those of its route, of the vault's own rate and of a request, `exit_fee` if the
 * exit fee exceeds the slippage, and `no_minimum` if no contract enforces a minimum for an instant payment.
 */
export function withdrawalWarnings(prepared: PreparedWithdrawal): Warning[] {
  const { order, exit } = prepared;
  const { way } = exit.exit;
  const terms = measuredTerms(prepared);
  const dear = (exitFee(terms) ?? 0n) > 0n && !isCheap({ ...way, terms }, order.slippage);
  const noFloor = exit.minAssets === null && way.mode === "instant";
  return [
    ...(transferOf(prepared)?.warnings ?? []),
    ...exit.exit.warnings,
    ...requestWarnings(prepared),
    ...(dear
      ? [
          {
            code: "exit_fee",
            detail: `${order.vault.name} keeps more of the shares' value than the slippage tolerance allows`,
          },
        ]
      : []),
    ...(noFloor
      ? [
          {
            code: "no_minimum",
            detail: "no contract enforces a minimum for the vault's payment in this transaction",
          },
        ]
      : []),
  ];
}

/**
 * Returns the warnings of a withdrawal that the vault pays later: `mode_changed` if that replaces a refused instant
 * payment, and `not_cancellable` if the user can never take the request back.
 */
function requestWarnings({ order, exit, insteadOf }: PreparedWithdrawal): Warning[] {
  const { vault, exits } = order;
  const { mode } = exit.exit.way;
  if (mode === "instant") return [];
  const begun = mode === "cooldown" ? "a cooldown" : "a request";
  const refused = insteadOf && `${insteadOf.code}: ${insteadOf.message}`;
  const kept = exits.keepsRejected ? ", and one that the vault rejects returns nothing on chain" : "";
  return [
    ...(refused === undefined
      ? []
      : [
          {
            code: "mode_changed",
            detail: `${vault.name} does not pay now (${refused}), so this is ${begun}, which pays later`,
          },
        ]),
    ...(mayCancel(vault)
      ? []
      : [
          {
            code: "not_cancellable",
            detail: `${begun} with ${vault.name} cannot be taken back${kept}`,
          },
        ]),
  ];
}

/**
 * Returns the plan of the user's steps for a withdrawal. `share` is the vault's share token. A transaction that waits
 * for a signature, and the second step's, is null.
 */
export function planWithdrawalSteps(prepared: PreparedWithdrawal, share: TokenRef): StepPlan {
  const { order, exit } = prepared;
  const { way, shares } = exit.exit;
  const { chainId } = order.vault;
  const { symbol, decimals, address } = way.token;
  const { approved } = exit.simulated;
  const own = toLeg({
    slot: "source",
    purpose: way.mode === "instant" ? "redeem" : way.mode,
    ...{
      chainId,
      token: share,
      amount: shares.toString(),
      shares_of: order.vault.name,
      spender: approved === 0n ? null : way.spender,
      ...(approved < shares && { approves: approved.toString() }),
    },
    approvals: exit.simulated.calls.length - 1,
    transaction: toTransactionRequest(exit.call, { chainId, gasUsed: exit.simulated.gasUsed }),
  });
  const { authorization } = prepared;
  const source =
    authorization === undefined ? own : { ...own, spender: null, transaction: null, authorization };
  const settles = way.mode !== "instant";
  const unclaimed = settles && order.exits.paysUnclaimed?.(way.mode, order.vault, way.terms.variant) === true;
  const settling = { settles, ...(unclaimed && { unclaimed }) } as const;
  if (prepared.kind !== "two_step") return { source, destination: null, ...settling };
  const spender = prepared.transfer?.route.spender ?? null;
  const second = toLeg({
    slot: "destination",
    purpose: "transfer",
    ...{ chainId, token: { address, symbol, decimals }, amount: exit.assets?.toString() ?? null, spender },
    ...{ approvals: 1, transaction: null },
  });
  const { preferredBridge: preferred_bridge } = order;
  const wish = preferred_bridge === null ? {} : { preferred_bridge };
  return { source, destination: second, ...settling, ...wish };
}

/**
 * Converts a prepared withdrawal to the API response of a build. If a signature pays, it contains no transaction,
 * approval or calls yet. `made.gas` is null if unknown. Throws `upstream_unavailable` if the user's shares are unknown.
 */
export function toWireWithdrawal(
  prepared: PreparedWithdrawal,
  made: { expiresAt: Date; plan: StepPlan; gas: GasFunds | null; prices: Prices },
): BuiltWithdrawal {
  const { order, exit } = prepared;
  const { way, shares } = exit.exit;
  const { simulated, facts } = exit;
  const { chainId } = order.vault;
  const request = toTransactionRequest(exit.call, { chainId, gasUsed: simulated.gasUsed });
  const payment = sharePayment({ order, facts, way });
  const route = prepared.kind === "routed" ? prepared.exit.route : null;
  const kind = prepared.authorization?.kind ?? null;
  const approvals = kind === null ? simulated.calls.length - 1 : 0;
  const needed = kind === null ? simulated.approved : 0n;
  return {
    transaction_request: kind === null ? request : null,
    authorize: kind ?? "approve",
    approval:
      way.spender === null || needed === 0n
        ? null
        : {
            token_address: order.vault.shareToken,
            spender_address: way.spender,
            amount: needed.toString(),
          },
    tracking: {
      from_chain_id: chainId,
      to_chain_id: order.to.chainId,
      bridge: route?.bridge ?? null,
      router_explorer: null,
    },
    tracking_id: order.trackingId,
    mode: way.mode,
    two_step: prepared.kind === "two_step",
    estimate: {
      ...{ shares: shares.toString(), ...toFigures(prepared, made.prices) },
      slippage_applied: partsToFraction(allowedLoss(order.slippage, prepared.kind !== "direct")),
    },
    steps: toBuiltWithdrawalSteps(made.plan),
    calls: kind === null ? simulated.calls.map((call) => toWalletCall(call, chainId)) : [],
    simulation: {
      block_number: simulated.blockNumber,
      gas_used: simulated.gasUsed.toString(),
      received: simulated.received?.toString() ?? null,
      balance_sufficient: isCovered({ balance: payment.balance, amount: shares }),
      allowance_sufficient: needed === 0n || (payment.allowance !== null && payment.allowance >= needed),
      gas_sufficient: isGasSufficient(made.gas, { transaction: request, approvals }),
    },
    warnings: withdrawalWarnings(prepared),
    expires_at: made.expiresAt.toISOString(),
  };
}
