import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { HttpAnswer } from "../../../scripts/smoke/http-request.ts";
import { writeFeed } from "../../../scripts/stack/chains/write-feed.ts";
import { Api, type BuildBody, type WithdrawBody } from "../../support/e2e/api.ts";
import { chainIds, chainOf, give, tokenOn, userOn, vaultNamed } from "../../support/e2e/chain.ts";
import { emulators, type FaultInput, withFaults } from "../../support/e2e/faults.ts";
import { paidAmounts } from "../../support/e2e/transfer.ts";
import { holderOf } from "../../support/e2e/withdrawal.ts";
import { type SecondWorker, startWorker } from "../../support/e2e/worker.ts";

/**
 * What every kind of build answers while the sources of prices are in every state. The vault's chain has a sequencer,
 * and its swaps are quoted by LI.FI and by Velora. Each state is seen by a Worker without caches.
 */
const home = chainOf(chainIds.two);
const away = chainOf(chainIds.one);
const vault = vaultNamed("Remote USDC");
const usdc = { chain_id: home.chainId, address: tokenOn(home, "USDC") };
const sourceUsdc = { chain_id: away.chainId, address: tokenOn(away, "USDC") };
const feed = home.info.contracts.price_feeds.USDC;
const { prices, velora } = emulators();
const fresh = () => ({ redisPrefix: `price-states-${randomBytes(4).toString("hex")}` });

