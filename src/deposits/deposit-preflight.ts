import { type Hex, zeroAddress } from "viem";
import { readNativeBalance } from "../chains/aggregator/aggregate-reads.ts";
import { createQuery, type Query, queryAll } from "../chains/chain-reads.ts";
import type { Context } from "../context.ts";
import type { DepositRow } from "../db/queries/deposit-queries.ts";
import { AppError, type ErrorCode, failure } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import { larger } from "../lib/amount.ts";
import type { BlockTime } from "../lib/block-ranges.ts";
import { type AuthorizationFacts, authorizationQuery } from "../orders/authorization/authorization-facts.ts";
import { clientOf } from "../orders/authorization/authorize-order.ts";
import { orderOf, type PlannedAuthorization } from "../orders/authorization/planned-authorization.ts";
import { priceIsSafe } from "../orders/order-slippage.ts";
import { countedAsAsset, requestRatePrices, requireFairRate } from "../orders/vault-token-rate.ts";
import { readWithFeeds } from "../prices/read-prices.ts";
import { isUnsafeRoute } from "../providers/provider-failures.ts";
import { depositRouterAddress } from "../router/router-address.ts";
import { decodeRouterError, failedTokenOf, foreignReason } from "../router/router-codec.ts";
import type { Warning } from "../schemas/step-schema.ts";
import { findVaultOfDeposit } from "../tracking/deposits/track-deposit-request.ts";
import { adapterOf, explainVaultRevert } from "../vaults/families/vault-families.ts";
import type { DepositTerms } from "../vaults/vault-adapter.ts";
import { pauseReason } from "../vaults/vault-deposit-entry.ts";
import { type ExplainedRevert, explainCommonRevert } from "../vaults/vault-reverts.ts";
import { approvedSpender, type DepositIntent, mayBeSigned, paysNative } from "./deposit-intent.ts";
import {
  findDepositRefusal,
  toDepositViewRefusal,
  underpaidDeposit,
  unpricedDeposit,
} from "./deposit-refusals.ts";
import { type PayerFunds, payerFundsQuery } from "./payer-funds.ts";

/**
 * What is read before a deposit is encoded, at one block except for the balance of a payment in the native currency.
 * Balance and allowance are in the token's smallest unit, `previewShares` in the share token's.
 */
export interface Preflight {
  terms: DepositTerms;
  /** Shares that the vault previews for the amount. */
  previewShares: bigint;
  /**
   * The user's actual balance and the spender's actual allowance, each null if it could not be read. For a payment in
   * the native currency, which needs none, the allowance is that of its wrapped token.
   */
  balance: bigint | null;
  allowance: bigint | null;
  /**
   * The submitter's balance of the native currency, in wei, or null if it could not be read. For a payment in the
   * native currency, the user's.
   */
  nativeBalance: bigint | null;
  /**
   * State that decides which signatures can pay. Null if none was requested, or if none can pay (see `mayBeSigned`).
   */
  authorization: AuthorizationFacts | null;
  /** Warnings about the vault's own rate for a token that is not its asset. */
  warnings: readonly Warning[];
  block: BlockTime;
}

/**
 * Reads the vault's conditions and the user's funds for a deposit of `amount` (smallest unit). Throws an AppError if
 * the vault's views refuse the deposit or its shares are worth too little, or, unless `judges` is false, if the vault's
 * rate for the token is unfair; low funds, and a maximum that the preview ignores, are only returned. Errors of the RPC
 * nodes propagate.
 */
export async function preflightDeposit(
  ctx: Context,
  input: { intent: DepositIntent; amount: bigint; judges?: false },
): Promise<Preflight> {
  const { intent, amount } = input;
  const { vault } = intent;
  const caller = intent.entry.via === "user" ? intent.user : null;
  const token = paysNative(intent) ? vault.asset : intent.token;
  const request = { token, amount, caller, receiver: intent.user };
  const { terms } = adapterOf(vault);
  const isOther = !sameAddress(token.address, vault.asset.address);
  requestRatePrices(ctx, { vault, tokens: [token] });
  const asAsset = { ...request, token: vault.asset, amount: 10n ** BigInt(vault.asset.decimals) };
  const [{ value, block }, nativeBalance] = await Promise.all([
    readWithFeeds(ctx, {
      chainId: vault.chainId,
      tokens: [intent.token.address, vault.asset.address, zeroAddress],
      query: (now) =>
        queryAll({
          terms: terms(vault, { ...request, now }),
          assetTerms: isOther ? terms(vault, { ...asAsset, now }) : unread,
          holding: fundsOf(intent),
          authorization: mayBeSigned(intent) ? signatureQuery(ctx, intent) : unsigned,
        }),
    }),
    paysNative(intent) ? readNativeBalance(intent.client, intent.user) : null,
  ]);
  const previewShares = assertAcceptable({ intent, amount, terms: value.terms });
  const prices = { own: value.terms.price, inAsset: value.assetTerms?.price ?? null };
  const paid = { vault, given: { token, amount }, slippage: intent.slippage };
  const isJudged = isOther && input.judges !== false;
  const warnings = isJudged ? await requireFairRate(ctx, { ...paid, got: countedAsAsset(paid, prices) }) : [];
  const { balance, allowance } = value.holding;
  const gas = nativeBalance ?? value.holding.nativeBalance;
  return {
    ...{ terms: value.terms, previewShares, warnings, block, allowance },
    balance: nativeBalance ?? balance,
    nativeBalance: gas,
    authorization: value.authorization,
  };
}

