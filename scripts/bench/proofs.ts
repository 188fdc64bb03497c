import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Address, encodeDeployData } from "viem";
import { type Context, createContext, createRuntime } from "../../src/context.ts";
import { handleCron, handleMessages } from "../../src/jobs.ts";
import { importClaims, NO_CLAIMS } from "../../src/registry/import-claims.ts";
import { deploy, type ScratchChain, startScratchChain } from "../stack/chains/scratch-chain.ts";
import { startTestDeployment } from "../stack/test-deployment.ts";
import type { Row } from "./table.ts";

/** Chains of the simulation, each with a node of its own, because batches read the chain id from the chain itself. */
const CHAINS = Array.from({ length: 15 }, (_, index) => 31_401 + index);
/** Claims on each chain: 1,410 together. The variable makes a short run of fewer. */
const VAULTS_PER_CHAIN = Number(process.env["BENCH_VAULTS"] ?? 94);
/** Delay of an answer of the nodes, in milliseconds, as of public ones. */
const AWAY_MS = 50;
const MINUTE_MS = 60_000;
/** Maximum duration of a benchmark run, in simulated minutes. */
const MAX_MINUTES = 60;
const MINUTES_PER_DAY = 1_440;
/** Maximum number of subrequests per invocation on the platform (wrangler.toml). */
const MAX_SUBREQUESTS = 1_000;

/** Column titles of the registry benchmark. */
export const proofColumns = ["RPC", "queries", "Redis", "minutes", "time", "most in one run"] as const;

interface Cost {
  rpc: number;
  db: number;
  redis: number;
}

/** Measures the proofs of some 1,400 claimed vaults on 15 chains: the first round of all, and a day at rest. */
export async function benchProofs(): Promise<Row[]> {
  const nodes = await Promise.all(CHAINS.map((chainId) => startScratchChain("--chain-id", String(chainId))));
  const proxy = await startProxy(nodes.map(({ node }) => String(node.transport["url"])));
  const causeway = await startTestDeployment();
  try {
    const [vaults = []] = await Promise.all(nodes.map(deployVaults));
    const chains = CHAINS.map((chainId, index) => ({
      ...{ chain_id: chainId, rpc_urls: [`${proxy.url}/${index}`], name: `Chain ${chainId}` },
      ...{ key: `chain${chainId}`, native: { symbol: "ETH", decimals: 18 } },
    }));
    const minutes = new ProofMinutes({ ...causeway.bindings, CHAINS: JSON.stringify(chains) });
    const claims = CHAINS.flatMap((chainId) =>
      vaults.map((address) => ({ ...NO_CLAIMS, chainId, address, name: "Claimed USDC" })),
    );
    await importClaims(minutes.context(), { claims, list: null, note: "" });
    const first = await minutes.until((proven) => proven >= claims.length);
    const idle = await minutes.until((_, minute) => minute >= 10);
    const perDay = (name: keyof Cost): number =>
      Math.round(first[name] - first.overhead[name] + (idle[name] / 10) * MINUTES_PER_DAY);
    const within = first.most <= MAX_SUBREQUESTS;
    return [
      row(
        `first round of ${claims.length} claims on ${CHAINS.length} chains, nodes ${AWAY_MS} ms away`,
        first,
      ),
      {
        ...row("of these, most requests of one invocation", first),
        aim: `${MAX_SUBREQUESTS}`,
        reached: within,
      },
      row("ten minutes without a proof that is due", idle),
      {
        name: "a day at rest: each proof once, and 1,440 runs",
        values: [perDay("rpc"), perDay("db"), perDay("redis"), MINUTES_PER_DAY, "", ""].map(String),
      },
    ];
  } finally {
    await Promise.all([causeway.close(), proxy.close(), ...nodes.map((node) => node.stop())]);
  }
}

const row = (name: string, cost: Cost & { minutes: number; ms: number; most: number }): Row => ({
  name,
  values: [
    ...[cost.rpc, cost.db, cost.redis, cost.minutes].map(String),
    `${(cost.ms / 1000).toFixed(1)} s`,
    String(cost.most),
  ],
});

