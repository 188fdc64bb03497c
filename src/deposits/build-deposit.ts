import { keccak256, zeroAddress } from "viem";
import type { Context } from "../context.ts";
import { insertDepositWithPlan } from "../db/queries/deposit-hint-queries.ts";
import type { NewDeposit } from "../db/queries/deposit-queries.ts";
import { AppError, failure } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import { BUILD_DEADLINE_MS } from "../lib/durations.ts";
import { chooseAuthorization } from "../orders/authorization/choose-authorization.ts";
import {
  type PlannedAuthorization,
  planAuthorization,
} from "../orders/authorization/planned-authorization.ts";
import { buildOnce } from "../orders/build-order-once.ts";
import { QUOTE_TTL_MS } from "../orders/order-floors.ts";
import { type GasFunds, readGasPrice, waitForGasPrice } from "../orders/order-gas-funds.ts";
import type { StepPlan } from "../orders/order-steps.ts";
import { depositRouterAddress } from "../router/router-address.ts";
import type { BuildInput } from "../schemas/build-input-schema.ts";
import type { BuiltDeposit } from "../schemas/quote-schema.ts";
import { withStoredVault } from "../vaults/find-vault.ts";
import { findToken } from "../vaults/find-vault-token.ts";
import type { Token, Vault } from "../vaults/vault.ts";
import { acceptedTokens } from "../vaults/vault-deposit-entry.ts";
import { type DepositOrder, mayBeSigned, resolveOrder, sourceClient } from "./deposit-intent.ts";
import { isTokenRefusal } from "./deposit-preflight.ts";
import { prepareRouted } from "./deposit-route-search.ts";
import { planDepositSteps } from "./deposit-step-plan.ts";
import { depositPrices, requestDepositPrices, valueDeposit } from "./deposit-usd-values.ts";
import { toEstimate, toWireBuilt } from "./describe-built-deposit.ts";
import { type DirectDeposit, prepareDirect } from "./direct-deposit.ts";
import type { PrepareDeposit, PreparedDeposit, RoutedDeposit } from "./prepared-deposit.ts";

/**
 * Resolves, checks, encodes, verifies and simulates a deposit, without recording it. If the vault rejects the paid
 * token, another accepted token may be deposited instead. Throws an AppError if the deposit is refused.
 */
export async function prepareDeposit(ctx: Context, input: BuildInput): Promise<PreparedDeposit> {
  sourceClient(ctx, input.from_chain_id);
  const work = async (vault: Vault) => prepareOrder(ctx, await resolveOrder(ctx, { input, vault }));
  return withStoredVault(ctx, { key: input.vault_id, work });
}

async function prepareOrder(ctx: Context, order: DepositOrder): Promise<PreparedDeposit> {
  const token = directToken(order);
  requestDepositPrices(ctx, { order, kind: token === null ? "routed" : "direct" });
  if (token === null) return { kind: "routed", order, routed: await prepareRouted(ctx, { order }) };
  const intent = { ...order, token, amount: order.from.amount };
  if (!mayBeSigned(intent)) refuseSignature(order);
  try {
    const direct = await prepareDirect(ctx, intent);
    return { kind: "direct", order, direct, authorization: authorizeDirect(direct) };
  } catch (error) {
    if (!mayUseOtherToken(error, { order, token })) throw error;
    // When no other token works either, the error for the user's own token is the most useful one.
    const none = () => {
      throw error;
    };
    requestDepositPrices(ctx, { order, kind: "routed" });
    return { kind: "routed", order, routed: await prepareRouted(ctx, { order, without: token }).catch(none) };
  }
}

/**
 * Throws `authorization_unsupported` if the order requires a signature. Called for payments that a signature cannot
 * make, such as those in the native currency.
 */
function refuseSignature({ authorize: wish, user: owner, from }: DepositOrder): void {
  chooseAuthorization({ wish, owner, amount: from.amount, allowance: null, facts: null });
}

/**
 * Returns the signature payload that pays for a direct deposit, or null if the deposit is paid by an approval. Throws
 * `authorization_unsupported`.
 */
function authorizeDirect({ intent, checked, deposit }: DirectDeposit): PlannedAuthorization | null {
  const { authorize: wish, user: owner, amount, vault } = intent;
  const { authorization: facts, allowance } = checked;
  if (wish === undefined || facts === null) return null;
  const kind = chooseAuthorization({ wish, owner, amount, allowance, facts });
  if (kind === null) return null;
  const { submitter } = wish;
  return planAuthorization({ kind, facts, owner, submitter, chainId: vault.chainId, data: deposit.data });
}

/**
 * Returns true if a failed direct deposit may be retried as a routed deposit in another accepted token. The vault's
 * asset and the native currency are never replaced.
 */
function mayUseOtherToken(error: unknown, { order, token }: { order: DepositOrder; token: Token }): boolean {
  const own = [order.vault.asset.address, zeroAddress];
  if (own.some((address) => sameAddress(address, token.address))) return false;
  return error instanceof AppError && isTokenRefusal(error);
}

/**
 * Returns the accepted token of the vault that the user pays with, or null if the user's token must be swapped or
 * bridged first.
 */
function directToken({ from, client, vault, entry }: DepositOrder): Token | null {
  if (from.chainId !== vault.chainId) return null;
  const accepted = acceptedTokens(vault, { chain: client.definition, entry });
  return accepted.find((candidate) => sameAddress(candidate.address, from.token)) ?? null;
}

