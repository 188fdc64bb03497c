import { type Address, isAddressEqual, zeroAddress, zeroHash } from "viem";
import { z } from "zod";
import { knownChains } from "../../../src/chains/chain-definitions.ts";
import type { Context } from "../../../src/context.ts";
import type { DepositOrder } from "../../../src/deposits/deposit-intent.ts";
import { prepareRouted } from "../../../src/deposits/deposit-route-search.ts";
import type { RoutedDeposit } from "../../../src/deposits/prepared-deposit.ts";
import { AppError } from "../../../src/errors.ts";
import { leastOutput } from "../../../src/orders/order-floors.ts";
import { priceKey, type TokenPrice } from "../../../src/prices/price.ts";
import { createAcross } from "../../../src/providers/across/across-provider.ts";
import { createKyber } from "../../../src/providers/kyber/kyber-provider.ts";
import { RateLimitMemory } from "../../../src/providers/lifi/api/lifi-rate-limits.ts";
import { createLifi } from "../../../src/providers/lifi/lifi-provider.ts";
import type { Provider } from "../../../src/providers/provider.ts";
import { createVelora } from "../../../src/providers/velora/velora-provider.ts";
import { depositRouterAddress, depositRouterCodeHash } from "../../../src/router/router-address.ts";
import { decodeRouterCall } from "../../../src/router/router-codec.ts";
import type { Vault } from "../../../src/vaults/vault.ts";
import { testContext } from "../context.ts";
import { vault as testVault, VAULT } from "../deposits/fixtures.ts";
import {
  balanceKey,
  type SentCall,
  type SimulatedChain,
  type SimulatedEffects,
  sharesFor,
  simulatedChain,
} from "../deposits/simulated-chain.ts";
import type { Scenario } from "../lifi/answers.ts";
import type { Json } from "../lifi/captured.ts";
import { INTEGRATOR, NOW, USER } from "../lifi/parts.ts";
import { AcrossMarket } from "./across-market.ts";
import { KyberMarket } from "./kyber-market.ts";
import type { Lie } from "./lies.ts";
import { LifiMarket } from "./lifi-market.ts";
import { nativeOf, priceOfToken, type Trade, type TradedToken } from "./trades.ts";
import { VeloraMarket } from "./velora-market.ts";

/** The lies of each provider that takes part. Null or absent if the provider does not take part. */
export interface Providers {
  lifi: Lie | null;
  across: Lie | null;
  kyber?: Lie | null;
  velora?: Lie | null;
}

/** Result of a trade: the built deposit, or the error code. */
export interface Verdict {
  routed: RoutedDeposit | null;
  code: string | null;
  /** Names of the providers whose offers were rejected as unfair, from the log. */
  distrusted: string[];
  /** Errors of the rejected routes, from the log. */
  refusals: unknown[];
  lifi: LifiMarket | null;
  across: AcrossMarket | null;
}

/** A trade with the markets that take part in it. */
export interface TradeStage {
  trade: Trade;
  lie: Lie | null;
  lifi: LifiMarket | null;
  /** The exchange beside LI.FI, if it takes part: KyberSwap or Velora. */
  exchange: { lie: Lie; market: KyberMarket | VeloraMarket } | null;
}

/** Returns the effects of a simulated call, with the calls of the earlier simulation. */
export type TradeEffects = (
  stage: TradeStage,
  sent: { call: SentCall; before: readonly SentCall[] },
) => SimulatedEffects;

/** What differs from a trade whose tokens all have prices and whose providers tell only the lies given. */
export interface TradeOptions {
  /** False if no token has a price. */
  priced?: boolean;
  priceOf?: (token: TradedToken) => TokenPrice;
  /** Changes a transaction of LI.FI before its calldata is encoded. */
  reshape?: (scenario: Scenario) => Scenario;
  /** Changes a provider's response to a request. */
  retell?: (answer: Json, url: URL) => Json;
}

/** A trade with its providers over the emulated markets, and chains that enforce floors. */
export interface TradeWorld extends Pick<Verdict, "lifi" | "across"> {
  ctx: Context;
  chains: { source: SimulatedChain; destination: SimulatedChain };
  /** What the log tells of rejected offers and routes. */
  told(): Pick<Verdict, "distrusted" | "refusals">;
}

/** Requests a deposit from the service, with its own providers over the emulated markets. */
export async function tradeWith(
  trade: Trade,
  providers: Providers,
  options: TradeOptions = {},
): Promise<Verdict> {
  const { ctx, chains, told, ...markets } = await createTradeWorld(trade, providers, options);
  try {
    const routed = await prepareRouted(ctx, { order: orderOf(trade, chains) });
    return { ...markets, routed, code: null, ...told() };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { ...markets, routed: null, code: error.code, ...told() };
  }
}