const unsigned = createQuery({}, (): AuthorizationFacts | null => null);
const unread = createQuery({}, (): DepositTerms | null => null);

const signatureQuery = (
  ctx: Context,
  { vault, token, user }: DepositIntent,
): Query<AuthorizationFacts | null> =>
  authorizationQuery(ctx, { chainId: vault.chainId, token: token.address, owner: user });

const fundsOf = (intent: DepositIntent): Query<PayerFunds> =>
  payerFundsQuery({
    token: paysNative(intent) ? intent.vault.asset.address : intent.token.address,
    ...{ user: intent.user, spender: approvedSpender(intent), submitter: intent.authorize?.submitter },
  });

/** What `preflightDeposit` reads for a deposit of the asset that no signature pays. */
export interface ReadDeposit {
  terms: DepositTerms;
  funds: PayerFunds;
  block: BlockTime;
}

/** Checks what was read for a deposit of the asset that no signature pays. Throws an AppError as `preflightDeposit`. */
export function preflightOfRead(
  { intent, amount }: { intent: DepositIntent; amount: bigint },
  { terms, funds, block }: ReadDeposit,
): Preflight {
  const previewShares = assertAcceptable({ intent, amount, terms });
  return { ...funds, terms, previewShares, authorization: null, warnings: [], block };
}

/**
 * Checks a deposit against the vault's deposit conditions and returns the previewed shares. If several conditions fail,
 * throws the error that helps the user most.
 */
function assertAcceptable(input: { intent: DepositIntent; amount: bigint; terms: DepositTerms }): bigint {
  const { intent, amount, terms } = input;
  const { vault } = intent;
  const token = paysNative(intent) ? vault.asset : intent.token;
  const refusal = findDepositRefusal(vault, { token, terms });
  if (refusal !== null) throw refusal;
  const minimum = minimumOf(intent, terms);
  if (minimum !== null && amount < minimum) throw belowMinimum(intent, minimum);
  if (terms.previewShares === null) throw previewRefusal(input);
  if (terms.previewShares === 0n)
    throw failure("zero_shares", `${vault.name} would mint no shares for this amount`);
  const { price } = terms;
  if (price === null || price.shares === 0n) throw unpricedDeposit(vault);
  const deposit = { amount, shares: terms.previewShares, price, slippage: intent.slippage };
  if (!priceIsSafe({ ...deposit, assetDecimals: token.decimals })) throw underpaidDeposit(vault);
  return terms.previewShares;
}

function previewRefusal(input: { intent: DepositIntent; amount: bigint; terms: DepositTerms }): AppError {
  return toDepositRefusal(input, explainVaultRevert(input.intent.vault, input.terms.previewRevert ?? "0x"));
}

/**
 * Returns the error for a deposit that reverts in the vault's contract: that of its revert data, otherwise
 * `above_maximum` if `amount` (smallest unit) exceeds the vault's maximum, otherwise `would_revert`.
 */
export function toDepositRefusal(
  input: { intent: DepositIntent; amount: bigint; terms: DepositTerms },
  revert: ExplainedRevert,
): AppError {
  const { intent, amount, terms } = input;
  const { name } = intent.vault;
  const full = terms.maxDeposit !== null && terms.maxDeposit < amount;
  const code = revert.code ?? (full ? "above_maximum" : "would_revert");
  switch (code) {
    case "above_maximum": {
      const maximum = full ? terms.maxDeposit : null;
      const members = { max_deposit: maximum?.toString() ?? null };
      return failure("above_maximum", `${name} does not accept this amount now`, members);
    }
    case "below_minimum": {
      const minimum = minimumOf(intent, terms);
      // The vault refuses an amount that reaches the minimum that its view states: the true one is unknown.
      return belowMinimum(intent, minimum !== null && minimum > amount ? minimum : null);
    }
    case "vault_paused":
      return failure("vault_paused", `${name} does not accept deposits now`, {
        reason: pauseReason(intent.vault),
      });
    case "zero_shares":
      return failure("zero_shares", `${name} would mint no shares for this amount`);
    case "request_pending":
      return failure("request_pending", `${name} still has an open request of this account`);
    case "not_allowed":
    case "price_stale":
    case "share_locked":
      return toDepositViewRefusal(name, code);
    default:
      return failure("would_revert", `a deposit into ${name} would revert`, { revert: revert.text });
  }
}

