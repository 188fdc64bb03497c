import { type Address, type Hex, zeroAddress } from "viem";
import type { ChainClient } from "../chains/chain-client.ts";
import { chainNotServed } from "../chains/chain-definitions.ts";
import { andThen, mapQuery, type Query, queryAll } from "../chains/chain-reads.ts";
import type { Context } from "../context.ts";
import { type AppError, failure } from "../errors.ts";
import { isNative, isNativeAlias, sameAddress } from "../lib/address.ts";
import type { AuthorizationWish } from "../orders/authorization/choose-authorization.ts";
import { type Attribution, attributeOrder, orderRef } from "../orders/order-attribution.ts";
import type { WithdrawInput } from "../schemas/withdraw-build-schema.ts";
import { adapterOf } from "../vaults/families/vault-families.ts";
import type { Token, Vault } from "../vaults/vault.ts";
import { isRouterDeployed } from "../vaults/vault-deposit-entry.ts";
import type { ExitMode, ExitTerms, PendingExit, VaultExits } from "../vaults/vault-exits.ts";

/**
 * Returns the default slippage as a fraction. `pays` is true if the vault pays the requested token itself in at least
 * one requested mode, false if a swap or bridge follows in every mode.
 */
export const defaultSlippage = (pays: boolean): number => (pays ? 0.005 : 0.03);

/** A requested withdrawal with its vault, chains, token and partner resolved. */
export interface WithdrawalOrder extends Attribution {
  /** RPC client of the vault's chain. */
  client: ChainClient;
  vault: Vault;
  exits: VaultExits;
  user: Address;
  /** Shares to redeem, in the share token's smallest unit, or `all` for all that the user holds. */
  shares: bigint | "all";
  /** Chain and token that the user requests. The zero address is the native currency. */
  to: { client: ChainClient; chainId: number; token: Address };
  /** Slippage tolerance: maximum total loss, as a fraction (0.005 is 0.5%). */
  slippage: number;
  /** The requested mode: `instant`, `request` (a cooldown included) or `auto`. */
  mode: WithdrawInput["mode"];
  /** Bridge to try before all others, or null. */
  preferredBridge: string | null;
  /** True if the Router is deployed on the vault's chain. */
  routed: boolean;
  trackingId: string;
  /** Order reference for the Router's event: keccak256 of the tracking id. */
  ref: Hex;
  /** How the user wants to let the Router take the shares, and the account that submits the transaction. */
  authorize: AuthorizationWish;
  /** True if the shares are taken by a signature. The order then cannot pay a fee in the native currency. */
  signed: boolean;
}

/**
 * Resolves a withdrawal request into an order; writes nothing. Paused and closed vaults are allowed: these states
 * concern deposits. Throws `vault_not_found` or `chain_unsupported` if the vault's chain or the target chain is not
 * served, `token_unsupported`, `mode_unsupported`, `would_revert` for more shares than any vault has, and the errors of
 * `attributeOrder`; errors of the RPC nodes propagate.
 */
export async function resolveWithdrawal(
  ctx: Context,
  { input, vault }: { input: WithdrawInput; vault: Vault },
): Promise<WithdrawalOrder> {
  const attribution = attributeOrder(ctx, { input, vaultId: vault.vaultId });
  const client = ctx.chains.client(vault.chainId);
  if (client === null) throw failure("vault_not_found", `there is no vault ${vault.vaultId}`);
  const exits = exitsOf(vault);
  if (input.shares !== "all" && input.shares > MOST_SHARES) throw tooManyShares();
  const to = targetOf(ctx, { input, vault });
  const modes = exits.modes(vault).filter((mode) => matchesRequestedMode(mode, input.mode));
  if (modes.length === 0) {
    const known = exits.modes(vault).map((mode) => (mode === "cooldown" ? "request (a cooldown)" : mode));
    throw failure(
      "mode_unsupported",
      `${vault.name} does not pay withdrawals in the requested mode; it pays by: ${known.join(", ")}`,
    );
  }
  const paysItself = modes.some((mode) => exitTokensFor({ exits, vault, mode, to })[0].pays);
  const trackingId = `trk_${ctx.randomId()}`;
  return {
    ...attribution,
    client,
    vault,
    exits,
    user: input.user_address,
    shares: input.shares,
    to,
    slippage: input.slippage ?? defaultSlippage(paysItself),
    mode: input.mode,
    preferredBridge: input.preferred_bridge ?? null,
    routed: await isRouterDeployed(ctx, vault.chainId),
    trackingId,
    ref: orderRef(trackingId),
    authorize: { way: input.authorize ?? "approve", submitter: input.submitter ?? input.user_address },
    signed: false,
  };
}

/** More shares than a vault can have. Its price and its fees times so many still fit into a uint256. */
const MOST_SHARES = 2n ** 192n;

/** Error for more shares than a vault's functions, or the arithmetic with its price, can express. */
export const tooManyShares = (): AppError =>
  failure("would_revert", "so many shares are more than the vault can redeem in one transaction", {
    revert: null,
  });

/**
 * Returns how a vault's family handles withdrawals: its modes, conditions, calls and requests. Throws
 * `mode_unsupported` if this service does not support withdrawals from the vault.
 */
