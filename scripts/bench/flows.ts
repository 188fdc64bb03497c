import { fork } from "node:child_process";
import { join } from "node:path";
import { sql as raw } from "drizzle-orm";
import { type Address, encodeFunctionData } from "viem";
import { vaults } from "../../src/db/tables/vault-tables.ts";
import { withRealPostgres } from "../db/real-postgres.ts";
import { type ScratchChain, send, startScratchChain } from "../stack/chains/scratch-chain.ts";
import { startTestDeployment, type TestDeployment } from "../stack/test-deployment.ts";
import { deployEmitters, emitterAbi } from "./flow-emitters.ts";
import type { IndexInput, IndexReport } from "./index-flows.ts";
import { runPonder } from "./ponder.ts";
import { type Row, ratio } from "./table.ts";
import { CHAIN_ID, vaultRow } from "./vault-row.ts";

const VAULTS = 50;
const EACH = 200;
const USERS = 40;
const MAX_HEAP_MB = 60;

/** Column titles of the flows benchmark. */
export const flowColumns = ["events/s", "seconds", "against ours"] as const;

/**
 * Compares the flows indexer with Ponder: both index the same `events` events into schemas of the same Postgres. Also
 * measures the indexer's heap. Without a comparison if Ponder cannot be installed. Throws if not every event is stored.
 */
export function benchFlows(events: number): Promise<Row[]> {
  return withRealPostgres(async (databaseUrl) => {
    const chain = await startScratchChain("--chain-id", `${CHAIN_ID}`, "--gas-limit", "300000000");
    try {
      const emitters = await deployEmitters(chain, VAULTS);
      await emit(chain, { emitters, events });
      const ours = await indexOurs(databaseUrl, { chain, emitters });
      const theirs = await runPonder({
        databaseUrl,
        chainId: CHAIN_ID,
        node: nodeOf(chain),
        vaults: emitters,
        abi: emitterAbi.filter(({ type }) => type === "event"),
        events,
      });
      return toRows({ events, ours, theirs });
    } finally {
      await chain.stop();
    }
  });
}

const nodeOf = (chain: ScratchChain): string => chain.node.transport["url"] ?? "";

async function emit(
  chain: ScratchChain,
  of: { emitters: readonly Address[]; events: number },
): Promise<void> {
  for (let made = 0; made < of.events; made += EACH) {
    const args = [BigInt(Math.min(EACH, of.events - made)), BigInt(USERS), BigInt(made)] as const;
    const data = encodeFunctionData({ abi: emitterAbi, functionName: "many", args });
    const to = of.emitters[(made / EACH) % VAULTS];
    if (to === undefined) throw new Error("there are no vaults");
    await send(chain, { to, data, gas: 20_000_000n });
  }
  await chain.node.mine({ blocks: 70 });
}

async function indexOurs(databaseUrl: string, of: { chain: ScratchChain; emitters: readonly Address[] }) {
  const causeway = await startTestDeployment({ chainIds: [CHAIN_ID], databaseUrl });
  try {
    await causeway.db
      .insert(vaults)
      .values(of.emitters.map((address, number) => vaultRow({ number, address })));
    const variables = variablesOf(causeway, nodeOf(of.chain));
    const all = await inProcess({ variables, chainId: CHAIN_ID, work: "all" });
    const stored = await count(causeway);
    const run = await inProcess({ variables, chainId: CHAIN_ID, work: "run" });
    return { all, run, stored, ofRun: await count(causeway) };
  } finally {
    await causeway.close();
  }
}

async function count({ db }: TestDeployment): Promise<number> {
  const { rows } = await db.execute(raw`select count(*)::int as stored from flows`);
  return Number(rows[0]?.["stored"]);
}

function variablesOf({ hub }: TestDeployment, node: string): Record<string, string> {
  const chain = { chain_id: CHAIN_ID, name: "Bench", key: "bench", rpc_urls: [node] };
  return {
    DATABASE_URL: `postgresql://causeway:causeway@${new URL(hub.neon).host}/causeway`,
    DATABASE_HTTP_URL: `${hub.neon}/sql`,
    UPSTASH_REDIS_REST_URL: hub.upstash,
    UPSTASH_REDIS_REST_TOKEN: "redis-token",
    PUBLIC_URL: "https://causeway.example",
    CHAINS: JSON.stringify([{ ...chain, native: { symbol: "ETH", decimals: 18 } }]),
  };
}

/** Runs the indexer in a separate process, so that its memory can be measured. Throws with its output if it fails. */
function inProcess(input: IndexInput): Promise<IndexReport> {
  const entry = join(import.meta.dirname, "index-flows.ts");
  const child = fork(entry, [], { execArgv: ["--expose-gc"], stdio: ["ignore", "ignore", "inherit", "ipc"] });
  child.send(input);
  return new Promise((resolve, reject) => {
    child.once("message", (message: { report?: IndexReport; error?: string }) =>
      message.report === undefined ? reject(new Error(message.error)) : resolve(message.report),
    );
    child.once("exit", (code) => reject(new Error(`the indexer ended with ${code}`)));
  });
}

function toRows(of: {
  events: number;
  ours: Awaited<ReturnType<typeof indexOurs>>;
  theirs: Awaited<ReturnType<typeof runPonder>>;
}): Row[] {
  const { events, ours, theirs } = of;
  const { all, run, stored, ofRun } = ours;
  if (stored !== events) throw new Error(`${stored} of ${events} events were stored`);
  const speed = (seconds: number): string => (events / seconds).toFixed(0);
  const heap = run.liveMb;
  return [
    {
      name: `ours, ${events} events over ${VAULTS} vaults`,
      values: [speed(all.seconds), all.seconds.toFixed(1), ""],
      ...(theirs === null ? {} : { aim: "ahead of Ponder", reached: all.seconds < theirs.reading }),
    },
    ...(theirs === null
      ? []
      : [
          {
            name: "Ponder, from its first read of the chain",
            values: [speed(theirs.reading), theirs.reading.toFixed(1), ratio(theirs.reading / all.seconds)],
          },
          {
            name: "Ponder, from its start",
            values: [speed(theirs.all), theirs.all.toFixed(1), ratio(theirs.all / all.seconds)],
          },
        ]),
    {
      name: `heap growth of a tick and a message, ${ofRun} events`,
      values: [`${heap.toFixed(1)} MB`, "", ""],
      aim: `<= ${MAX_HEAP_MB} MB`,
      reached: heap <= MAX_HEAP_MB,
    },
    { name: "the same with garbage not collected yet", values: [`${run.usedMb.toFixed(1)} MB`, "", ""] },
  ];
}
