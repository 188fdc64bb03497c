import { getAddress, zeroAddress } from "viem";
import { z } from "zod";
import { assetTerms } from "../../bridge/asset-terms.ts";
import type { DeployedChain } from "../../chains/deploy-chain.ts";
import { rpc } from "../../chains/json-rpc.ts";
import { FEED_DECIMALS, type FeedState, sequencerUpForADay, writeFeed } from "../../chains/write-feed.ts";
import type { OwnSettings } from "../server.ts";

const STALE_S = 2 * 86_400;
const Dollars = z.string().regex(/^\d{1,12}(\.\d{1,18})?$/, "a decimal number");

/**
 * A price to set. `feed_usd` and `market_usd` keep their value if absent; with `market_usd` null, the API does not know
 * the token. `mode`: `stale` makes both two days old, `zero` both zero, and with `hang` the API never responds to
 * requests for the token.
 */
const PriceSetting = z.strictObject({
  chain_id: z.int(),
  address: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/)
    .transform((text) => getAddress(text)),
  feed_usd: Dollars.optional(),
  market_usd: Dollars.nullable().optional(),
  /** Seconds since the last update of both. */
  age_s: z.int().min(0).max(31_536_000).default(0),
  mode: z.enum(["ok", "stale", "zero", "hang"]).default("ok"),
});
type PriceSetting = z.infer<typeof PriceSetting>;

const OwnBody = z.strictObject({
  prices: z.array(PriceSetting).optional(),
  sequencer: z.strictObject({ chain_id: z.int(), up: z.boolean() }).optional(),
});

/** A token's price in US dollars: that of its feed, and that of the API, null if the API does not know the token. */
export interface StackPrice {
  chain_id: number;
  address: string;
  symbol: string;
  decimals: number;
  feed_usd: string;
  market_usd: string | null;
  age_s: number;
  mode: PriceSetting["mode"];
}

/** The prices of the stack's chains, for the API and the feeds on the chains. */
export class StackPrices implements OwnSettings {
  readonly fields = ["prices", "sequencer"] as const;
  readonly #chains: Promise<readonly DeployedChain[]>;
  #prices: StackPrice[] | null = null;
  readonly #down = new Set<number>();

  constructor(chains: Promise<readonly DeployedChain[]>) {
    this.#chains = chains;
  }

  /** Returns every price by `<chain id>:<address in lowercase>`. */
  async all(): Promise<Map<string, StackPrice>> {
    this.#prices ??= defaultPrices(await this.#chains);
    return new Map(this.#prices.map((price) => [`${price.chain_id}:${price.address.toLowerCase()}`, price]));
  }

  async set(body: unknown): Promise<string | null> {
    const parsed = OwnBody.safeParse(body);
    if (!parsed.success)
      return parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
    const { prices = [], sequencer } = parsed.data;
    const known = await this.all();
    for (const setting of prices) {
      const price = known.get(`${setting.chain_id}:${setting.address.toLowerCase()}`);
      if (price === undefined) return `no priced token ${setting.address} on chain ${setting.chain_id}`;
      const { feed_usd = price.feed_usd, market_usd = price.market_usd, age_s, mode } = setting;
      Object.assign(price, { feed_usd, market_usd, age_s, mode });
      await this.#writePrice(price);
    }
    return sequencer === undefined ? null : this.#writeSequencer(sequencer);
  }

  async show(): Promise<object> {
    const shown = [...(await this.all()).values()];
    return { prices: shown, sequencers_down: [...this.#down] };
  }

  /** Restores every price and the sequencer's uptime. */
  async clear(): Promise<void> {
    if (this.#prices === null) return;
    const chains = await this.#chains;
    this.#prices = defaultPrices(chains);
    for (const price of this.#prices) await this.#writePrice(price);
    this.#down.clear();
    for (const { url, priceFeeds } of chains)
      if (priceFeeds.sequencer !== null) await writeFeed(url, priceFeeds.sequencer, sequencerUpForADay);
  }

  async #writePrice(price: StackPrice): Promise<void> {
    const chain = (await this.#chains).find(({ plan }) => plan.chainId === price.chain_id);
    const symbol = price.symbol === "ETH" ? "WETH" : price.symbol;
    const terms = assetTerms.find((one) => one.symbol === symbol);
    if (chain === undefined || terms === undefined) return;
    const ageS = price.mode === "stale" ? STALE_S : price.age_s;
    const answer = price.mode === "zero" ? 0n : toAnswer(price.feed_usd);
    const state: FeedState = { answer, ageS: BigInt(ageS), started: 0n };
    await writeFeed(chain.url, chain.priceFeeds.feeds[terms.symbol], state);
  }

  async #writeSequencer(asked: { chain_id: number; up: boolean }): Promise<string | null> {
    const chain = (await this.#chains).find(({ plan }) => plan.chainId === asked.chain_id);
    const feed = chain?.priceFeeds.sequencer ?? null;
    if (chain === undefined || feed === null) return `chain ${asked.chain_id} has no sequencer`;
    const started = await headTime(chain.url);
    await writeFeed(chain.url, feed, { answer: asked.up ? 0n : 1n, ageS: 0n, started });
    if (asked.up) this.#down.delete(asked.chain_id);
    else this.#down.add(asked.chain_id);
    return null;
  }
}

async function headTime(url: string): Promise<bigint> {
  const block = z
    .object({ timestamp: z.string() })
    .parse(await rpc(url, "eth_getBlockByNumber", "latest", false));
  return BigInt(block.timestamp);
}

/** Converts dollars to a feed's answer, rounded down. */
function toAnswer(dollars: string): bigint {
  const [whole = "0", fraction = ""] = dollars.split(".");
  return BigInt(whole + fraction.slice(0, FEED_DECIMALS).padEnd(FEED_DECIMALS, "0"));
}

/** Returns every token with a price; the native currency has WETH's. The two share a feed. */
function defaultPrices(chains: readonly DeployedChain[]): StackPrice[] {
  return chains.flatMap(({ plan, tokens }) =>
    assetTerms.flatMap(({ symbol, priceUsd }) => {
      const dollars = `${priceUsd}.00`;
      const figures = { feed_usd: dollars, market_usd: dollars, age_s: 0, mode: "ok" } as const;
      const decimals = { USDC: 6, USDT: 6, WETH: 18, WBTC: 8 }[symbol];
      const own = { chain_id: plan.chainId, address: tokens[symbol], symbol, decimals, ...figures };
      const native = { ...own, address: zeroAddress, symbol: "ETH" };
      return symbol === "WETH" ? [own, native] : [own];
    }),
  );
}
