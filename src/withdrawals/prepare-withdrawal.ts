import { type Address, zeroAddress } from "viem";
import type { Context } from "../context.ts";
import { AppError, type ErrorCode } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import { BUILD_DEADLINE_MS } from "../lib/durations.ts";
import { readSimulationSetting } from "../orders/read-simulation-setting.ts";
import { type ChainToken, priceKey } from "../prices/price.ts";
import { requestMarketPrices } from "../prices/read-prices.ts";
import { isProviderFailure } from "../providers/provider-failures.ts";
import type { AuthorizationKind } from "../router/router-signature-messages.ts";
import type { WithdrawInput } from "../schemas/withdraw-build-schema.ts";
import { withStoredVault } from "../vaults/find-vault.ts";
import type { Token, Vault } from "../vaults/vault.ts";
import type { ExitMode } from "../vaults/vault-exits.ts";
import {
  allPossible,
  firstPossible,
  isOfExecutor,
  isOnwardError,
  isRefusal,
  type ModeOption,
  preferOwnCalls,
  prepareMode,
  rankModes,
} from "./choose-exit.ts";
import { type ExitFacts, readExitFacts } from "./exit-preflight.ts";
import { prepareOnward } from "./prepare-routed-exit.ts";
import type { PreparedWithdrawal } from "./prepared-withdrawal.ts";
import {
  canApprove,
  chooseExitSignature,
  signedWithdrawal,
  toSignableExit,
} from "./withdrawal-authorization.ts";
import { defaultSlippage, resolveWithdrawal, type WithdrawalOrder } from "./withdrawal-order.ts";

/**
 * Prepares a withdrawal in the first mode that is not refused, without recording it. If all are refused, throws the
 * error that `mostTelling` chooses, and at once any error that is not a refusal (`isRefusal`), such as
 * `upstream_timeout`; errors of `findStoredVault`, `resolveWithdrawal` and `readExitFacts` propagate.
 */
export async function prepareWithdrawal(ctx: Context, input: WithdrawInput): Promise<PreparedWithdrawal> {
  const work = async (vault: Vault): Promise<PreparedWithdrawal> => {
    const { order, facts } = await readOrder(ctx, { input, vault });
    let refusal: AppError | null = null;
    const prepare = async (mode: ExitMode) => {
      try {
        return await prepareFairly(ctx, { input, order, facts, mode });
      } catch (error) {
        if (mode === "instant" && isRefusal(error)) refusal = error;
        throw error;
      }
    };
    return withRefusal(await firstPossible(rankModes(order, facts.ways), prepare), refusal);
  };
  return withStoredVault(ctx, { key: input.vault_id, work });
}

/** Adds to a withdrawal why the instant mode, which was tried before, is refused; null if it was not. */
const withRefusal = (prepared: PreparedWithdrawal, refusal: AppError | null): PreparedWithdrawal =>
  refusal === null ? prepared : { ...prepared, insteadOf: refusal };

/** A withdrawal in every requested mode. The mode that a build would choose comes first. */
export interface QuotedWithdrawal {
  options: ModeOption<PreparedWithdrawal>[];
  /** Tokens whose prices the quote may need. */
  tokens: ChainToken[];
}

/**
 * Prepares a withdrawal in every requested mode, in parallel and without recording anything. A refused mode is
 * returned with its error, unless all are refused. Throws the same errors as `prepareWithdrawal`.
 */
export async function quoteWithdrawal(ctx: Context, input: WithdrawInput): Promise<QuotedWithdrawal> {
  const work = async (vault: Vault): Promise<QuotedWithdrawal> => {
    const { order, facts } = await readOrder(ctx, { input, vault });
    const prepare = (mode: ExitMode) => prepareFairly(ctx, { input, order, facts, mode });
    const modes = rankModes(order, facts.ways);
    const options = await allPossible(modes, prepare);
    return { options: withInstantRefusal(options, modes), tokens: preparedTokens(order) };
  };
  return withStoredVault(ctx, { key: input.vault_id, work });
}

/** A redemption to try: of shares in the share token's smallest unit, in any mode and the vault's asset by default. */
export interface WithdrawalTrial {
  vault: Vault;
  user: Address;
  shares: bigint;
  mode?: WithdrawInput["mode"];
  token?: Address;
}

/**
 * A tried redemption: the mode that works and the token that it pays, or the error of a build that refuses it, with that
 * of each mode that was tried; null if neither is known.
 */
export type TriedWithdrawal =
  | { mode: ExitMode; token: Token }
  | { refusal: AppError; refusals: ReadonlyMap<ExitMode, AppError> }
  | null;

