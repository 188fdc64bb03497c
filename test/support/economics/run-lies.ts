import { Random } from "../lifi/random.ts";
import { injustice } from "./judge.ts";
import { drawLie, type Lie } from "./lies.ts";
import { type Trade, trades } from "./trades.ts";
import { tradeWith } from "./world.ts";

/** What became of many lies. */
export interface LieRun {
  tried: number;
  refused: number;
  /** Accepted, and fair: what was told was no loss. */
  fair: number;
  /** Accepted although it takes more than the user allows, with what would repeat it. */
  unjust: string[];
}

/**
 * Draws consistent lies of several fields, by LI.FI, by Across and by both, over every trade, and has the program judge
 * each. The same seed gives the same run.
 */
export async function runLies({ count, seed }: { count: number; seed: number }): Promise<LieRun> {
  const random = new Random(seed);
  const run: LieRun = { tried: 0, refused: 0, fair: 0, unjust: [] };
  while (run.tried < count) {
    run.tried += 1;
    const { trade, lie, who } = draw(random);
    const verdict = await tradeWith(trade, {
      lifi: who === "across" ? null : lie,
      across: who === "lifi" ? null : lie,
    });
    const wrong = verdict.routed === null ? null : injustice(trade, lie, verdict.routed);
    if (verdict.routed === null) run.refused += 1;
    else if (wrong === null) run.fair += 1;
    else
      run.unjust.push(`${run.tried}: ${trade.name} by ${who} ${trade.tools.join()}: ${wrong} ${show(lie)}`);
  }
  return run;
}

function draw(random: Random): { trade: Trade; lie: Lie; who: "lifi" | "across" | "both" } {
  const trade = random.pick(trades);
  const tool = random.pick(trade.tools);
  const who = trade.across ? random.pick(["lifi", "across", "both"] as const) : "lifi";
  const slippage = random.pick([trade.slippage, 0.001, 0.005, 0.01, 0.03, 0.1]);
  return { trade: { ...trade, tools: [tool], slippage }, lie: drawLie(random), who };
}

const show = (lie: Lie): string =>
  JSON.stringify(lie, (_key, value) => (typeof value === "bigint" ? value.toString() : value));