/** Deploys vaults of one asset. */
async function deployVaults(chain: ScratchChain): Promise<Address[]> {
  // Imported after the stack has started, because the start compiles its stand-ins.
  const { stackTokenAbi, stackTokenCreationCode } = await import("#stand-ins/standard");
  const { vaultDeployData } = await import("../stack/chains/vault-kinds.ts");
  const args = ["Claimed USDC", "USDC", 6] as const;
  const token = encodeDeployData({ abi: stackTokenAbi, bytecode: stackTokenCreationCode, args });
  const asset = await deploy(chain, token);
  const vaults: Address[] = [];
  for (let count = 0; count < VAULTS_PER_CHAIN; count += 1) {
    const build = { kind: "open_zeppelin", offset: 6 } as const;
    vaults.push(await deploy(chain, vaultDeployData(build, [asset, "Claimed USDC", "claimed"])));
  }
  return vaults;
}

/** Starts a proxy that forwards requests to the node with the number in the path, with additional latency. */
async function startProxy(targets: readonly string[]): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    await new Promise((resolve) => setTimeout(resolve, AWAY_MS));
    const target = targets[Number((request.url ?? "/0").slice(1))] ?? "";
    const headers = { "content-type": "application/json" };
    const answer = await fetch(target, { method: "POST", headers, body });
    response.writeHead(answer.status, headers).end(await answer.text());
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Runs the minutes of a deployment: the cron trigger, then its queue messages, all chains in parallel. */
class ProofMinutes {
  readonly #runtime: ReturnType<typeof createRuntime>;
  #contexts: Context[] = [];
  #queued: unknown[] = [];
  #ahead = 0;
  #proven = 0;

  constructor(bindings: Readonly<Record<string, unknown>>) {
    const sendBatch = async (messages: readonly { body: unknown }[]): Promise<void> => {
      this.#queued.push(...messages.map(({ body }) => body));
    };
    this.#runtime = createRuntime({ ...bindings, FOLLOWING: { sendBatch } });
  }

  /** Creates the context of one invocation, whose requests are counted. */
  context = (): Context => {
    const waitUntil = (promise: Promise<unknown>): void => void promise.catch(() => undefined);
    const made = createContext(this.#runtime, {
      ...{ requestId: crypto.randomUUID(), clientAddress: "unknown", waitUntil },
    });
    const info = (event: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      if (event === "vault_proof" && fields["finding"] === "passed") this.#proven += 1;
    };
    const log = { info, warn: () => undefined, error: () => undefined };
    const context = { ...made, now: () => Date.now() + this.#ahead, log };
    this.#contexts.push(context);
    return context;
  };

  /** Runs minutes until enough vaults are proven or the maximum is reached. Returns their cost. */
  async until(isEnough: (proven: number, minute: number) => boolean) {
    this.#contexts = [];
    const startedAt = performance.now();
    let overhead: Cost = { rpc: 0, db: 0, redis: 0 };
    let minutes = 0;
    while (!isEnough(this.#proven, minutes) && minutes < MAX_MINUTES) {
      const from = this.#contexts.length;
      await handleCron("* * * * *", this.context);
      overhead = add(overhead, costOf(this.#contexts.slice(from)));
      const messages = this.#queued.splice(0).map((body) => ({
        ...{ body, ack: () => undefined, retry: () => undefined },
      }));
      const batches = messages.map((message) =>
        handleMessages({ queue: "bench-following", messages: [message] }, this.context),
      );
      await Promise.all(batches);
      this.#ahead += MINUTE_MS;
      minutes += 1;
    }
    const most = Math.max(
      0,
      ...this.#contexts.map((context) => {
        const { rpc, db, redis } = costOf([context]);
        return rpc + db + redis;
      }),
    );
    return { ...costOf(this.#contexts), overhead, minutes, most, ms: performance.now() - startedAt };
  }
}

const costOf = (contexts: readonly Context[]): Cost =>
  contexts
    .map(({ timing }) => ({
      ...{ rpc: timing.requests("rpc"), db: timing.requests("db"), redis: timing.requests("redis") },
    }))
    .reduce(add, { rpc: 0, db: 0, redis: 0 });

const add = (a: Cost, b: Cost): Cost => ({
  ...{ rpc: a.rpc + b.rpc, db: a.db + b.db, redis: a.redis + b.redis },
});
