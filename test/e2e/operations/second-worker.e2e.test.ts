import { randomBytes } from "node:crypto";
import { encodeFunctionData, erc20Abi } from "viem";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { requestsTo, sendRequest } from "../../../scripts/smoke/http-request.ts";
import { Api } from "../../support/e2e/api.ts";
import {
  chainOf,
  mined,
  newUser,
  sendCall,
  tokenOn,
  vaultNamed,
  vaultsFor,
} from "../../support/e2e/chain.ts";
import { amounts, bodyFor, depositAndCheck } from "../../support/e2e/deposit.ts";
import { rpcEmulator } from "../../support/e2e/faults.ts";
import { problemOf } from "../../support/e2e/http.ts";
import { type SecondWorker, startWorker } from "../../support/e2e/worker.ts";
import { type RpcProxy, rejectMethods, startRpcProxy } from "../../support/rpc-proxy.ts";

const nothing = () => null;
const prefix = `e2e-${randomBytes(4).toString("hex")}`;
const proxies = new Map<number, RpcProxy>();
let worker: SecondWorker;
/** Started anew by whoever needs an isolate that remembers nothing. */
let spare: SecondWorker;
let api: Api;

/** The node of a chain as the second Worker sees it. */
function node(chainId: number): RpcProxy {
  const proxy = proxies.get(chainId);
  if (proxy === undefined) throw new Error(`no proxy for chain ${chainId}`);
  return proxy;
}

beforeAll(async () => {
  for (const chainId of [31337, 31338]) {
    proxies.set(chainId, await startRpcProxy(rpcEmulator(chainId), rejectMethods("eth_simulateV1")));
  }
  const rpc = Object.fromEntries([...proxies].map(([chainId, { url }]) => [chainId, url]));
  [worker, spare] = await Promise.all([startWorker({ rpc, redisPrefix: prefix }), startWorker({})]);
  api = new Api(worker.origin);
});

afterAll(async () => {
  await worker?.close();
  await spare?.close();
  for (const proxy of proxies.values()) await proxy.close();
});

describe("simulation on nodes without eth_simulateV1", () => {
  test.each(vaultsFor("honest", "caller", "fee_on_transfer"))(
    "$chain_id: $name: the deposit is simulated all the same, and keeps its promise",
    async (vault) => {
      const user = await newUser(chainOf(vault.chain_id), {
        [vault.asset_symbol]: amounts[vault.asset_symbol],
      });
      const body = bodyFor(vault, { user: user.address });
      const main = await new Api().build(body);
      const { built } = await depositAndCheck(api, { vault, user, style: "approval", body });
      expect(built.estimate).toEqual(main.estimate);
      const [own = 0n, native = 0n] = [built, main].map(({ simulation }) => BigInt(simulation.gas_used));
      expect(own).toBeGreaterThanOrEqual(native);
      expect(own).toBeLessThan(native + 180_000n);
    },
  );

  test("simulates native deposits", async () => {
    const vault = vaultNamed("Remote WETH");
    const user = await newUser(chainOf(vault.chain_id));
    const from_token = "0x0000000000000000000000000000000000000000";
    const body = { ...bodyFor(vault, { user: user.address }), from_token };
    await depositAndCheck(api, { vault, user, style: "calls", body });
  });

  test("builds for a user without balance", async () => {
    for (const vault of vaultsFor("honest")) {
      const user = await newUser(chainOf(vault.chain_id));
      const { simulation } = await api.build(bodyFor(vault, { user: user.address }));
      expect(simulation, vault.name).toMatchObject({ balance_sufficient: false });
    }
  });

  test("probes for eth_simulateV1 once, not at every build", async () => {
    const vault = vaultNamed("Plain USDC");
    const user = await newUser(chainOf(31337), { USDC: amounts.USDC });
    await api.build(bodyFor(vault, { user: user.address }));
    const before = node(31337).asked.get("eth_simulateV1");
    for (let index = 0; index < 3; index += 1) await api.build(bodyFor(vault, { user: user.address }));
    expect(node(31337).asked.get("eth_simulateV1")).toBe(before);
  });

  test("refuses the same deposits as other nodes", async () => {
    const user = `0x${"12".repeat(20)}` as const;
    for (const [name, code] of [
      ["Full USDC", "above_maximum"],
      ["Dust WETH", "zero_shares"],
      ["Inflated USDC", "price_unsafe"],
    ] as const) {
      expect(await api.refusal(bodyFor(vaultNamed(name), { user }))).toMatchObject({ code });
    }
  });
});