/** Sends a setting to the price emulator. */
async function set(body: object): Promise<void> {
  const init = { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(`${prices}/__control`, init);
  expect([response.status, await response.text()]).toEqual([200, expect.anything()]);
}

const priced = (change: object, token = usdc) => set({ prices: [{ ...token, ...change }] });
const sequencer = (up: boolean) => set({ sequencer: { chain_id: home.chainId, up } });

/** Sets the feed alone; the price API keeps its price. */
async function writeOwnFeed(answer: bigint, ageS = 0n): Promise<void> {
  await priced({});
  await writeFeed(home.rpcUrl, feed, { answer, ageS, started: 0n });
}

let worker: SecondWorker;
let builds: Readonly<Record<string, { path: string; body: BuildBody | WithdrawBody }>>;
beforeAll(async () => {
  worker = await startWorker(fresh());
  const { user } = await holderOf(new Api(), vault);
  const sender = await userOn(away, user);
  for (const [chain, owner] of [
    [home, user],
    [away, sender],
  ] as const)
    for (const symbol of ["USDC", "WETH"] as const)
      await give(chain, { user: owner, symbol, amount: paidAmounts[symbol] });
  const deposit = (from: typeof home, symbol: "USDC" | "WETH") => ({
    path: "/v1/quote/build",
    body: {
      ...{ from_chain_id: from.chainId, from_token: tokenOn(from, symbol), vault_id: vault.vault_id },
      ...{ from_amount: String(paidAmounts[symbol]), user_address: user.address, slippage: 0.02 },
    },
  });
  const withdrawal = (to: typeof home, symbol: "USDC" | "WETH") => ({
    path: "/v1/withdraw/build",
    body: {
      ...{ vault_id: vault.vault_id, user_address: user.address, shares: "all", slippage: 0.02 },
      ...{ to_chain_id: to.chainId, to_token: tokenOn(to, symbol) },
    },
  });
  builds = {
    direct: deposit(home, "USDC"),
    swap: deposit(home, "WETH"),
    bridge: deposit(away, "USDC"),
    swap_and_bridge: deposit(away, "WETH"),
    withdraw_swapped: withdrawal(home, "WETH"),
    withdraw_bridged: withdrawal(away, "USDC"),
  };
});
afterAll(() => worker?.close());
afterEach(async () => {
  await (await fetch(`${prices}/__control`, { method: "DELETE" })).arrayBuffer();
});

/** Says in one word what a build answered: `built`, its warning about prices, or the code of the refusal. */
function wordOf({ status, json }: HttpAnswer): string {
  const {
    warnings = [],
    code,
    subject,
  } = json as {
    warnings?: { code: string }[];
    code?: string;
    subject?: string;
  };
  if (status !== 200) return subject === undefined ? `${code}` : `${code} ${subject}`;
  return warnings.find((warning) => warning.code.startsWith("price_"))?.code ?? "built";
}

/** Returns what each build answers in a Worker without caches. A quote of the same deposit must answer the same. */
async function outcomes(): Promise<Record<string, string>> {
  await worker.restart(fresh());
  const api = new Api(worker.origin);
  const answers = Object.entries(builds).map(async ([name, { path, body }]) => {
    const built = wordOf(await api.send(path, { body }));
    if (path === "/v1/quote/build")
      expect([name, wordOf(await api.send("/v1/quote", { body }))]).toEqual([name, built]);
    return [name, built] as const;
  });
  return Object.fromEntries(await Promise.all(answers));
}

const BUILT = {
  ...{ direct: "built", swap: "built", bridge: "built", swap_and_bridge: "built" },
  ...{ withdraw_swapped: "built", withdraw_bridged: "built" },
};
const REFUSED = "price_unsafe route";
const SECOND = { swap: "price_unverified", withdraw_swapped: "price_unverified" };
const NEITHER = { swap: REFUSED, withdraw_swapped: REFUSED };
const noMarket = () => priced({ market_usd: null });
const down: readonly FaultInput[] = [{ kind: "status", status: 503 }];

/** Sets a state; what it does not change is as usual. A fault is of the price API. */
interface State {
  set?: () => Promise<unknown>;
  fault?: FaultInput;
  /** True if Velora is down, so that only LI.FI quotes swaps. */
  alone?: true;
  differs: Partial<typeof BUILT>;
}

test.each<[string, State]>([
  ["nothing is wrong", { differs: {} }],
  ["the feed is stale", { set: () => writeOwnFeed(10n ** 8n, 172_800n), differs: {} }],
  ["the feed is zero", { set: () => writeOwnFeed(0n), differs: {} }],
  ["the feed is negative", { set: () => writeOwnFeed(2n ** 256n - 10n ** 8n), differs: {} }],
  ["the price API hangs", { set: () => priced({ mode: "hang" }), differs: {} }],
  ["the price API answers garbage", { fault: { kind: "malformed" }, differs: {} }],
  ["the price API answers a web page", { fault: { kind: "html" }, differs: {} }],
  ["the price API is down", { fault: { kind: "status", status: 503 }, differs: {} }],
  ["the sequencer is down", { set: () => sequencer(false), differs: {} }],
  ["the sequencer has just restarted", { set: () => sequencer(true), differs: {} }],
  [
    "the sources disagree by a tenth, the market below",
    { set: () => priced({ market_usd: "0.90" }), differs: { swap: REFUSED, swap_and_bridge: REFUSED } },
  ],
  [
    "the sources disagree by a tenth, the market above",
    { set: () => priced({ market_usd: "1.10" }), differs: { withdraw_swapped: REFUSED } },
  ],
  [
    "the asset has lost its peg",
    {
      set: () => priced({ feed_usd: "0.88", market_usd: "0.88" }),
      differs: { ...NEITHER, swap_and_bridge: REFUSED },
    },
  ],
  ["both sources are stale", { set: () => priced({ mode: "stale" }), differs: SECOND }],
  ["both sources are zero", { set: () => priced({ mode: "zero" }), differs: SECOND }],
  [
    "the feed is stale and the price API hangs",
    {
      set: async () => {
        await priced({ mode: "hang", age_s: 172_800 });
      },
      differs: SECOND,
    },
  ],
  [
    "the sequencer is down and the market knows nothing",
    { set: () => Promise.all([sequencer(false), noMarket()]), differs: SECOND },
  ],
  [
    "both sources are stale, and nobody else quotes",
    { ...{ set: () => priced({ mode: "stale" }) }, alone: true, differs: NEITHER },
  ],
  [
    "no source knows the asset on either chain",
    {
      set: () => Promise.all([priced({ mode: "stale" }), priced({ mode: "stale" }, sourceUsdc)]),
      differs: { ...SECOND, swap_and_bridge: REFUSED },
    },
  ],
])("while %s", async (_state, { set: change, fault, alone, differs }) => {
  await change?.();
  const plans = [
    ...(fault === undefined ? [] : [{ emulators: [prices], faults: [fault] }]),
    ...(alone === undefined ? [] : [{ emulators: [velora], faults: down }]),
  ];
  const seen = await plans.reduce<() => Promise<Record<string, string>>>(
    (work, plan) => () => withFaults(plan, work),
    outcomes,
  )();
  expect(seen).toEqual({ ...BUILT, ...differs });
});