/**
 * Tries a redemption with the default slippage and no swap or bridge. Throws no AppError; other errors propagate.
 */
export async function tryWithdrawal(ctx: Context, of: WithdrawalTrial): Promise<TriedWithdrawal> {
  const { vault, user, shares, mode = "auto", token } = of;
  const vaultId = { chainId: vault.chainId, address: vault.address };
  const terms = { mode, partner_id: "", partner_type: 0, ...(token !== undefined && { to_token: token }) };
  const input: WithdrawInput = { vault_id: vaultId, user_address: user, shares, ...terms };
  const refusals = new Map<ExitMode, AppError>();
  try {
    const order = await resolveWithdrawal(ctx, { input, vault });
    const facts = preferOwnCalls(order, await readExitFacts(ctx, order));
    const { exit } = await firstPossible(rankModes(order, facts.ways), async (mode) => {
      try {
        return await prepareMode(ctx, { order, facts, mode });
      } catch (error) {
        if (error instanceof AppError) refusals.set(mode, error);
        throw error;
      }
    });
    return { mode: exit.way.mode, token: exit.way.token };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return isRefusal(error) && !CALLERS_FAULT.has(error.code) ? { refusal: error, refusals } : null;
  }
}

/** Error codes of a request's credentials and chains, which say nothing about the vault. */
const CALLERS_FAULT: ReadonlySet<ErrorCode> = new Set([
  "vault_not_enrolled",
  "partner_mismatch",
  "key_forbidden",
  "chain_unsupported",
  "vault_not_found",
]);

interface ReadOrder {
  order: WithdrawalOrder;
  facts: ExitFacts;
}

async function readOrder(ctx: Context, of: { input: WithdrawInput; vault: Vault }): Promise<ReadOrder> {
  const order = await resolveWithdrawal(ctx, of);
  requestMarketPrices(ctx, preparedTokens(order));
  // The simulation then knows the chain's fees without waiting.
  void readSimulationSetting(ctx, order.vault.chainId);
  const facts = preferOwnCalls(order, await readExitFacts(ctx, order));
  // The chain may show that the vault does not pay the requested token, so that a swap follows.
  const slippage = of.input.slippage ?? defaultSlippage(facts.ways.some(({ pays }) => pays));
  // The Router's "all" is what the balance shows, without the shares that their transfer claims first.
  const claims = facts.balance !== null && facts.shares > facts.balance;
  return { order: { ...order, slippage, shares: claims ? facts.shares : order.shares }, facts };
}

/**
 * Adds the refusal of the instant mode to the first option, which a build would choose, if it ranks below it. No build
 * takes another mode in place of one that the vault would pay, when only the way to the requested token is missing.
 */
function withInstantRefusal(
  options: readonly ModeOption<PreparedWithdrawal>[],
  modes: readonly ExitMode[],
): ModeOption<PreparedWithdrawal>[] {
  const [first, ...others] = options;
  if (first === undefined || first.prepared === null) return [...options];
  const instant = others.find(({ mode }) => mode === "instant");
  const refusal = modes.indexOf("instant") < modes.indexOf(first.mode) ? (instant?.refusal ?? null) : null;
  const replaced = refusal !== null && isOnwardError(refusal) ? null : refusal;
  return [{ ...first, prepared: withRefusal(first.prepared, replaced) }, ...others];
}

interface InMode extends ReadOrder {
  mode: ExitMode;
  /** True if a second transaction is not wanted. */
  oneStep?: boolean;
}

/**
 * Prepares a withdrawal in one mode. If the vault would pay the requested token at a rate far from its price, the Router
 * swaps the vault's asset to it instead; without such a swap, the vault's refusal is thrown. Throws the same errors as
 * `prepareInMode`.
 */
async function prepareFairly(
  ctx: Context,
  asked: InMode & { input: WithdrawInput },
): Promise<PreparedWithdrawal> {
  try {
    return await prepareInMode(ctx, asked);
  } catch (error) {
    if (!mayPayAsset(asked, error)) throw error;
    const swapped = await prepareSwappedAsset(ctx, asked).catch((failed: unknown) => {
      if (failed instanceof AppError) return null;
      throw failed;
    });
    // That the vault underpays says more than why nothing takes its place.
    if (swapped === null) throw error;
    return swapped;
  }
}