describe("nodes without any simulation", () => {
  const vault = vaultNamed("Plain USDC");
  const chain = chainOf(31337);
  const noOverrides = (call: { method: string; params: unknown[] }) =>
    rejectMethods("eth_simulateV1")({ ...call, id: 1 }) ??
    (call.method === "eth_call" && call.params.length > 2
      ? { code: -32602, message: "too many arguments, want at most 2" }
      : null);

  test("answers 503 for a user without balance", async () => {
    node(31337).refuse = noOverrides;
    const user = await newUser(chain);
    const answer = await api.send("/v1/quote/build", { body: bodyFor(vault, { user: user.address }) });
    expect(problemOf(answer)).toMatchObject({ status: 503, code: "simulation_unavailable" });
  });

  test("builds with eth_call when balance and allowance suffice", async () => {
    node(31337).refuse = noOverrides;
    const user = await newUser(chain, { USDC: amounts.USDC });
    const args = [chain.info.contracts.deposit_router, amounts.USDC] as const;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
    await mined(chain, await sendCall(user, { to: tokenOn(chain, "USDC"), data }));
    const body = bodyFor(vault, { user: user.address });
    await depositAndCheck(api, { vault, user, style: "calls", body });
    node(31337).refuse = rejectMethods("eth_simulateV1");
  });
});

describe("a chain that stops responding", () => {
  const vault = vaultNamed("Plain WBTC");
  const gone = () => ({ code: -32000, message: "internal" });

  test("shows vaults with nulls and no positions in a new isolate", async () => {
    node(31338).refuse = gone;
    await spare.restart({
      rpc: { 31337: node(31337).url, 31338: node(31338).url },
      redisPrefix: `${prefix}-fresh`,
    });
    try {
      const other = new Api(spare.origin);
      const detail = await other.vault(vaultNamed("Remote USDC").vault_id);
      expect(detail).toMatchObject({
        total_assets: null,
        total_supply: null,
        share_price: null,
        max_deposit: null,
        read_at: null,
      });
      expect((await other.vaults("?limit=500")).length).toBeGreaterThan(20);
      const { chains } = await other.positions(`0x${"12".repeat(20)}`);
      expect(chains.map(({ ok }) => ok)).toEqual([true, false]);
    } finally {
      node(31338).refuse = rejectMethods("eth_simulateV1");
    }
  });

  test("serves values older than a minute as stale", async () => {
    const before = await api.vault(vault.vault_id);
    await age(`${prefix}:cache:vault:${vault.vault_id}`, 120_000);
    node(31337).refuse = gone;
    const rpc = { 31337: node(31337).url, 31338: node(31338).url };
    await spare.restart({ rpc, redisPrefix: prefix });
    try {
      const { deposit_router: _, external_router: __, ...last } = { ...before, stale: true };
      expect(await new Api(spare.origin).vault(vault.vault_id)).toMatchObject(last);
    } finally {
      node(31337).refuse = rejectMethods("eth_simulateV1");
    }
  });
});

describe("many concurrent callers", () => {
  test("do not hang in a new isolate", async () => {
    await spare.restart({ redisPrefix: `${prefix}-burst` });
    const user = `0x${"12".repeat(20)}` as const;
    const vaults = vaultsFor("honest");
    const reads = vaults.map(({ vault_id }) => `/v1/vaults/${vault_id}`);
    const lists = ["/v1/vaults", "/v1/chains", `/v1/positions/${user}`, "/v1/vaults?limit=3"];
    const asked = [...reads, ...lists, ...reads, ...lists].map((path) =>
      sendRequest(`${spare.origin}${path}`),
    );
    const built = vaults.map((vault) =>
      sendRequest(`${spare.origin}/v1/quote/build`, { body: bodyFor(vault, { user }) }),
    );
    const answers = await Promise.all([...asked, ...built]);
    expect(answers.filter(({ status }) => status !== 200).map(({ text }) => text)).toEqual([]);
  });

  test("share one reload of a stale value", async () => {
    node(31337).refuse = nothing;
    const vault = vaultNamed("Fine USDC");
    const before = total(node(31337));
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => api.send(`/v1/vaults/${vault.vault_id}`)),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(total(node(31337)) - before).toBeLessThanOrEqual(2);
    expect(answers.reduce((sum, answer) => sum + requestsTo(answer, "rpc"), 0)).toBeLessThanOrEqual(2);
  });
});

const total = (proxy: RpcProxy): number => [...proxy.asked.values()].reduce((sum, count) => sum + count, 0);

/** Makes a cached value look as if it had been stored earlier. */
async function age(key: string, ms: number): Promise<void> {
  const { emulators, redis_token: token } = inject("stack");
  const command = async (...parts: string[]) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await sendRequest(emulators.upstash, { body: parts, headers })).json as { result: string | null };
  };
  // The Worker stores it after its response.
  const stored = async () => (await command("GET", key)).result;
  await expect.poll(stored).not.toBeNull();
  const record = JSON.parse((await stored()) ?? "") as { t: number };
  await command("SET", key, JSON.stringify({ ...record, t: record.t - ms }));
}
