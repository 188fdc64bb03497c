import { keccak256 } from "viem";
import type { Context } from "../context.ts";
import { insertWithdrawal } from "../db/queries/withdrawal-queries.ts";
import { failure } from "../errors.ts";
import { BUILD_DEADLINE_MS } from "../lib/durations.ts";
import { buildOnce } from "../orders/build-order-once.ts";
import { QUOTE_TTL_MS } from "../orders/order-floors.ts";
import { type GasFunds, readGasPrice, waitForGasPrice } from "../orders/order-gas-funds.ts";
import type { StepPlan } from "../orders/order-steps.ts";
import { pricesOfRequest } from "../prices/read-prices.ts";
import type { BuiltWithdrawal, WithdrawInput } from "../schemas/withdraw-build-schema.ts";
import { findToken } from "../vaults/find-vault-token.ts";
import { arrivalOf, planWithdrawalSteps, toWireWithdrawal } from "./describe-built-withdrawal.ts";
import { preparedTokens, prepareWithdrawal } from "./prepare-withdrawal.ts";
import { type PreparedWithdrawal, transferOf } from "./prepared-withdrawal.ts";

/**
 * Builds and records a withdrawal, or returns the response that is stored under the caller's idempotency key; without a
 * key (null), each call builds. `replayed` is true if another request stored the response. Errors of `buildOnce`
 * propagate.
 */
export function buildWithdrawalOnce(
  ctx: Context,
  { input, key }: { input: WithdrawInput; key: string | null },
) {
  const build = () => buildWithdrawal(ctx, input);
  return buildOnce(ctx, { key, asked: { withdraw: input }, user: input.user_address, build });
}

/** Builds and records a withdrawal whose first transaction was simulated at the latest block of its chain. */
async function buildWithdrawal(ctx: Context, input: WithdrawInput): Promise<BuiltWithdrawal> {
  const client = ctx.chains.client(input.vault_id.chainId);
  const gasPrice = client === null ? Promise.resolve(null) : readGasPrice(ctx, client);
  const prepared = await prepareWithdrawal(ctx, input);
  const expiresAt = new Date(ctx.now() + lifetimeMs(prepared));
  const { chainId, shareToken: address } = prepared.order.vault;
  const plan = planWithdrawalSteps(prepared, await findToken(ctx, { chainId, address }));
  const made = { expiresAt, plan, gas: toGasFunds(prepared, await waitForGasPrice(gasPrice)) };
  const prices = await pricesOfRequest(ctx, preparedTokens(prepared.order));
  const built = toWireWithdrawal(prepared, { ...made, prices });
  // The client has stopped waiting, so the withdrawal must not be recorded.
  if (ctx.timing.elapsedMs() > BUILD_DEADLINE_MS)
    throw failure("upstream_timeout", "the withdrawal could not be built in time; try again");
  // What is signed later is answered with what was built.
  const kept = plan.source.authorization === undefined ? plan : { ...plan, answer: built };
  await recordWithdrawal(ctx, { prepared, expiresAt, plan: kept });
  return built;
}

/**
 * Returns how long a withdrawal may be sent after its build, in milliseconds: five minutes, or less if the provider's
 * transaction is offered for less.
 */
function lifetimeMs(prepared: PreparedWithdrawal): number {
  if (prepared.kind !== "routed") return QUOTE_TTL_MS;
  return Math.min(QUOTE_TTL_MS, prepared.exit.route.validSeconds * 1000);
}

function toGasFunds({ exit }: PreparedWithdrawal, gasPrice: bigint | null): GasFunds | null {
  const { nativeBalance: balance } = exit.facts;
  return balance === null || gasPrice === null ? null : { balance, gasPrice };
}

/** Inserts a built withdrawal into the database, in state `built`. Throws `store_unavailable`. */
async function recordWithdrawal(
  ctx: Context,
  { prepared, expiresAt, plan }: { prepared: PreparedWithdrawal; expiresAt: Date; plan: StepPlan },
): Promise<void> {
  const { order, exit } = prepared;
  const [{ vault }, { way, shares }] = [order, exit.exit];
  const { amount, least } = arrivalOf(prepared);
  const route = prepared.kind === "routed" ? (transferOf(prepared)?.route ?? null) : null;
  const row = {
    trackingId: order.trackingId,
    ref: order.ref,
    userAddress: order.user.toLowerCase(),
    vaultChainId: vault.chainId,
    vaultAddress: vault.address.toLowerCase(),
    shareToken: vault.shareToken.toLowerCase(),
    fromAmount: order.shares === "all" ? "0" : shares.toString(),
    estimatedShares: shares.toString(),
    mode: way.mode,
    exitToken: way.token.address.toLowerCase(),
    estimatedAssets: exit.assets?.toString() ?? null,
    minAssets: exit.minAssets?.toString() ?? null,
    toChainId: order.to.chainId,
    moveToken: order.to.token.toLowerCase(),
    moveExpected: amount?.toString() ?? null,
    moveMin: least?.toString() ?? null,
    provider: route?.provider ?? null,
    bridge: route?.bridge ?? null,
    tool: route?.tool ?? null,
    routerExplorer: null,
    slippage: order.slippage,
    twoStep: prepared.kind === "two_step",
    sourceTo: exit.call.target.toLowerCase(),
    sourceDataHash: keccak256(exit.call.data),
    builtBlock: exit.facts.block.number,
    partnerId: order.partnerId,
    partnerType: order.partnerType,
    partnerAddress: order.partnerAddress,
    partnerVerified: order.partnerVerified,
    createdAt: new Date(ctx.now()),
    expiresAt,
  };
  await insertWithdrawal(ctx.db, { row, plan });
}
