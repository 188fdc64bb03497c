import { type Address, erc20Abi, zeroAddress } from "viem";
import { nativeBalanceRead } from "../chains/aggregator/aggregate-reads.ts";
import {
  andThen,
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  read,
  valueOrNull,
} from "../chains/chain-reads.ts";
import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import { mulDivDown } from "../lib/amount.ts";
import type { BlockTime } from "../lib/block-ranges.ts";
import { type AuthorizationFacts, authorizationQuery } from "../orders/authorization/authorization-facts.ts";
import { asksForSignature } from "../orders/authorization/choose-authorization.ts";
import { requestRatePrices, requireFairRate, unverifiedRate } from "../orders/vault-token-rate.ts";
import { readWithFeeds } from "../prices/read-prices.ts";
import { depositRouterAddress } from "../router/router-address.ts";
import type { Warning } from "../schemas/step-schema.ts";
import { adapterOf } from "../vaults/families/vault-families.ts";
import type { Token, Vault } from "../vaults/vault.ts";
import type { DepositTerms } from "../vaults/vault-adapter.ts";
import type { ExitMode, ExitTerms } from "../vaults/vault-exits.ts";
import { exitTokensFor, firstPaid, matchesRequestedMode, type WithdrawalOrder } from "./withdrawal-order.ts";

/**
 * A possible way to redeem (redemption path): the mode, the token that the vault pays, and the account that calls the
 * vault.
 */
export interface ExitWay {
  mode: ExitMode;
  token: Token;
  /**
   * True if the withdrawal brings the token that the user requested, so no swap or bridge is built. The vault may pay
   * its wrapped form only through the Router, which unwraps it.
   */
  pays: boolean;
  /** `router`: the Router's executor redeems the shares; `user`: the owner redeems them without the Router. */
  via: "router" | "user";
  /** Contract to which the user approves the shares on this path, or null if no approval is known to be needed. */
  spender: Address | null;
  terms: ExitTerms;
}

/** On-chain state from which a withdrawal is encoded. `block` is that of the first batch of reads. */
export interface ExitFacts {
  /**
   * Shares to redeem, in the share token's smallest unit. For `all`, what the user held at `block`. If the vault's call
   * would claim further shares first, they are included, and the number was read shortly before `block`.
   */
  shares: bigint;
  /** The user's share balance, in the share token's smallest unit, or null if it could not be read. */
  balance: bigint | null;
  /**
   * Allowance of the shares by spender address in lowercase, in the share token's smallest unit; null if it could not
   * be read.
   */
  allowances: ReadonlyMap<string, bigint | null>;
  /** The submitter's balance of the native currency, in wei, or null if it could not be read. */
  nativeBalance: bigint | null;
  /**
   * State that determines which kinds of signature can pay with the shares. Null if none was requested or the chain has
   * no Router.
   */
  authorization: AuthorizationFacts | null;
  block: BlockTime;
  /**
   * A sample of the vault's share price: `shares` are worth `assets` of its asset, both in smallest units. Null if
   * unknown, and if all paths pay the asset.
   */
  price: DepositTerms["price"];
  /**
   * Redemption paths, in order of preference within each mode. The Router comes first, because it enforces a minimum
   * payment.
   */
  ways: readonly ExitWay[];
}

type Balances = Pick<ExitFacts, "balance" | "allowances" | "nativeBalance">;
type Holding = Balances & Pick<ExitFacts, "authorization">;
/** A redemption path before its conditions are read: with the tokens that the vault may pay, see `exitTokensFor`. */
type PlannedWay = Pick<ExitWay, "mode" | "via" | "spender"> & { tokens: ReturnType<typeof exitTokensFor> };

/**
 * Reads the on-chain state for a withdrawal. Throws `nothing_to_withdraw` if the account has no shares to redeem,
 * `upstream_unavailable` if all are requested but cannot be counted; errors of the RPC nodes propagate.
 */
