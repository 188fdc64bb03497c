import { cpuTime } from "./cpu.ts";
import { load } from "./load.ts";
import { median } from "./statistics.ts";
import { ms, type Row, ratio } from "./table.ts";
import { type RunningWorker, runBareWorker } from "./workers.ts";

const ROUNDS = 9;
const CONNECTIONS = 8;
const ROUND_MS = 1_200;
const AIM = 0.83;

/** Results of one server in each round. */
interface Side {
  perSecond: number[];
  latency: number[];
  /** Processor time per request in milliseconds. Empty where it cannot be measured. */
  cpu: number[];
}

/** Column titles of the vault detail benchmark. */
export const detailColumns = ["requests/s", "latency", "processor"] as const;

/**
 * Compares a cached vault detail with a minimal Worker that only returns the same bytes and number of headers. `alone`
 * measures the service's Worker; `routed` measures it behind Miniflare's router of static assets. The router consists
 * of two more Workers that cost more than the Worker itself, so each case is compared with a minimal Worker of the same
 * kind.
 */
export async function benchVaultDetail(
  folder: string,
  ours: { alone: RunningWorker; routed: RunningWorker; path: string },
): Promise<Row[]> {
  const urlAt = ({ origin }: RunningWorker): string => `${origin}${ours.path}`;
  await (await fetch(urlAt(ours.routed))).arrayBuffer();
  const sample = await fetch(urlAt(ours.alone), { headers: { "accept-encoding": "identity" } });
  const body = await sample.text();
  // workerd writes these itself.
  const headers = [...sample.headers].filter(([name]) => !/^(content-length|content-encoding)$/.test(name));
  const bare = await runBareWorker(folder, { body, headers, assets: "none" });
  const bareRouted = await runBareWorker(folder, { body, headers, assets: "in front" });
  try {
    const sides = await measureAll({
      own: { worker: ours.alone, url: urlAt(ours.alone) },
      bare: { worker: bare, url: `${bare.origin}/` },
      ownRouted: { worker: ours.routed, url: urlAt(ours.routed) },
      bareRouted: { worker: bareRouted, url: `${bareRouted.origin}/` },
    });
    const size = `${body.length} bytes, ${headers.length} headers`;
    return [
      { name: "GET /v1/vaults/{id}, warm", values: describeSide(sides.own) },
      { name: `bare Worker, ${size}`, values: describeSide(sides.bare) },
      { name: "the first, behind the asset router", values: describeSide(sides.ownRouted) },
      { name: "the second, behind the asset router", values: describeSide(sides.bareRouted) },
      ratioRow("ratio without the router", sides.own, sides.bare),
      ratioRow("ratio with it on both sides", sides.ownRouted, sides.bareRouted),
      withoutAim(ratioRow("ratio with it on our side only", sides.ownRouted, sides.bare)),
    ];
  } finally {
    await Promise.all([bare.close(), bareRouted.close()]);
  }
}

type Target = { worker: RunningWorker; url: string };

async function measureAll<K extends string>(targets: Record<K, Target>): Promise<Record<K, Side>> {
  const names = Object.keys(targets) as K[];
  const sides = Object.fromEntries(names.map((name) => [name, emptySide()])) as Record<K, Side>;
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const name of names) await measure(round === 0 ? emptySide() : sides[name], targets[name]);
  }
  return sides;
}

const withoutAim = ({ name, values }: Row): Row => ({ name, values });

function ratioRow(name: string, ours: Side, other: Side): Row {
  const ratios = ours.perSecond.map((rate, round) => rate / (other.perSecond[round] ?? 1));
  const middle = median(ratios);
  const cpu = median(other.cpu) / median(ours.cpu);
  const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  return {
    name: `${name}, median of ${ROUNDS} rounds (${spread})`,
    values: [ratio(middle), "", Number.isNaN(cpu) ? "" : ratio(cpu)],
    aim: `>= ${AIM}`,
    reached: middle >= AIM,
  };
}

const emptySide = (): Side => ({ perSecond: [], latency: [], cpu: [] });

async function measure(side: Side, { worker, url }: Target): Promise<void> {
  const before = cpuTime(worker.pid);
  const result = await load({ url, connections: CONNECTIONS, ms: ROUND_MS });
  const after = cpuTime(worker.pid);
  side.perSecond.push(result.perSecond);
  side.latency.push(result.median);
  if (before !== null && after !== null) side.cpu.push((after - before) / result.requests);
}

const describeSide = ({ perSecond, latency, cpu }: Side): string[] => [
  median(perSecond).toFixed(0),
  ms(median(latency)),
  cpu.length === 0 ? "" : ms(median(cpu)),
];