/** Creates the context of a request for a trade. `effectsOf` decides what simulated calls do. */
export async function createTradeWorld(
  trade: Trade,
  providers: Providers,
  options: TradeOptions & { effectsOf?: TradeEffects } = {},
): Promise<TradeWorld> {
  const lifi = providers.lifi === null ? null : new LifiMarket(trade, providers.lifi);
  if (lifi !== null && options.reshape !== undefined) lifi.reshape = options.reshape;
  const across = providers.across === null ? null : new AcrossMarket(trade, providers.across);
  const [kyber, velora] = [providers.kyber ?? null, providers.velora ?? null];
  const exchange =
    kyber !== null
      ? { lie: kyber, market: new KyberMarket(trade, kyber) }
      : velora === null
        ? null
        : { lie: velora, market: new VeloraMarket(trade, velora) };
  const stage = { trade, lie: providers.lifi, lifi, exchange };
  const chains = chainsOf(stage, options.effectsOf ?? effectsOfDeposit);
  const clients = [...new Set([chains.source.client, chains.destination.client])];
  const base = testContext({ clients, nowMs: NOW * 1_000 });
  const all: Provider[] = [
    ...(across === null ? [] : [createAcross({ apiUrl: "https://across.test/api" })]),
    ...(kyber === null ? [] : [createKyber({ apiUrl: "https://kyber.test", clientId: "causeway" })]),
    ...(velora === null ? [] : [createVelora({ apiUrl: "https://velora.test" })]),
    ...(lifi === null
      ? []
      : [
          createLifi({
            apiUrl: "https://lifi.test/v1",
            apiKey: null,
            integrator: INTEGRATOR,
            rateLimits: new RateLimitMemory(),
          }),
        ]),
  ];
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const url = new URL(String(input instanceof Request ? input.url : input));
    const body = typeof init?.body === "string" ? JSON.parse(init.body) : null;
    const swaps = url.host.startsWith("kyber") || url.host.startsWith("velora");
    const market = swaps ? exchange?.market : url.host.startsWith("across") ? across : lifi;
    const plain = (market?.answer(url, body) ?? null) as Json | null;
    const answer = plain === null ? null : (options.retell?.(plain, url) ?? plain);
    const missing = { message: "no route", code: 1002 };
    return Response.json(answer ?? missing, { status: answer === null ? 404 : 200 });
  };
  const scope = { ...base.providers.scope, fetch, now: base.now, chain: base.chains.client };
  const ctx = { ...base, providers: { all: async () => all, scope } };
  if (options.priced !== false)
    for (const token of [trade.from, trade.to, nativeOf(trade)])
      notePrice(ctx, { token, price: (options.priceOf ?? priceOfToken)(token) });
  await remember(ctx, trade);
  const told = () => ({
    distrusted: distrustedIn(base.logged),
    refusals: base.logged.filter(({ event }) => event === "route_refused").map(({ error }) => error),
  });
  return { ctx, chains, lifi, across, told };
}

const distrustedIn = (logged: readonly Record<string, unknown>[]): string[] =>
  logged.filter(({ event }) => event === "provider_distrusted").map(({ provider }) => String(provider));

type TestScope = ReturnType<typeof testContext>;

function notePrice(
  ctx: Pick<TestScope, "prices">,
  { token, price }: { token: TradedToken; price: TokenPrice },
): void {
  const { chainId, address } = token;
  const { feeds } = ctx.prices.book;
  feeds.set(priceKey({ chainId, token: address }), price);
  // The chain's own feeds, which these nodes do not have, would remove it.
  feeds.delete = () => false;
}

/** Stores what the service would have cached: the vault's Router, and the storage layout of the token's balances. */
async function remember(ctx: Pick<TestScope, "cache">, { to }: Trade): Promise<void> {
  const day = 86_400_000;
  const times = { freshMs: day, staleMs: day, keepMs: day };
  const layout = z.object({ order: z.literal("solidity"), base: z.bigint() });
  await ctx.cache.cached({
    key: `layout:${to.chainId}:${to.address.toLowerCase()}`,
    schema: layout,
    ...times,
    load: async () => ({ order: "solidity" as const, base: 9n }),
  });
  await ctx.cache.cached({
    key: `router:${to.chainId}:${depositRouterCodeHash}`,
    schema: z.object({ deployed: z.boolean(), at: z.number() }),
    ...times,
    load: async () => ({ deployed: true, at: NOW * 1_000 }),
  });
}

function definitionOf(chainId: number) {
  const definition = knownChains.find((chain) => chain.chainId === chainId);
  if (definition === undefined) throw new Error(`no chain ${chainId}`);
  return definition;
}

