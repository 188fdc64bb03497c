import { randomInt } from "node:crypto";
import { numberToHex } from "viem";
import { sendRequest } from "../smoke/http-request.ts";
import type { Stack } from "../stack/boot.ts";
import type { LoadChain } from "./load-chain.ts";
import type { LoadRun } from "./load-run.ts";

/** A span of time, in unix milliseconds. */
export interface Span {
  from: number;
  to: number;
}

/**
 * Running disturbances of the load: the pauses of the jobs, and the number of each disturbance so far. `stop` ends
 * them.
 */
export interface Disturbances {
  pauses: readonly Span[];
  counts: Readonly<Record<string, number>>;
  stop(): Promise<void>;
}

const MINUTE = "* * * * *";

/**
 * Runs the jobs every `everyMs` milliseconds together with disturbances: third parties report and abandon continuously,
 * nodes fail temporarily, chains reorganize, and after 35 % of `totalMs` the jobs pause for `pauseMs`.
 */
export function startDisturbances(of: {
  stack: Stack;
  run: LoadRun;
  chains: readonly LoadChain[];
  everyMs: number;
  totalMs: number;
  pauseMs: number;
}): Disturbances {
  const { stack, run, chains, everyMs, totalMs, pauseMs } = of;
  const startedAt = Date.now();
  const counts: Record<string, number> = {
    rounds: 0,
    "failed rounds": 0,
    reports: 0,
    abandons: 0,
    reorganisations: 0,
    moved: 0,
    outages: 0,
  };
  const add = (name: string, count = 1): void => {
    counts[name] = (counts[name] ?? 0) + count;
  };
  const pause: Span = { from: startedAt + totalMs * 0.35, to: startedAt + totalMs * 0.35 + pauseMs };
  const isPaused = (): boolean => Date.now() >= pause.from && Date.now() < pause.to;
  let over = false;
  const every = async (ms: number, work: () => Promise<void>): Promise<void> => {
    while (!over) {
      await new Promise((resolve) => setTimeout(resolve, ms));
      if (!over) await work().catch((error: unknown) => console.error(String(error).slice(0, 300)));
    }
  };
  const rounds = every(everyMs, async () => {
    if (isPaused()) return;
    add("rounds");
    // Production starts the next round whether or not the last one has ended.
    void stack.cron(MINUTE).catch(() => add("failed rounds"));
  });
  const strangers = every(250, () => stranger(stack.manifest.api, { run, add }));
  const reorganised = every(Math.max(10_000, totalMs / 12), async () => {
    const chain = chains[randomInt(chains.length)];
    if (chain === undefined) return;
    add("moved", await chain.reorg(1 + randomInt(4)));
    add("reorganisations");
  });
  const outages = every(Math.max(30_000, totalMs / 4), async () => {
    add("outages");
    await nodeOutage(stack, Math.min(20_000, totalMs / 12));
  });
  return {
    pauses: [pause],
    counts,
    async stop() {
      over = true;
      await Promise.all([rounds, strangers, reorganised, outages]);
    },
  };
}

/** Reports a false transaction hash for a tracking id, or abandons the deposit, as a third party might. */
async function stranger(
  api: string,
  { run, add }: { run: LoadRun; add: (name: string) => void },
): Promise<void> {
  const { deposits } = run;
  const victim = deposits[deposits.length - 1 - randomInt(Math.min(200, deposits.length || 1))];
  const other = deposits[randomInt(deposits.length || 1)];
  if (victim === undefined || other === undefined) return;
  const url = `${api}/v1/deposits/${victim.trackingId}`;
  if (randomInt(4) === 0) {
    add("abandons");
    await sendRequest(`${url}/abandon`, { method: "PATCH", body: {} });
    return;
  }
  const invented = numberToHex((BigInt(Date.now()) << 64n) + BigInt(randomInt(2 ** 40)), { size: 32 });
  const hash = randomInt(2) === 0 ? other.source : invented;
  add("reports");
  await sendRequest(`${url}/tx`, { method: "PATCH", body: { tx_hash: hash, step: "source" } });
}

/** Disables some methods of every node temporarily. */
async function nodeOutage(stack: Stack, ms: number): Promise<void> {
  const urls = Object.values(stack.manifest.emulators.rpc);
  const faults = [
    { match: "eth_getLogs", kind: "status", status: 503, count: null },
    { match: "eth_getTransactionReceipt", kind: "status", status: 429, count: 40 },
  ];
  const set = (value: unknown) =>
    Promise.all(urls.map((url) => sendRequest(`${url}/__control`, { body: { faults: value } })));
  await set(faults);
  await new Promise((resolve) => setTimeout(resolve, ms));
  await set([]);
}
