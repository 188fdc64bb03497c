import type { RoutedDeposit } from "../../../src/deposits/prepared-deposit.ts";
import { Random } from "../lifi/random.ts";
import { findUnfairness } from "./judge.ts";
import { drawLie, honest, type Lie } from "./lies.ts";
import { type Trade, trades } from "./trades.ts";
import { type Providers, tradeWith } from "./world.ts";

/** Result of a run with many lies. */
export interface LieRun {
  tried: number;
  refused: number;
  /** Number of accepted deposits that were fair, so that the lie had no effect. */
  fair: number;
  /** Accepted deposits that take more than the user allows, each with the data to repeat it. */
  unjust: string[];
}

/**
 * Draws lies of several fields by LI.FI, Across and KyberSwap, alone and together, for every trade, and lets the
 * service evaluate each. The same seed gives the same run.
 */
export async function runLies({ count, seed }: { count: number; seed: number }): Promise<LieRun> {
  const random = new Random(seed);
  const run: LieRun = { tried: 0, refused: 0, fair: 0, unjust: [] };
  while (run.tried < count) {
    run.tried += 1;
    const { trade, lie, who } = draw(random);
    const providers = providersOf(who, lie);
    const verdict = await tradeWith(trade, providers);
    const wrong =
      verdict.routed === null
        ? null
        : findUnfairness(trade, toldBy(providers, verdict.routed), verdict.routed);
    if (verdict.routed === null) run.refused += 1;
    else if (wrong === null) run.fair += 1;
    else
      run.unjust.push(`${run.tried}: ${trade.name} by ${who} ${trade.tools.join()}: ${wrong} ${show(lie)}`);
  }
  return run;
}

type Liar = "lifi" | "across" | "kyber" | "lifi and across" | "lifi and kyber" | "kyber beside lifi";

/**
 * Returns the providers that take part. With the last kind of liar, an honest LI.FI competes with a lying KyberSwap.
 */
function providersOf(who: Liar, lie: Lie): Providers {
  return {
    lifi: who === "kyber beside lifi" ? honest : who.includes("lifi") ? lie : null,
    across: who.includes("across") ? lie : null,
    kyber: who.includes("kyber") ? lie : null,
  };
}

/** Returns the lie of the provider whose offer was accepted, or null for an honest one. */
const toldBy = ({ lifi, across, kyber }: Providers, { route }: RoutedDeposit): Lie | null =>
  ({ lifi, across, kyber })[route.provider as "lifi" | "across" | "kyber"] ?? null;

function liarsOf({ across, from, to }: Trade): readonly Liar[] {
  if (across) return ["lifi", "across", "lifi and across"];
  return from.chainId === to.chainId ? ["lifi", "kyber", "lifi and kyber", "kyber beside lifi"] : ["lifi"];
}

function draw(random: Random): { trade: Trade; lie: Lie; who: Liar } {
  const trade = random.pick(trades);
  const tool = random.pick(trade.tools);
  const who = random.pick(liarsOf(trade));
  const slippage = random.pick([trade.slippage, 0.001, 0.005, 0.01, 0.03, 0.1]);
  return { trade: { ...trade, tools: [tool], slippage }, lie: drawLie(random), who };
}

const show = (lie: Lie): string =>
  JSON.stringify(lie, (_key, value) => (typeof value === "bigint" ? value.toString() : value));
