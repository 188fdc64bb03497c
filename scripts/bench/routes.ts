import { z } from "zod";
import type { StackManifest } from "../stack/manifest.ts";
import { cpuTime } from "./cpu.ts";
import { median, percentile, timed } from "./statistics.ts";
import { ms, type Row } from "./table.ts";
import type { RunningWorker } from "./workers.ts";

const SYSTEMS = ["rpc", "provider", "db", "redis"] as const;
const BUILDS = 60;
const ROUNDS = 5;
/** Maximum processor time of one build in the Worker, in milliseconds. */
const OWN_AIM_MS = 25;
const TOGETHER = 8;
const Built = z.object({ tracking_id: z.string(), calls: z.array(z.unknown()) });

/** A request to the API: by POST if there is a body. */
export interface Route {
  name: string;
  path: string;
  body?: unknown;
}

/** Column titles of the request counts. */
export const routeColumns = [
  "first: rpc",
  "provider",
  "db",
  "redis",
  "again: rpc",
  "provider",
  "db",
  "redis",
] as const;
/** Column titles of the build benchmark. */
export const buildColumns = ["median", "95th", `per second, by ${TOGETHER}`, "own"] as const;

/**
 * Counts the requests of each route to every external system, from `Server-Timing`: of its first request to a Worker
 * that has just started, and of its second. Throws if a request is refused.
 */
export async function benchRoutes(origin: string, stack: StackManifest): Promise<Row[]> {
  const rows: Row[] = [];
  for (const route of routesOf(stack)) {
    const [cold, warm] = [await requestsOf(origin, route), await requestsOf(origin, route)];
    rows.push({ name: route.name, values: [...cold, ...warm] });
  }
  return rows;
}

function routesOf(stack: StackManifest): Route[] {
  const [vault, fee] = [bodyFor(stack, "Plain USDC"), bodyFor(stack, "Toll FEE")];
  const native = nativeInto(stack, "Solid WETH");
  const path = "/v1/quote/build";
  return [
    { name: "GET /v1/vaults", path: "/v1/vaults" },
    { name: "GET /v1/vaults/{id}", path: `/v1/vaults/${vault.vault_id}` },
    { name: "GET /v1/chains", path: "/v1/chains" },
    { name: "GET /v1/positions/{user}, two chains", path: `/v1/positions/${vault.user_address}` },
    { name: "POST /v1/quote", path: "/v1/quote", body: vault },
    { name: "POST /v1/quote/build", path, body: vault },
    { name: "POST /v1/quote/build, native", path, body: native },
    { name: "POST /v1/quote/build, fee on transfer", path, body: fee },
    {
      name: "POST /v1/quote/build, vault that settles later",
      path,
      body: bodyFor(stack, "Lagoon Later USDC"),
    },
    { name: "POST /v1/quote/build, swap", path, body: swapInto(stack, "Plain USDC") },
    { name: "POST /v1/quote/build, across chains", path, body: fromElsewhere(stack, "Remote Prime USDC") },
    { name: "POST /v1/quote/build, across chains, two", path, body: fromElsewhere(stack, "Members USDC") },
    {
      name: "GET /v1/status, unknown hash",
      path: `/v1/status?tx_hash=0x${"1".repeat(64)}&from_chain_id=31337`,
    },
    { name: "GET /v1/deposits", path: `/v1/deposits?user_address=${vault.user_address}` },
  ];
}

/** Returns the body of a deposit of one whole token by the stack's first account. Throws if there is no such vault. */
export function bodyFor(stack: StackManifest, name: string) {
  const vault = stack.vaults.find((one) => one.name === name);
  const chain = stack.chains.find(({ chain_id }) => chain_id === vault?.chain_id);
  const account = stack.accounts[0];
  if (vault === undefined || chain === undefined || account === undefined)
    throw new Error(`no vault ${name}`);
  const token = chain.contracts.tokens[vault.asset_symbol];
  return {
    from_chain_id: chain.chain_id,
    from_token: token.address,
    from_amount: String(10n ** BigInt(token.decimals)),
    vault_id: vault.vault_id,
    user_address: account.address,
  };
}