/** Inserts a built deposit into the database, in state `built`. Throws `store_unavailable`. */
async function recordDeposit(
  ctx: Context,
  input: { prepared: PreparedDeposit; expiresAt: Date; plan: StepPlan },
): Promise<void> {
  const { prepared, plan } = input;
  const { order } = prepared;
  const { vault } = order;
  const estimate = toEstimate(prepared);
  const now = new Date(ctx.now());
  const row: NewDeposit = {
    ...(prepared.kind === "direct" ? directColumns(prepared.direct) : routedColumns(prepared.routed)),
    trackingId: order.trackingId,
    ref: order.ref,
    state: "built",
    userAddress: order.user.toLowerCase(),
    vaultChainId: vault.chainId,
    vaultAddress: vault.address.toLowerCase(),
    shareToken: vault.shareToken.toLowerCase(),
    fromChainId: order.from.chainId,
    fromToken: order.from.token.toLowerCase(),
    fromAmount: order.from.amount.toString(),
    slippage: order.slippage,
    estimatedShares: estimate.estimated_shares,
    minShares: estimate.min_shares,
    parentTrackingId: order.parentTrackingId,
    partnerId: order.partnerId,
    partnerType: order.partnerType,
    partnerAddress: order.partnerAddress,
    partnerVerified: order.partnerVerified,
    referrer: order.referrer.toLowerCase(),
    referrerHandle: order.referrerHandle,
    history: [{ state: "built", at: now.toISOString() }],
    createdAt: now,
    updatedAt: now,
    expiresAt: input.expiresAt,
    // What was only built is not checked: the event reader finds it once it is sent.
    nextCheckAt: null,
  };
  await insertDepositWithPlan(ctx.db, { row, plan });
}

type FirstTransaction = Pick<NewDeposit, "sourceTo" | "sourceDataHash" | "builtBlock">;

/**
 * Returns the database columns that identify the source transaction of a direct deposit: its target, the hash of its
 * calldata, and the head block before it.
 */
const directColumns = ({ checked, deposit }: DirectDeposit): FirstTransaction => ({
  sourceTo: deposit.target.toLowerCase(),
  sourceDataHash: keccak256(deposit.data),
  builtBlock: checked.block.number,
});

/**
 * Returns the database columns that identify the source transaction of a routed deposit (its target and the hash of its
 * calldata), and those that track its transfer.
 */
function routedColumns({
  route,
  token,
  end,
  authorization,
}: RoutedDeposit): FirstTransaction & Partial<NewDeposit> {
  return {
    sourceTo: (authorization === null ? route.transaction.to : depositRouterAddress).toLowerCase(),
    sourceDataHash: keccak256(authorization?.data ?? route.transaction.data),
    provider: route.provider,
    bridge: route.bridge,
    tool: route.tool,
    moveToken: token.address.toLowerCase(),
    moveExpected: route.toAmount.toString(),
    moveMin: route.toAmountMin.toString(),
    destinationCall: end.kind === "one_step",
    twoStep: end.kind === "two_step",
  };
}

/** Returns the submitter's native balance and the gas price, both in wei. Null if either is unknown. */
function toGasFunds(prepared: PreparedDeposit, gasPrice: bigint | null): GasFunds | null {
  const { nativeBalance: balance = null } =
    prepared.kind === "direct" ? prepared.direct.checked : prepared.routed.payment;
  return balance === null || gasPrice === null ? null : { balance, gasPrice };
}

/**
 * Builds and records a deposit. Throws `upstream_timeout` after the deadline, without recording it, and
 * `store_unavailable`; errors of `prepare` propagate.
 */
async function buildDeposit(
  ctx: Context,
  { input, prepare }: { input: BuildInput; prepare: PrepareDeposit },
): Promise<BuiltDeposit> {
  const client = sourceClient(ctx, input.from_chain_id);
  const gasPrice = readGasPrice(ctx, client);
  const prepared = await prepare(ctx, input);
  const expiresAt = new Date(ctx.now() + quoteLifetimeMs(prepared));
  const { chainId, token } = prepared.order.from;
  const plan = planDepositSteps(prepared, await findToken(ctx, { chainId, address: token }));
  const { paid } = valueDeposit(prepared, await depositPrices(ctx, prepared));
  const gas = toGasFunds(prepared, await waitForGasPrice(gasPrice));
  const built = toWireBuilt(prepared, { expiresAt, plan, paid, gas });
  // The client has stopped waiting, so the deposit must not be recorded.
  if (ctx.timing.elapsedMs() > BUILD_DEADLINE_MS)
    throw failure("upstream_timeout", "the deposit could not be built in time; try again");
  const awaitsSignature = plan.source.authorization !== undefined;
  await recordDeposit(ctx, {
    prepared,
    expiresAt,
    plan: awaitsSignature ? { ...plan, answer: built } : plan,
  });
  return built;
}

/**
 * Builds and records a deposit, or returns the response that is stored under the caller's idempotency key; without a
 * key (null), each call builds. `replayed` is true if another request stored the response. `prepare` replaces
 * `prepareDeposit` for moves. Errors of `buildOnce` propagate.
 */
export function buildDepositOnce(
  ctx: Context,
  request: { input: BuildInput; key: string | null; prepare?: PrepareDeposit },
) {
  const { input, key, prepare = prepareDeposit } = request;
  const build = () => buildDeposit(ctx, { input, prepare });
  return buildOnce(ctx, { key, asked: input, user: input.user_address, build });
}

/**
 * Returns how long the quote of a prepared deposit is valid, in milliseconds: five minutes, or less if the transaction
 * of its swap or bridge is offered for less (`validSeconds`).
 */
export function quoteLifetimeMs(prepared: PreparedDeposit): number {
  const seconds = prepared.kind === "routed" ? prepared.routed.route.validSeconds : prepared.validSeconds;
  return seconds === undefined ? QUOTE_TTL_MS : Math.min(QUOTE_TTL_MS, seconds * 1_000);
}