export function exitsOf(vault: Vault): VaultExits {
  const { exits } = adapterOf(vault);
  if (exits === undefined || exits.modes(vault).length === 0)
    throw failure("mode_unsupported", unsupportedExits(vault));
  return exits;
}

/** Says that this service supports no withdrawals from a vault, and what to do instead. */
export const unsupportedExits = ({ name }: Pick<Vault, "name">): string =>
  `withdrawals from ${name} are not supported by this service: use the protocol's own site`;

/** Returns true if redemption requests with a vault may be cancellable at some time. */
export function mayCancel(vault: Vault): boolean {
  const { exits } = adapterOf(vault);
  return exits?.cancel !== undefined && exits.cancels?.(vault) !== false;
}

/**
 * Returns the shares that the cancellation of a cancellable request returns, or null if unknown: some vaults keep what
 * is claimable already, but not where that is all of the request.
 */
export function waitingShares({ shares, claimableShares }: PendingExit): bigint | null {
  if (shares === null) return null;
  const waiting = shares - (claimableShares ?? 0n);
  return waiting > 0n ? waiting : shares;
}

/**
 * Returns true if a vault's mode matches the mode in a request: `request` also matches `cooldown`, and `auto` matches
 * every mode.
 */
export function matchesRequestedMode(mode: ExitMode, asked: WithdrawInput["mode"]): boolean {
  return asked === "auto" || (asked === "instant") === (mode === "instant");
}

function targetOf(
  ctx: Context,
  { input, vault }: { input: WithdrawInput; vault: Vault },
): WithdrawalOrder["to"] {
  const chainId = input.to_chain_id ?? vault.chainId;
  const client = ctx.chains.client(chainId);
  if (client === null) throw chainNotServed(chainId, ctx.chains.definitions);
  const named = input.to_token ?? (chainId === vault.chainId ? vault.asset.address : null);
  if (named === null)
    throw failure("token_unsupported", "to_token is required if to_chain_id is not the vault's chain");
  const token = isNativeAlias(named) ? zeroAddress : named;
  if (chainId === vault.chainId && sameAddress(token, vault.shareToken))
    throw failure("token_unsupported", "to_token is the vault's own share token");
  return { client, chainId, token };
}

/** The token that a vault pays for a withdrawal in one of its withdrawal modes (see `ExitMode`). */
export interface ExitToken {
  token: Token;
  /** True if it is the requested token, possibly in its wrapped form, so no swap or bridge follows. */
  pays: boolean;
}

/** Largest number of tokens whose conditions are read for one mode, so that a long list does not slow a withdrawal. */
const MAX_EXIT_TOKENS = 8;

/**
 * Returns the tokens that the vault may pay, in the order of preference, at least one: the requested token, in
 * `instant` its wrapped form if the family allows redemptions through the Router, which unwraps it, then all others,
 * with `pays` false.
 */
export function exitTokensFor(of: {
  exits: VaultExits;
  vault: Vault;
  mode: ExitMode;
  to: WithdrawalOrder["to"];
}): [ExitToken, ...ExitToken[]] {
  const { exits, vault, mode, to } = of;
  const tokens = exits.tokens(vault, mode);
  const here = to.chainId === vault.chainId;
  const exact = tokens.find(({ address }) => here && sameAddress(address, to.token));
  const { wrappedNative } = to.client.definition;
  const unwraps = here && isNative(to.token) && wrappedNative !== null && exits.viaRouter(vault, mode);
  const wrapped = tokens.find(
    ({ address }) => unwraps && mode === "instant" && sameAddress(address, wrappedNative),
  );
  const asked = [exact, wrapped].flatMap((token) => token ?? []);
  const others = tokens.filter((token) => !asked.includes(token));
  const [first = { token: vault.asset, pays: false }, ...rest] = [
    ...asked.map((token) => ({ token, pays: true })),
    ...others.map((token) => ({ token, pays: false })),
  ];
  return [first, ...rest];
}

/**
 * Returns a query for the first of the tokens that the vault does not refuse as `token_unsupported`, with its
 * conditions; for the first of all if it refuses all, or cannot be asked about more than `MAX_EXIT_TOKENS`. The others
 * are read only if it refuses the first, in one further batch.
 */
export function firstPaid<T extends { token: Token }>(
  [first, ...others]: readonly [T, ...T[]],
  termsOf: (token: Token) => Query<ExitTerms>,
): Query<T & { terms: ExitTerms }> {
  return andThen(termsOf(first.token), (terms) => {
    const isRefused = terms.refusal === UNSUPPORTED;
    const tried = isRefused ? others.slice(0, MAX_EXIT_TOKENS - 1) : [];
    const queries = Object.fromEntries(tried.map(({ token }, index) => [index, termsOf(token)]));
    return mapQuery(queryAll(queries), (read) => {
      const all = tried.flatMap((one, index) => {
        const own = read[index];
        return own === undefined || own.refusal === UNSUPPORTED ? [] : [{ ...one, terms: own }];
      });
      // One whose conditions could not be read may be refused too.
      return all.find((one) => one.terms.asset !== null) ?? all[0] ?? { ...first, terms };
    });
  });
}
const UNSUPPORTED = "token_unsupported";