export async function readExitFacts(ctx: Context, order: WithdrawalOrder): Promise<ExitFacts> {
  const facts = await readFacts(ctx, { order, shares: order.shares });
  const most = mostHeld(facts);
  // A guess would be redeemed as "all", with a minimum for what was guessed.
  if (order.shares === "all" && facts.balance === null && most === 0n)
    throw failure("upstream_unavailable", `the account's shares of ${order.vault.name} could not be read`);
  // Some families' calls first claim shares that are not in the balance yet.
  const all =
    order.shares === "all" && most > facts.shares ? await readFacts(ctx, { order, shares: most }) : facts;
  if (all.balance === 0n && mostHeld(all) === 0n)
    throw failure("nothing_to_withdraw", `the account holds no shares of ${order.vault.name}`);
  return all;
}

const mostHeld = ({ ways }: ExitFacts): bigint =>
  ways.reduce((most, { terms }) => {
    const held = terms.heldShares ?? 0n;
    return held > most ? held : most;
  }, 0n);

async function readFacts(
  ctx: Context,
  { order, shares }: { order: WithdrawalOrder; shares: bigint | "all" },
): Promise<ExitFacts> {
  const { vault, to } = order;
  const planned = planWays(order);
  const paid = planned.flatMap(({ tokens: some }) => some.map(({ token }) => token));
  requestRatePrices(ctx, { vault, tokens: paid });
  const holding = mapQuery(
    queryAll({ held: balancesQuery(order, planned), authorization: signingQuery(ctx, order) }),
    ({ held, authorization }): Holding => ({ ...held, authorization }),
  );
  const termsOf = (number: bigint, now: number) => termsQuery({ order, planned, shares: number, now });
  const ask = (held: Holding, now: number) => {
    // One share shows whether the account holds any that its balance does not have yet.
    const number = held.balance === null || held.balance === 0n ? 1n : held.balance;
    return mapQuery(termsOf(number, now), (ways) => ({ held, number, ways }));
  };
  const exits = (now: number) =>
    shares === "all"
      ? andThen(holding, (held) => ask(held, now))
      : mapQuery(queryAll({ held: holding, ways: termsOf(shares, now) }), ({ held, ways }) => ({
          ...{ held, ways, number: shares },
        }));
  const query = (now: number) => {
    const first = planned.map(({ tokens: [{ token }] }) => token);
    if (!first.every((token) => isAsset(vault, token)))
      return queryAll({ exits: exits(now), price: priceQuery(vault, now) });
    // The vault may refuse its asset, so that another token is paid.
    return andThen(exits(now), (found) =>
      mapQuery(
        found.ways.every(({ token }) => isAsset(vault, token)) ? unpriced : priceQuery(vault, now),
        (price) => ({ exits: found, price }),
      ),
    );
  };
  const here = to.chainId === vault.chainId ? [to.token] : [];
  const tokens = [
    ...planned.flatMap((way) => way.tokens.map(({ token }) => token.address)),
    ...here,
    ...[vault.asset.address, zeroAddress],
  ];
  const { value, block } = await readWithFeeds(ctx, { chainId: vault.chainId, tokens, query });
  const { held, number, ways } = value.exits;
  return { ...held, shares: number, block, price: value.price, ways };
}

const isAsset = ({ asset }: Vault, { address }: Token): boolean => sameAddress(address, asset.address);

const unpriced = createQuery({}, (): ExitFacts["price"] => null);

/** Returns the query for `ExitFacts.price`. */
function priceQuery(vault: Vault, now: number): Query<ExitFacts["price"]> {
  const { asset, shareToken } = vault;
  // Any account and amount: only the price counts.
  const amount = 10n ** BigInt(asset.decimals);
  const terms = adapterOf(vault).terms(vault, {
    token: asset,
    amount,
    caller: null,
    receiver: shareToken,
    now,
  });
  return mapQuery(terms, ({ price }) => price);
}

/** Returns the redemption paths in the requested modes that the vault's family supports. */
function planWays(order: WithdrawalOrder): PlannedWay[] {
  const { exits, vault, user, routed } = order;
  const modes = exits.modes(vault).filter((mode) => matchesRequestedMode(mode, order.mode));
  return modes.flatMap((mode): PlannedWay[] => {
    const tokens = exitTokensFor({ exits, vault, mode, to: order.to });
    const { spender } = exits.encode(vault, {
      ...{
        mode,
        token: tokens[0].token,
        shares: 1n,
        owner: user,
        caller: user,
        receiver: user,
        minAssets: 0n,
      },
    });
    const byUser: PlannedWay = { mode, tokens, via: "user", spender };
    const allowed = exits.mayNeedAllowance?.(vault, mode) ?? null;
    const byAllowance: PlannedWay[] = allowed === null ? [] : [{ ...byUser, spender: allowed }];
    if (!routed || mode !== "instant" || !exits.viaRouter(vault, mode)) return [byUser, ...byAllowance];
    return [{ mode, tokens, via: "router", spender: depositRouterAddress }, byUser, ...byAllowance];
  });
}