/** Sends a request past all caches. Throws if it is refused. */
export async function callRoute(origin: string, { path, body }: Route): Promise<Response> {
  const headers = { "content-type": "application/json" };
  // What caches may keep has no Server-Timing; they do not keep what was asked with an Authorization header.
  const uncached = { headers: { authorization: "Bearer none" } };
  const init = body === undefined ? uncached : { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetch(`${origin}${path}`, init);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
}

/** Sends a request and returns how many it made to each external system, in the order of `routeColumns`. */
export async function requestsOf(origin: string, route: Route): Promise<string[]> {
  const response = await callRoute(origin, route);
  await response.arrayBuffer();
  const header = response.headers.get("server-timing") ?? "";
  const count = (system: string) => new RegExp(`${system};dur=\\d+;desc="(\\d+)"`).exec(header)?.[1] ?? "0";
  return SYSTEMS.map(count);
}

/**
 * Measures builds with a warm cache, alone and in parallel, and the Worker's processor time per build (empty without
 * /proc), which does not depend on other systems or the machine's load.
 */
export async function benchBuild(worker: RunningWorker, stack: StackManifest): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, body] of buildsOf(stack)) {
    const route = { name, path: "/v1/quote/build", body };
    const build = async () => Built.parse(await (await callRoute(worker.origin, route)).json());
    for (let warm = 0; warm < 5; warm += 1) await build();
    const alone: number[] = [];
    const own: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = cpuTime(worker.pid);
      for (let index = 0; index < BUILDS / ROUNDS; index += 1) alone.push((await timed(build)).ms);
      const after = cpuTime(worker.pid);
      if (before !== null && after !== null) own.push(((after - before) * ROUNDS) / BUILDS);
    }
    const together = await timed(() => inParallel(TOGETHER, { count: BUILDS * 2, work: build }));
    const perSecond = (BUILDS * 2 * 1000) / together.ms;
    const [middle, late] = [ms(median(alone)), ms(percentile(alone, 0.95))];
    const spent = own.length === 0 ? Number.NaN : median(own);
    rows.push({
      name,
      values: [middle, late, perSecond.toFixed(0), Number.isNaN(spent) ? "" : ms(spent)],
      ...(Number.isNaN(spent) ? {} : { aim: `own <= ${OWN_AIM_MS} ms`, reached: spent <= OWN_AIM_MS }),
    });
  }
  return rows;
}

/** Sends one build, and throws unless it succeeds. */
export async function sendBuild({ origin }: Pick<RunningWorker, "origin">, body: unknown): Promise<void> {
  Built.parse(await (await callRoute(origin, { name: "build", path: "/v1/quote/build", body })).json());
}

/**
 * Returns one build of each kind, as its name and its request body: direct, by a swap on one chain, and across chains.
 */
export function kindsOfBuild(stack: StackManifest): [string, unknown][] {
  return [
    ["direct", bodyFor(stack, "Plain USDC")],
    ["by a swap", swapInto(stack, "Plain USDC")],
    ["across chains", fromElsewhere(stack, "Remote Prime USDC")],
  ];
}

/** Returns the measured builds: direct deposits, swaps, and one-step and two-step deposits from the other chain. */
function buildsOf(stack: StackManifest): [string, unknown][] {
  const direct = ["Plain USDC", "Local Prime USDC", "Toll FEE", "Lagoon Later USDC"].map(
    (name): [string, unknown] => [`build into ${name}`, bodyFor(stack, name)],
  );
  return [
    ...direct,
    ["build into Solid WETH from native", nativeInto(stack, "Solid WETH")],
    ["build into Plain USDC by a swap", swapInto(stack, "Plain USDC")],
    ["build across chains, one transaction", fromElsewhere(stack, "Remote Prime USDC")],
    ["build across chains, two", fromElsewhere(stack, "Members USDC")],
  ];
}

const NATIVE = `0x${"0".repeat(40)}`;

const nativeInto = (stack: StackManifest, name: string) => ({ ...bodyFor(stack, name), from_token: NATIVE });

/** A build request that swaps a tenth of the chain's native token into the vault's asset. */
const swapInto = (stack: StackManifest, name: string) => ({
  ...nativeInto(stack, name),
  from_amount: String(10n ** 17n),
});

/** A build request that pays 100 USDC on the chain that does not hold the vault. */
function fromElsewhere(stack: StackManifest, name: string) {
  const body = bodyFor(stack, name);
  const other = stack.chains.find(({ chain_id }) => chain_id !== body.from_chain_id);
  if (other === undefined) throw new Error("the stack has one chain only");
  const token = other.contracts.tokens.USDC.address;
  return { ...body, from_chain_id: other.chain_id, from_token: token, from_amount: "100000000" };
}

async function inParallel(
  lanes: number,
  job: { count: number; work: () => Promise<unknown> },
): Promise<void> {
  let left = job.count;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await job.work();
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
