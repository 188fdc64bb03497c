import { z } from "zod";
import type { StackManifest } from "../stack/manifest.ts";
import { median, percentile, timed } from "./statistics.ts";
import { ms, type Row } from "./table.ts";

const SYSTEMS = ["rpc", "db", "redis"] as const;
const BUILDS = 60;
const TOGETHER = 8;
const Built = z.object({ tracking_id: z.string(), calls: z.array(z.unknown()) });

interface Route {
  name: string;
  path: string;
  body?: unknown;
}

export const routeColumns = ["first: rpc", "db", "redis", "again: rpc", "db", "redis"] as const;
export const buildColumns = ["median", "95th", `per second, by ${TOGETHER}`] as const;

/** Requests to each outside system, by `Server-Timing`: on the first call in an isolate, and once it is warm. */
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
  const native = { ...bodyFor(stack, "Solid WETH"), from_token: `0x${"0".repeat(40)}` };
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
      name: "GET /v1/status, unknown hash",
      path: `/v1/status?tx_hash=0x${"1".repeat(64)}&from_chain_id=31337`,
    },
    { name: "GET /v1/deposits", path: `/v1/deposits?user_address=${vault.user_address}` },
  ];
}

function bodyFor(stack: StackManifest, name: string) {
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

async function call(origin: string, { path, body }: Route): Promise<Response> {
  const headers = { "content-type": "application/json" };
  const init = body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetch(`${origin}${path}`, init);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
}

async function requestsOf(origin: string, route: Route): Promise<string[]> {
  const response = await call(origin, route);
  await response.arrayBuffer();
  const header = response.headers.get("server-timing") ?? "";
  const count = (system: string) => new RegExp(`${system};dur=\\d+;desc="(\\d+)"`).exec(header)?.[1] ?? "0";
  return SYSTEMS.map(count);
}

/** How long a warm build takes, alone and with others. */
export async function benchBuild(origin: string, stack: StackManifest): Promise<Row[]> {
  const rows: Row[] = [];
  for (const name of ["Plain USDC", "Local Prime USDC", "Toll FEE"]) {
    const route = { name, path: "/v1/quote/build", body: bodyFor(stack, name) };
    const build = async () => Built.parse(await (await call(origin, route)).json());
    for (let warm = 0; warm < 5; warm += 1) await build();
    const alone: number[] = [];
    for (let index = 0; index < BUILDS; index += 1) alone.push((await timed(build)).ms);
    const together = await timed(() => inParallel(TOGETHER, { count: BUILDS * 2, work: build }));
    const perSecond = (BUILDS * 2 * 1000) / together.ms;
    rows.push({
      name: `build into ${name}`,
      values: [ms(median(alone)), ms(percentile(alone, 0.95)), perSecond.toFixed(0)],
    });
  }
  return rows;
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
