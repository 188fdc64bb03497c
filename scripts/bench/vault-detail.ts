import { cpuTime } from "./cpu.ts";
import { load } from "./load.ts";
import { median } from "./statistics.ts";
import { ms, type Row, times } from "./table.ts";
import { type RunningWorker, runBareWorker } from "./workers.ts";

const ROUNDS = 9;
const CONNECTIONS = 8;
const ROUND_MS = 1_500;
const AIM = 0.6;

/** What one side did in each round. */
interface Side {
  perSecond: number[];
  latency: number[];
  /** Processor milliseconds per request; empty where they cannot be told. */
  cpu: number[];
}

export const detailColumns = ["requests/s", "latency", "processor"] as const;

/**
 * A warm vault detail against a Worker that only returns the same bytes and as many headers: one with the same
 * static-asset settings, which the aim is about, and one without.
 */
export async function benchVaultDetail(folder: string, worker: RunningWorker, path: string): Promise<Row[]> {
  const url = `${worker.origin}${path}`;
  const sample = await fetch(url, { headers: { "accept-encoding": "identity" } });
  const body = await sample.text();
  // These workerd writes itself.
  const headers = [...sample.headers].filter(([name]) => !/^(content-length|content-encoding)$/.test(name));
  const bare = await runBareWorker(folder, { body, headers, assets: true });
  const barest = await runBareWorker(folder, { body, headers, assets: false });
  try {
    const { own, like, least } = await measureAll({
      own: { worker, url },
      like: { worker: bare, url: `${bare.origin}/` },
      least: { worker: barest, url: `${barest.origin}/` },
    });
    const size = `${body.length} bytes, ${headers.length} headers`;
    return [
      { name: "GET /v1/vaults/{id}, warm", values: describeSide(own) },
      { name: `bare Worker, ${size}, same asset settings`, values: describeSide(like) },
      { name: `bare Worker, ${size}, no assets`, values: describeSide(least) },
      ratioRow("ratio to the one with the same settings", own, like),
      withoutAim(ratioRow("ratio to the one without assets", own, least)),
    ];
  } finally {
    await Promise.all([bare.close(), barest.close()]);
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
  const ratio = median(ratios);
  const cpu = median(other.cpu) / median(ours.cpu);
  const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  return {
    name: `${name}, median of ${ROUNDS} rounds (${spread})`,
    values: [times(ratio), "", Number.isNaN(cpu) ? "" : times(cpu)],
    aim: `>= ${AIM}`,
    reached: ratio >= AIM,
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