/** Returns true if a vault's bad price rules out a token other than its asset, which it may pay at once instead. */
function mayPayAsset({ order, facts, mode }: InMode, error: unknown): boolean {
  const { vault, exits } = order;
  const isAsset = ({ address }: Token): boolean => sameAddress(address, vault.asset.address);
  const isUnsafe = error instanceof AppError && error.code === "price_unsafe";
  return (
    isUnsafe &&
    error.members["subject"] === "vault" &&
    mode === "instant" &&
    exits.tokens(vault, mode).some(isAsset) &&
    facts.ways.some((way) => way.mode === mode && way.pays && !isAsset(way.token))
  );
}

/**
 * Prepares an instant withdrawal of the vault's asset through the Router, which swaps it to the requested token in the
 * same order. Null if the swap needs a second transaction. Throws the same errors as `prepareInMode`.
 */
async function prepareSwappedAsset(
  ctx: Context,
  { input, order, mode }: InMode & { input: WithdrawInput },
): Promise<PreparedWithdrawal | null> {
  const slippage = input.slippage ?? defaultSlippage(false);
  const exits = { ...order.exits, tokens: () => [order.vault.asset] };
  const facts = await readExitFacts(ctx, { ...order, exits, slippage });
  const ways = facts.ways.filter(({ via }) => via === "router");
  const asked = { order: { ...order, slippage }, facts: { ...facts, ways }, mode, oneStep: true };
  const prepared = await prepareInMode(ctx, asked);
  return prepared.kind === "routed" ? prepared : null;
}

/**
 * Prepares a withdrawal in one mode, paid by a signature or an approval. Throws `authorization_unsupported` if the
 * requested signature does not work; errors of the preparation propagate.
 */
async function prepareInMode(ctx: Context, asked: InMode): Promise<PreparedWithdrawal> {
  const kind = chooseExitSignature(asked);
  if (kind === null) return prepareAsIs(ctx, asked);
  try {
    return signedWithdrawal(await prepareAsIs(ctx, { ...asked, ...toSignableExit(asked) }), kind);
  } catch (error) {
    if (isOfExecutor(error) && canApprove(asked.order)) return prepareAsIs(ctx, asked);
    throw error;
  }
}

/**
 * Prepares an instant withdrawal whose payment is swapped or bridged in the same transaction, paid by the signature that
 * is wanted and works (`kind`), or by an approval (null). A signed order cannot pay a bridge's fee in native currency:
 * without another bridge, an approval takes the signature's place if the caller leaves the choice.
 */
export async function prepareInOneTransaction(
  ctx: Context,
  { order, facts }: ReadOrder,
): Promise<{ kind: AuthorizationKind | null; prepared: PreparedWithdrawal }> {
  const mode = "instant";
  const kind = chooseExitSignature({ order, facts, mode });
  const prepare = (signed: boolean) =>
    prepareOnward(ctx, { order: { ...order, signed }, facts, mode, oneStep: true });
  try {
    return { kind, prepared: await prepare(kind !== null) };
  } catch (error) {
    const isWayless = error instanceof AppError && isProviderFailure(error);
    // A second search needs as long as the first one.
    const isLate = ctx.timing.elapsedMs() > BUILD_DEADLINE_MS / 2;
    if (kind === null || !isWayless || isLate || !canApprove(order)) throw error;
    return { kind: null, prepared: await prepare(false) };
  }
}

async function prepareAsIs(ctx: Context, asked: InMode): Promise<PreparedWithdrawal> {
  const { order, facts, mode } = asked;
  const pays = facts.ways.some((way) => way.mode === mode && way.pays);
  if (!pays) return prepareOnward(ctx, asked);
  const exit = await prepareMode(ctx, { order, facts, mode });
  if (exit.exit.way.pays) return { kind: "direct", order, exit };
  // The vault refuses the Router, which alone would have unwrapped the payment.
  const ways = facts.ways.filter((way) => !way.pays);
  return prepareOnward(ctx, { ...asked, facts: { ...facts, ways } });
}

/**
 * Returns the tokens whose prices a withdrawal may need, without duplicates: those that the vault pays in any mode, the
 * requested token, and the native currency of the vault's chain for gas.
 */
export function preparedTokens({ vault, to, exits }: WithdrawalOrder): ChainToken[] {
  const { chainId } = vault;
  const paid = exits.modes(vault).flatMap((mode) => exits.tokens(vault, mode));
  const all = [
    { chainId, token: zeroAddress },
    ...paid.map(({ address }) => ({ chainId, token: address })),
    { chainId: to.chainId, token: to.token },
  ];
  return [...new Map(all.map((token) => [priceKey(token), token])).values()];
}
