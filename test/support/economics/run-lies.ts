import { Random } from "../lifi/random.ts";
import { type ExitWay, exitWith } from "./exit-world.ts";
import { findExitUnfairness, findUnfairness } from "./judge.ts";
import { drawLie, honest, type Lie } from "./lies.ts";
import { exchangeOf, nativeOf, type Trade, trades } from "./trades.ts";
import { type Providers, tradeWith } from "./world.ts";

/** Result of a run with many lies. */
export interface LieRun {
  tried: number;
  refused: number;
  /** Number of accepted deposits and withdrawals that were fair, so that the lie had no effect. */
  fair: number;
  /** Accepted ones that take more than the user allows, each with the data to repeat it. */
  unjust: string[];
  /** Number of lies that each provider took part in. */
  liars: Record<Name, number>;
}

type Name = "lifi" | "across" | "kyber" | "velora";

/**
 * Draws lies of several fields by LI.FI, Across, KyberSwap and Velora, alone and together, for every trade, about deposits
 * and withdrawals of small and large amounts, and lets the service evaluate each. The same seed gives the same run.
 */
export async function runLies({ count, seed }: { count: number; seed: number }): Promise<LieRun> {
  const random = new Random(seed);
  const run: LieRun = {
    tried: 0,
    refused: 0,
    fair: 0,
    unjust: [],
    liars: { lifi: 0, across: 0, kyber: 0, velora: 0 },
  };
  while (run.tried < count) {
    run.tried += 1;
    const { trade, lie, who, way } = draw(random);
    const providers = providersOf(who, lie);
    for (const name of NAMES) if (providers[name] === lie) run.liars[name] += 1;
    const wrong = await (way === "deposit" ? ofDeposit(trade, providers) : ofExit(trade, providers, way));
    if (wrong === "refused") run.refused += 1;
    else if (wrong === null) run.fair += 1;
    else
      run.unjust.push(
        `${run.tried}: ${way} of ${trade.name} by ${who} ${trade.tools.join()}: ${wrong} ${show(lie)}`,
      );
  }
  return run;
}

/** Returns what is unfair about an accepted deposit, null if nothing is, or "refused". */
async function ofDeposit(trade: Trade, providers: Providers): Promise<string | null> {
  const { routed } = await tradeWith(trade, providers);
  if (routed === null) return "refused";
  return findUnfairness(trade, toldBy(providers, routed.route), routed);
}

/** Returns the same of the swap or bridge of a withdrawal. */
async function ofExit(trade: Trade, providers: Providers, way: ExitWay): Promise<string | null> {
  const { built } = await exitWith(trade, providers, { way });
  return built === null ? "refused" : findExitUnfairness(trade, toldBy(providers, built), built);
}

const NAMES = ["lifi", "across", "kyber", "velora"] as const;

/** Providers that tell the same lie. `beside`: the exchange lies, and an honest LI.FI competes with it. */
type Liar = Name | "lifi and across" | `lifi and ${Exchange}` | `${Exchange} beside lifi`;
type Exchange = "kyber" | "velora";

/** Returns the providers that take part. */
function providersOf(who: Liar, lie: Lie): Providers {
  const tells = (name: Name) => (who.includes(name) ? lie : null);
  return {
    lifi: who.endsWith("beside lifi") ? honest : tells("lifi"),
    across: tells("across"),
    kyber: tells("kyber"),
    velora: tells("velora"),
  };
}

/** Returns the lie of the provider whose offer was accepted, or null for an honest one. */
const toldBy = (providers: Providers, { provider }: { provider: string }): Lie | null =>
  providers[provider as Name] ?? null;

function liarsOf(trade: Trade): readonly Liar[] {
  if (trade.across) return ["lifi", "across", "lifi and across"];
  const exchange = exchangeOf(trade);
  return exchange === null ? ["lifi"] : ["lifi", exchange, `lifi and ${exchange}`, `${exchange} beside lifi`];
}

function draw(random: Random): { trade: Trade; lie: Lie; who: Liar; way: Way } {
  const trade = random.pick(trades);
  const tool = random.pick(trade.tools);
  const who = random.pick(liarsOf(trade));
  const slippage = random.pick([trade.slippage, 0.001, 0.005, 0.01, 0.03, 0.1]);
  const way = random.pick(waysOf(trade));
  const { amount: usual } = trade;
  const amount = random.pick([usual, usual, usual, usual / 40n, usual / 1_000n, usual * 1_000n]);
  return { trade: { ...trade, tools: [tool], slippage, amount }, lie: drawLie(random), who, way };
}

type Way = "deposit" | ExitWay;

/**
 * Returns how a trade can be made. No vault pays native currency into an order of the Router, and Across pays wallets
 * native currency in place of WETH.
 */
function waysOf(trade: Trade): readonly Way[] {
  if (trade.name.startsWith("WETH bridged")) return ["deposit"];
  const native = trade.from.address === nativeOf(trade).address;
  return native ? ["deposit", "second_step"] : ["deposit", "second_step", "one_order"];
}

const show = (lie: Lie): string =>
  JSON.stringify(lie, (_key, value) => (typeof value === "bigint" ? value.toString() : value));
