import type { EmulatorAnswer } from "../faults.ts";
import { renameFields } from "../faults.ts";
import type { Emulator, EmulatorRequest } from "../server.ts";
import type { StackPrice, StackPrices } from "./price-settings.ts";

const PATH = /^\/prices\/current\/([^?]+)(?:\?.*)?$/;
const STALE_S = 2 * 86_400;
/** Maximum age of a price in the API; `searchWidth` is not emulated. */
const WIDTH_S = 4 * 3_600;

/**
 * Emulates DefiLlama's coins API with the prices of the stack's chains. A token without a price, or with one that is
 * too old, is absent from the response. Source: DefiLlama/defillama-server, coins/src/getCurrentCoins.ts.
 */
export function pricesEmulator(prices: StackPrices): Emulator {
  return {
    name: "prices",
    handle: (request) => answerPrices(prices, request),
    maxBodyBytes: 64 * 1024,
    tooLarge: () => ({ status: 413, body: "{}" }),
    drift: renameFields,
    hostile: multiplyPrices,
    own: prices,
  };
}

async function answerPrices(prices: StackPrices, { path }: EmulatorRequest): Promise<EmulatorAnswer> {
  const ids = PATH.exec(path)?.[1];
  if (ids === undefined) return { status: 404, body: JSON.stringify({ message: "Not Found" }) };
  const known = await prices.all();
  const found = decodeURIComponent(ids)
    .split(",")
    .flatMap((id) => {
      const price = known.get(id.toLowerCase());
      return price === undefined ? [] : [[id, price] as const];
    });
  // A hanging API never answers; the client's deadline or the server's end closes the connection.
  if (found.some(([, { mode }]) => mode === "hang")) await new Promise(() => undefined);
  const coins = Object.fromEntries(found.flatMap(([id, price]) => describe(id, price)));
  return { status: 200, body: JSON.stringify({ coins }) };
}

function describe(id: string, price: StackPrice): [string, object][] {
  const ageS = price.mode === "stale" ? STALE_S : price.age_s;
  if (price.market_usd === null || ageS > WIDTH_S) return [];
  const { symbol, decimals } = price;
  const usd = price.mode === "zero" ? 0 : Number(price.market_usd);
  const timestamp = Math.floor(Date.now() / 1000) - ageS;
  return [[id, { decimals, symbol, price: usd, timestamp, confidence: 0.99 }]];
}

/** Falsifies a response: every price is ten times too high. */
function multiplyPrices(json: unknown): unknown {
  const { coins = {} } = json as { coins?: Record<string, { price: number }> };
  const entries = Object.entries(coins).map(([id, coin]) => [id, { ...coin, price: coin.price * 10 }]);
  return { coins: Object.fromEntries(entries) };
}