function chainsOf(
  stage: TradeStage,
  effectsOf: TradeEffects,
): { source: SimulatedChain; destination: SimulatedChain } {
  const { from, to } = stage.trade;
  const answers = {
    asset: to.address,
    balanceOf: 10n ** 30n,
    allowance: 10n ** 30n,
    decimals: (token: Address) => (isAddressEqual(token, to.address) ? to : from).decimals,
    symbol: "TKN",
  };
  const chain = (chainId: number): SimulatedChain => {
    const made: SimulatedChain = simulatedChain({
      definition: definitionOf(chainId),
      answers,
      effects: (call) => effectsOf(stage, { call, before: made.sent.at(-1) ?? [] }),
    });
    return made;
  };
  const source = chain(from.chainId);
  return { source, destination: from.chainId === to.chainId ? source : chain(to.chainId) };
}

const REVERTED: SimulatedEffects = { revert: "0x" };

/**
 * Returns the effects of a simulated call. The Router and the swap contracts enforce their floors; the rest follows the
 * lies.
 */
function effectsOfDeposit(
  stage: TradeStage,
  { call, before }: { call: SentCall; before: readonly SentCall[] },
): SimulatedEffects {
  if (call.to.toLowerCase() === depositRouterAddress.toLowerCase()) {
    const approval = before.findLast(({ data }) => data.startsWith("0x095ea7b3"));
    const held = BigInt(`0x${approval?.data.slice(-64) ?? "0"}`);
    const { order, steps } = decodeRouterCall(call.data);
    if (steps[0]?.target.toLowerCase() === stage.exchange?.market.router?.toLowerCase())
      return exchanged(stage, paidIn(stage));
    return deposited(order, order.amountIn < held || held === 0n ? order.amountIn : held);
  }
  if (call.to.toLowerCase() === VAULT.toLowerCase()) return { rises: sharesOf(depositedBy(call)) };
  const { from, to } = stage.trade;
  const paid = paidIn(stage);
  if (call.to.toLowerCase() === stage.exchange?.market.router?.toLowerCase()) return exchanged(stage, paid);
  if (from.chainId !== to.chainId) return { rises: paid };
  const built = stage.lifi?.built;
  if (!built || stage.lie === null) return REVERTED;
  const delivered = (built.expected * BigInt(stage.lie.simulated)) / 10_000n;
  const called = stage.lifi?.call ?? null;
  if (called === null)
    return delivered < built.least
      ? REVERTED
      : { rises: { ...paid, [balanceKey(to.address, USER)]: delivered } };
  const made = deposited(decodeRouterCall(called).order, delivered);
  return made.rises === undefined ? made : { rises: { ...paid, ...made.rises } };
}

const paidIn = ({ trade: { from, amount } }: TradeStage): Record<string, bigint> =>
  from.address === zeroAddress ? {} : { [balanceKey(from.address, USER)]: -amount };

/**
 * Returns the effects of a swap by KyberSwap or Velora. Its router enforces the minimum, and its executor delivers what
 * the lie says.
 */
function exchanged({ trade, exchange }: TradeStage, paid: Record<string, bigint>): SimulatedEffects {
  const built = exchange?.market.built ?? null;
  if (exchange === null || built === null) return REVERTED;
  const delivered = (built.expected * BigInt(exchange.lie.simulated)) / 10_000n;
  if (delivered < built.least) return REVERTED;
  return { rises: { ...paid, [balanceKey(trade.to.address, USER)]: delivered } };
}

type Order = ReturnType<typeof decodeRouterCall>["order"];

function deposited(order: Order, amount: bigint): SimulatedEffects {
  const shares = sharesFor(amount);
  if (amount < order.minIn || shares < leastOutput(order, amount)) return REVERTED;
  return { rises: sharesOf(amount) };
}

const sharesOf = (amount: bigint): Record<string, bigint> => ({
  [balanceKey(VAULT, USER)]: sharesFor(amount),
});

/** Returns the amount of an ERC-4626 deposit, which is its first argument. */
const depositedBy = ({ data }: SentCall): bigint => BigInt(`0x${data.slice(10, 74)}`);

function orderOf(trade: Trade, chains: ReturnType<typeof chainsOf>): DepositOrder {
  const { from, to, amount, slippage, caller } = trade;
  const asset = { address: to.address, symbol: "TKN", decimals: to.decimals };
  const vault: Vault = {
    ...testVault,
    vaultId: `${to.chainId}:${VAULT.toLowerCase()}`,
    chainId: to.chainId,
    asset,
    caller,
  };
  const entry: Address = caller === "router" ? depositRouterAddress : VAULT;
  return {
    from: { client: chains.source.client, chainId: from.chainId, token: from.address, amount },
    client: chains.destination.client,
    vault,
    entry: { via: caller, address: entry },
    user: USER,
    slippage,
    preferredBridge: null,
    trackingId: "trk_0123456789abcdef0123456789abcdef",
    ref: zeroHash,
    referrer: zeroAddress,
    referrerHandle: "",
    parentTrackingId: null,
    partnerId: "",
    partnerHash: zeroHash,
    partnerType: 0,
    partnerAddress: null,
    partnerVerified: false,
    authorize: { way: "approve", submitter: USER },
  };
}