/** Returns the minimum of a deposit in units of its token, or null if none is known: that of the registry is in the asset's. */
function minimumOf(intent: DepositIntent, terms: DepositTerms): bigint | null {
  const { token, vault } = intent;
  const paysAsset = paysNative(intent) || sameAddress(token.address, vault.asset.address);
  return paysAsset ? larger(vault.minDeposit, terms.minDeposit) : terms.minDeposit;
}

function belowMinimum(intent: DepositIntent, minimum: bigint | null): AppError {
  const members = { min_deposit: minimum?.toString() ?? null };
  return failure("below_minimum", `${intent.vault.name} accepts only larger deposits`, members);
}

/**
 * A simulated deposit that reverted: the call that failed, where `deposit` is the call of the Router or the vault
 * itself, and its revert data, which are `0x` if the node returned none.
 */
export interface RevertedDeposit {
  revert: Hex;
  failedCall: "approval" | "deposit";
}

/**
 * Returns the error for a deposit whose simulation reverted, by the revert data of the Router, the paid token or the
 * vault. `amount` is in the deposited token's smallest unit.
 */
export function explainDepositRevert(
  of: { intent: DepositIntent; amount: bigint; terms: DepositTerms },
  { revert, failedCall }: RevertedDeposit,
): AppError {
  const { vault } = of.intent;
  const token = failedTokenOf(revert);
  if (failedCall === "approval" || (token !== null && !sameAddress(token, vault.shareToken))) {
    const { text } = explainCommonRevert(foreignReason(revert) ?? revert);
    return failure("would_revert", "the paid token rejects this payment", { revert: text });
  }
  const routers = decodeRouterError(revert);
  if (routers?.name === "OutputBelowMinimum") {
    return routers.args[0] === 0n
      ? failure("zero_shares", `${vault.name} would mint no shares for this amount`)
      : failure("price_unsafe", `${vault.name} mints fewer shares than its preview promises`, {
          subject: "vault",
        });
  }
  const reason = routers === null ? revert : foreignReason(revert);
  const explained =
    reason === null ? { code: null, text: routers?.name ?? "" } : explainVaultRevert(vault, reason);
  return toDepositRefusal(of, explained);
}

/**
 * Error codes that may apply to only one of a vault's accepted tokens: vaults can pause, limit and price each token
 * separately.
 */
const TOKEN_REFUSALS: ReadonlySet<ErrorCode> = new Set([
  "vault_paused",
  "token_unsupported",
  "below_minimum",
  "above_maximum",
  "price_stale",
  "price_unsafe",
  "zero_shares",
]);

/**
 * Returns true if the vault's rejection may concern one accepted token only, so that a deposit in another one may
 * succeed. False for a route with an unsafe price.
 */
export function isTokenRefusal(error: AppError): boolean {
  return TOKEN_REFUSALS.has(error.code) && !isUnsafeRoute(error);
}

/**
 * A signed order of a deposit that reverted. `amount` is the expected amount of the vault's deposit call, in the
 * deposited token's smallest unit; `revert` the revert data.
 */
export interface RevertedOrder {
  row: DepositRow;
  planned: PlannedAuthorization;
  amount: bigint;
  revert: Hex;
}

/**
 * Returns the error for a signed order that reverted because of its last step, the deposit into the vault: the one that
 * an unsigned build would give, from the vault's conditions at the latest block or else from the revert data. Null if
 * another step failed, only the signature was rejected, or the order makes no deposit. Throws `vault_not_found`,
 * `store_unavailable`, `chain_unsupported`; a node's AppError is returned, other node errors propagate.
 */
export async function explainSignedDeposit(ctx: Context, of: RevertedOrder): Promise<AppError | null> {
  const { row, planned, amount, revert } = of;
  const { order, steps } = orderOf(planned);
  const vault = await findVaultOfDeposit(ctx, row);
  const deposited = steps.at(-1)?.approveToken ?? zeroAddress;
  const token = [vault.asset, ...vault.acceptedAssets].find(({ address }) => sameAddress(address, deposited));
  const error = decodeRouterError(revert);
  const failed = error?.name === "StepFailed" ? error.args[0] : null;
  if (failed !== null && failed !== BigInt(steps.length - 1)) return null;
  if (token === undefined || !sameAddress(order.tokenOut, vault.shareToken)) return null;
  const intent: DepositIntent = {
    ...{ client: clientOf(ctx, planned), vault, user: planned.owner, token, amount },
    ...{ entry: { via: "router", address: depositRouterAddress }, slippage: row.slippage },
    ...{ ref: order.ref, partnerHash: order.partnerId, partnerType: order.partnerType },
  };
  // No contract compares the vault's rate with prices.
  const reading = preflightDeposit(ctx, { intent, amount, judges: false });
  const terms = await reading.then(({ terms: read }) => read, asRefusal);
  if (terms instanceof AppError) return terms;
  const ofPayment = sameAddress(failedTokenOf(revert) ?? "", order.tokenIn);
  if (error?.name === "AuthorizationFailed" || (ofPayment && planned.kind === "permit")) return null;
  return explainDepositRevert({ intent, amount, terms }, { revert, failedCall: "deposit" });
}

function asRefusal(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}
