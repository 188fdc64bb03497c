import { eq } from "drizzle-orm";
import type { Address } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ScratchChain } from "../../scripts/stack/chains/scratch-chain.ts";
import { startScratchChain } from "../../scripts/stack/chains/scratch-chain.ts";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import { RpcError } from "../../src/chains/json-rpc.ts";
import type { Context } from "../../src/context.ts";
import { vaultRegisterTips, vaults } from "../../src/db/tables/vault-tables.ts";
import { handleMessages } from "../../src/jobs.ts";
import { DAY_MS } from "../../src/lib/durations.ts";
import { Timing } from "../../src/lib/outside-call-timing.ts";
import { discoverVaults } from "../../src/registry/discover-registry-vaults.ts";
import { deployListRegister, type ListRegister } from "../support/registry/list-register.ts";

const CHAIN = 31337;
/** A served chain without a node. */
const DEAD = 31338;
const MADE: Address = `0x${"a1".repeat(20)}`;
let causeway: TestDeployment;
let chain: ScratchChain;
let factory: ListRegister;

beforeAll(async () => {
  [causeway, chain] = await Promise.all([
    startTestDeployment({ chainIds: [CHAIN, DEAD] }),
    startScratchChain(),
  ]);
  await causeway.connectChain(CHAIN, String(chain.node.transport["url"]));
  factory = await deployListRegister(chain);
  await factory.call("create", [MADE]);
  // A read leaves a factory's newest blocks to the next one.
  await chain.node.mine({ blocks: 128 });
});
afterAll(() => Promise.all([causeway?.close(), chain?.stop()]));

/** A deployment that reads the factory, as the settings name it on these chains, with further variables. */
function isolateOf(chainIds: readonly number[], more: Record<string, unknown> = {}) {
  const known = { address: factory.address, adapter: "morpho_v2", protocol: "Scratch", openness: "anybody" };
  const registers = chainIds.map((chain_id) => ({ chain_id, ...known }));
  return causeway.isolate({ DISCOVERY: JSON.stringify({ registers }), ...more });
}

/** Forgets what was read of the factory and what it named. */
async function reset() {
  await causeway.db.delete(vaultRegisterTips);
  await causeway.db.delete(vaults);
}

const progress = async () => {
  const [tip] = await causeway.db
    .select()
    .from(vaultRegisterTips)
    .where(eq(vaultRegisterTips.chainId, CHAIN));
  return tip;
};

/** Returns the context with a count of `eth_call` requests that run at a numbered block; logs fail if told to. */
function watched(ctx: Context, of: { logsFail: boolean }) {
  const seen = { probes: 0 };
  const client = (chainId: number) => {
    const own = ctx.chains.client(chainId);
    if (own === null) return null;
    const onOneNode: typeof own.onOneNode = (work, turn) =>
      own.onOneNode((node) => {
        const request: typeof node.request = async (method, params) => {
          if (method === "eth_getLogs" && of.logsFail) throw new RpcError("node", "too many requests");
          if (method === "eth_call" && /^0x/.test(String((params as unknown[])[1]))) seen.probes += 1;
          return node.request(method, params);
        };
        return work({ ...node, request });
      }, turn);
    return { ...own, onOneNode };
  };
  return { ctx: { ...ctx, chains: { ...ctx.chains, client } }, seen };
}

test("with a queue, each chain's due registers are read by a message of their own", async () => {
  await reset();
  const queued: unknown[] = [];
  const sendBatch = async (messages: readonly { body: unknown }[]) =>
    void queued.push(...messages.map(({ body }) => body));
  const isolate = isolateOf([CHAIN, DEAD], { FOLLOWING: { sendBatch } });
  expect(await discoverVaults(isolate.context())).toEqual({
    ...{ registers: 0, failed: 0, named: 0, skipped: 0, queued: 2 },
  });
  const own = { kind: "registers", chain_id: CHAIN };
  expect(queued).toEqual([own, { kind: "registers", chain_id: DEAD }]);
  expect(await progress()).toBeUndefined();

  const acknowledged: unknown[] = [];
  const deliver = (body: unknown) => {
    const message = { body, ack: () => acknowledged.push(body), retry: () => undefined };
    return handleMessages({ queue: "causeway-following", messages: [message] }, isolate.context);
  };
  await Promise.all(queued.map(deliver));
  expect(acknowledged).toHaveLength(2);
  expect(await progress()).toMatchObject({ named: 1, error: null });
  const dead = await causeway.db.select().from(vaultRegisterTips).where(eq(vaultRegisterTips.chainId, DEAD));
  expect(dead).toMatchObject([{ error: expect.any(String) }]);
  queued.length = 0;
  expect(await discoverVaults(isolate.context())).toMatchObject({ queued: 0 });
});

test("a run that has used up its requests leaves the registers to the next one", async () => {
  await reset();
  const ctx = isolateOf([CHAIN]).context();
  const timing = new Timing(() => 0);
  for (let count = 0; count < 300; count += 1) await timing.track("rpc", async () => undefined);
  expect(await discoverVaults({ ...ctx, timing })).toMatchObject({ registers: 0, named: 0 });
  expect(await discoverVaults(ctx)).toMatchObject({ registers: 1, named: 1 });
});

test("a register's first block is searched once, although its events cannot be read then", async () => {
  await reset();
  const failing = watched(isolateOf([CHAIN]).context(), { logsFail: true });
  expect(await discoverVaults(failing.ctx)).toMatchObject({ registers: 1, failed: 1, named: 0 });
  expect(failing.seen.probes).toBeGreaterThan(0);
  const found = await progress();
  expect(found).toMatchObject({ readTo: expect.any(Number), error: expect.any(String) });
  const later = { ...isolateOf([CHAIN]).context(), now: () => Date.now() + DAY_MS };
  const { ctx, seen } = watched(later, { logsFail: false });
  expect(await discoverVaults(ctx)).toMatchObject({ registers: 1, failed: 0, named: 1 });
  expect(seen.probes).toBe(0);
});
