import type { StackManifest } from "../stack/manifest.ts";
import { cpuTime } from "./cpu.ts";
import { kindsOfBuild, sendBuild } from "./routes.ts";
import { median } from "./statistics.ts";
import { ms, type Row } from "./table.ts";
import { type RunningWorker, runSecondWorker } from "./workers.ts";

const ROUNDS = 9;
const BUILDS = 20;
/** Maximum processor time that prices may add to one build, in milliseconds. */
const AIM_MS = 2;
/** Setting of a Worker without price feeds and price API. */
const NO_PRICES = { PRICES: JSON.stringify({ api_url: null, feeds: {} }) };

/** Column titles of the price benchmark. */
export const priceColumns = ["own, with prices", "without", "more"] as const;

/**
 * Compares the processor time of a build with that of a Worker that has no source of prices, whose swaps are therefore
 * confirmed by a second provider. The two take turns, and the median difference of a round counts.
 */
export async function benchPrices(folder: string, stack: StackManifest): Promise<Row[]> {
  const chainIds = stack.chains.map(({ chain_id }) => chain_id);
  const priced = await runSecondWorker(folder, { stack, name: "priced", chainIds });
  const plain = await runSecondWorker(folder, { stack, name: "unpriced", chainIds, changes: NO_PRICES });
  try {
    const rows: Row[] = [];
    for (const [kind, body] of kindsOfBuild(stack)) rows.push(await compare(kind, { priced, plain, body }));
    return rows;
  } finally {
    await Promise.all([priced.close(), plain.close()]);
  }
}

async function compare(
  kind: string,
  { priced, plain, body }: { priced: RunningWorker; plain: RunningWorker; body: unknown },
): Promise<Row> {
  const own: { priced: number; plain: number }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const times = { priced: await ownTime(priced, body), plain: await ownTime(plain, body) };
    if (round > 0) own.push(times);
  }
  const more = median(own.map((times) => times.priced - times.plain));
  const [withPrices, without] = [
    median(own.map((times) => times.priced)),
    median(own.map((times) => times.plain)),
  ];
  return {
    name: `build ${kind}`,
    values: Number.isNaN(more) ? ["", "", ""] : [ms(withPrices), ms(without), ms(more)],
    ...(Number.isNaN(more) ? {} : { aim: `more <= ${AIM_MS} ms`, reached: more <= AIM_MS }),
  };
}

/** Returns the processor time of one build in milliseconds, or NaN where it cannot be measured. */
async function ownTime(worker: RunningWorker, body: unknown): Promise<number> {
  const before = cpuTime(worker.pid) ?? Number.NaN;
  for (let build = 0; build < BUILDS; build += 1) await sendBuild(worker, body);
  return ((cpuTime(worker.pid) ?? Number.NaN) - before) / BUILDS;
}