function termsQuery(of: {
  order: WithdrawalOrder;
  planned: readonly PlannedWay[];
  shares: bigint;
  now: number;
}): Query<readonly ExitWay[]> {
  const { order, planned, shares, now } = of;
  const { exits, vault, user, slippage, to } = order;
  const queries = planned.map(({ tokens, ...way }) => {
    const account = way.via === "router" ? null : user;
    const request = { mode: way.mode, shares, owner: user, caller: account, receiver: account };
    const paid = firstPaid(tokens, (token) => exits.terms(vault, { ...request, token, slippage, now }));
    return mapQuery(paid, ({ token, pays, terms }): ExitWay => {
      // Without the Router, nothing unwraps what the vault pays.
      const isOwn = way.via === "router" || sameAddress(token.address, to.token);
      return { ...way, token, pays: pays && isOwn, terms };
    });
  });
  const named = Object.fromEntries(queries.map((query, index) => [`way${index}`, query]));
  return mapQuery(queryAll(named), Object.values<ExitWay>);
}

const unsigned = createQuery({}, (): AuthorizationFacts | null => null);

function signingQuery(ctx: Context, order: WithdrawalOrder): Query<AuthorizationFacts | null> {
  const { vault, user: owner, authorize, routed } = order;
  if (!routed || !asksForSignature(authorize)) return unsigned;
  return authorizationQuery(ctx, { chainId: vault.chainId, token: vault.shareToken, owner, share: true });
}

function balancesQuery(order: WithdrawalOrder, planned: readonly PlannedWay[]): Query<Balances> {
  const { vault, user, authorize } = order;
  const onShare = { to: vault.shareToken, abi: erc20Abi } as const;
  const spenders = [...new Set(planned.flatMap(({ spender }) => spender ?? []))];
  const allowance = (spender: Address) =>
    [`allowance/${spender}`, read({ ...onShare, name: "allowance", args: [user, spender] })] as const;
  const balance = read({ ...onShare, name: "balanceOf", args: [user] });
  const reads = {
    balance,
    gas: nativeBalanceRead(authorize.submitter),
    ...Object.fromEntries(spenders.map(allowance)),
  };
  return createQuery(reads, ({ balance: held, gas, ...allowances }) => ({
    balance: valueOrNull(held),
    nativeBalance: valueOrNull(gas),
    allowances: new Map(
      spenders.map((spender) => {
        const result = allowances[`allowance/${spender}` as keyof typeof allowances];
        return [spender.toLowerCase(), result === undefined ? null : valueOrNull(result)];
      }),
    ),
  }));
}

/**
 * Compares the rate at which a vault pays another token than its asset with independent prices. Returns a warning if
 * that is not possible, unless the payment is unknown and priced later; throws `price_unsafe` if it pays far too little.
 */
export async function judgePaidRate(
  ctx: Context,
  of: { order: WithdrawalOrder; facts: Pick<ExitFacts, "shares" | "price">; way: ExitWay },
): Promise<Warning[]> {
  const { order, facts, way } = of;
  const { vault, slippage } = order;
  if (sameAddress(way.token.address, vault.asset.address)) return [];
  const { grossAssets, previewAssets, priced } = way.terms;
  const paid = grossAssets ?? previewAssets;
  if (paid === null && way.mode !== "instant" && priced === "later") return [];
  const { price, shares } = facts;
  if (paid === null || price === null || price.assets === 0n || price.shares === 0n)
    return [unverifiedRate(vault)];
  const worth = mulDivDown(shares, price.assets, price.shares);
  const given = { token: vault.asset, amount: worth };
  return requireFairRate(ctx, { vault, given, got: { token: way.token, amount: paid }, slippage });
}
