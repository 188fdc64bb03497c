import { asc, eq } from "drizzle-orm";
import { type Address, numberToHex } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { deployEmitters, emitDeposit, readFlowsFromChain } from "../../scripts/bench/flow-emitters.ts";
import { CHAIN_ID, vaultRow } from "../../scripts/bench/vault-row.ts";
import { type ScratchChain, startScratchChain } from "../../scripts/stack/chains/scratch-chain.ts";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import { readCodeAt } from "../../src/chains/code-at-block.ts";
import { type FlowRow, selectFailingChains } from "../../src/db/queries/flow-queries.ts";
import { selectUserFlows } from "../../src/db/queries/user-flow-queries.ts";
import { flowCoverage, flowStarts, flows, flowTips } from "../../src/db/tables/flow-tables.ts";
import { vaults } from "../../src/db/tables/vault-tables.ts";
import { backfillFromMessage } from "../../src/flows/backfill-flows.ts";
import { storeOf } from "../../src/flows/flow-store.ts";
import { indexChain } from "../../src/flows/index-flows.ts";
import { reindexChain } from "../../src/flows/reindex-chain.ts";
import { randomOf } from "../support/flows/random.ts";
import { type RpcProxy, startRpcProxy } from "../support/rpc-proxy.ts";

const USER: Address = "0x00000000000000000000000000000000000a0001";
const OTHER: Address = "0x00000000000000000000000000000000000a0002";
let chain: ScratchChain;
let node: RpcProxy;
let causeway: TestDeployment;
let emitters: Address[];

beforeAll(async () => {
  chain = await startScratchChain("--chain-id", `${CHAIN_ID}`);
  node = await startRpcProxy(chain.node.transport["url"] ?? "", () => null);
  causeway = await startTestDeployment({ chainIds: [CHAIN_ID] });
  await causeway.connectChain(CHAIN_ID, node.url);
  emitters = await deployEmitters(chain, 2);
});
afterAll(async () => {
  await causeway?.close();
  await node?.close();
  await chain?.stop();
});
beforeEach(async () => {
  node.refuse = () => null;
  for (const table of [flows, flowTips, flowCoverage, flowStarts, vaults]) await causeway.db.delete(table);
});

const register = (count = 2, startBlock = 0) =>
  causeway.db
    .insert(vaults)
    .values(emitters.slice(0, count).map((address, number) => vaultRow({ number, address, startBlock })));
const stored = async () =>
  (await causeway.db.select().from(flows).orderBy(asc(flows.blockNumber), asc(flows.logIndex))).map(
    (row) => `${row.blockHash} ${row.txHash} ${row.logIndex} ${row.userAddress} ${row.assets}`,
  );
const index = () => indexChain(causeway.context(), CHAIN_ID);
const sums = async (user = USER) =>
  (await selectUserFlows(causeway.context().db, { user, chainIds: [CHAIN_ID] })).chains[0];
const [first, second] = [() => emitters[0] as Address, () => emitters[1] as Address];

describe("indexChain()", () => {
  test("stores backfill and tip, and newer blocks in the next run", async () => {
    await emitDeposit(chain, { vault: first(), owner: USER, assets: 70n });
    await chain.node.mine({ blocks: 100 });
    await emitDeposit(chain, { vault: second(), owner: USER, assets: 5n });
    await register();
    expect(await index()).toMatchObject({ applied: true, missing: 0 });
    expect(await stored()).toEqual(await readFlowsFromChain(chain, emitters));
    await emitDeposit(chain, { vault: first(), owner: USER, assets: 30n });
    await index();
    const head = Number(await chain.node.getBlockNumber());
    expect(await sums()).toMatchObject({
      indexedFrom: 0,
      indexedTo: head,
      sums: { [first().toLowerCase()]: "100", [second().toLowerCase()]: "5" },
    });
  });

  test("reports no sums for a vault whose history has a gap", async () => {
    await register(1);
    await index();
    await causeway.db.update(flowCoverage).set({ done: [], followedFrom: 20 });
    expect(await sums()).toMatchObject({ indexedFrom: 20, sums: { [first().toLowerCase()]: null } });
    await index();
    expect(await sums()).toMatchObject({ indexedFrom: 0, sums: { [first().toLowerCase()]: "100" } });
  });

  test("backfills a new vault from its start block", async () => {
    await register(1);
    await index();
    await causeway.db.insert(vaults).values(vaultRow({ number: 1, address: second() }));
    expect(await index()).toMatchObject({ missing: 0 });
    expect(await stored()).toEqual(await readFlowsFromChain(chain, emitters));
  });

  test("reads a vault's history again when its flow sources change", async () => {
    await register(1);
    await index();
    await causeway.db.update(flows).set({ assets: "1" });
    await causeway.db.update(vaults).set({ adapter: "metamorpho" });
    await index();
    expect(await stored()).toEqual(await readFlowsFromChain(chain, [first()]));
  });

  test("queues the backfill once, and the consumer finishes it", async () => {
    await register();
    const sent: unknown[] = [];
    const ctx = causeway.context();
    const flowsQueue = { sendBatch: async (messages: readonly unknown[]) => void sent.push(...messages) };
    const queued = { ...ctx, config: { ...ctx.config, flowsQueue } };
    const { missing } = await indexChain(queued, CHAIN_ID);
    await indexChain(queued, CHAIN_ID);
    expect(sent).toEqual([{ body: { chain_id: CHAIN_ID, from: 0, to: missing - 1 } }]);
    const part = { chain_id: CHAIN_ID, from: 0, to: missing - 1 };
    expect(await backfillFromMessage(queued, part)).toMatchObject({ blocks: missing, left: [] });
    expect(await backfillFromMessage(queued, part)).toMatchObject({ blocks: 0, rows: 0, left: [] });
    expect(await stored()).toEqual(await readFlowsFromChain(chain, emitters));
  });

  test("reindexChain() reads everything in one run, and again from a block", async () => {
    await register();
    const seen: number[] = [];
    const all = (from: number | null) =>
      reindexChain(causeway.context(), {
        chainId: CHAIN_ID,
        from,
        onProgress: ({ done }) => seen.push(done),
      });
    await all(null);
    expect(await stored()).toEqual(await readFlowsFromChain(chain, emitters));
    await causeway.db.update(flows).set({ assets: "1" });
    await all(0);
    expect(await stored()).toEqual(await readFlowsFromChain(chain, emitters));
    expect(seen.length).toBeGreaterThan(1);
  });

  test("learns the range that a node accepts, and stores it", async () => {
    await register();
    node.refuse = ({ method, params }) => {
      const { fromBlock, toBlock } = (params[0] ?? {}) as Record<string, string>;
      const tooMany = method === "eth_getLogs" && Number(toBlock) - Number(fromBlock) >= 50;
      return tooMany ? { code: -32602, message: "query exceeds max block range 50" } : null;
    };
    for (let round = 0; round < 4; round += 1) await index();
    expect(await stored()).toEqual(await readFlowsFromChain(chain, emitters));
    const [tip] = await causeway.db.select().from(flowTips);
    expect(tip?.span).toBeLessThanOrEqual(53);
  });
});

describe("indexChain() after a node silently omitted events", () => {
  /** Two deposits, all of it indexed and final, and the first of them lost again. */
  const lose = async () => {
    for (const vault of [first(), second()]) await emitDeposit(chain, { vault, owner: OTHER, assets: 9n });
    await register();
    await chain.node.mine({ blocks: 70 });
    await index();
    const all = await stored();
    const [lost] = await causeway.db.select().from(flows).orderBy(asc(flows.blockNumber)).limit(1);
    await causeway.db.delete(flows).where(eq(flows.txHash, lost?.txHash ?? ""));
    expect(await stored()).toHaveLength(all.length - 1);
    return { all, lost: { ...lost } as FlowRow };
  };

  test("finds omitted final events by the log audit", async () => {
    const { all } = await lose();
    for (let round = 0; round < 160 && (await stored()).length < all.length; round += 1) await index();
    expect(await stored()).toEqual(all);
    expect(await stored()).toEqual(await readFlowsFromChain(chain, emitters));
  });

  test("converts no stored flows in the run that audits the logs, so that failures leave it its requests", async () => {
    await lose();
    await causeway.db.update(flows).set({ assets: null });
    const [open] = await causeway.db.select().from(flows);
    expect(open?.final).toBe(true);
    const block = numberToHex(open?.blockNumber ?? 0);
    let refused = 0;
    node.refuse = ({ method, params: [filter] }) => {
      const { fromBlock, toBlock } = (filter ?? {}) as { fromBlock?: string; toBlock?: string };
      if (method !== "eth_getLogs" || fromBlock !== block || toBlock !== block) return null;
      refused += 1;
      return { code: -32603, message: "internal error" };
    };
    const runs: boolean[] = [];
    for (let round = 0; round < 4; round += 1) {
      refused = 0;
      await index();
      runs.push(refused > 0);
    }
    expect(runs.filter((converting) => !converting)).toHaveLength(1);
  });

  test("does not add them to a vault whose flow sources have changed", async () => {
    const { all, lost } = await lose();
    const store = storeOf(causeway.context().db, CHAIN_ID);
    const { tip, vaults: known } = await store.load();
    const { vaultAddress } = lost;
    const { source = "" } =
      known.find(({ coverage }) => coverage.vaultAddress === vaultAddress)?.coverage ?? {};
    const add = (other: { source?: string; blockNumber?: number; version?: number }) =>
      store.addOmitted({
        chainId: CHAIN_ID,
        version: other.version ?? tip.version,
        vaults: [{ vaultAddress, source: other.source ?? source }],
        rows: [{ ...lost, blockNumber: other.blockNumber ?? lost.blockNumber }],
      });
    expect(await add({ source: "another" })).toBe(0);
    expect(await add({ version: tip.version - 1 })).toBe(0);
    expect(await add({ blockNumber: (tip.finalBlock ?? 0) + 1 })).toBe(0);
    await causeway.db.update(flowCoverage).set({ startBlock: lost.blockNumber + 1 });
    expect(await add({})).toBe(0);
    await causeway.db.update(flowCoverage).set({ startBlock: 0 });
    expect(await add({})).toBe(1);
    expect(await add({})).toBe(0);
    expect(await stored()).toEqual(all);
  });
});

describe("indexChain() with an unknown start block", () => {
  const add = (address: Address, adapter = "erc4626") =>
    causeway.db.insert(vaults).values(vaultRow({ number: 7, address, adapter, startBlock: null }));

  test("finds the start block and backfills from it without delaying other vaults", async () => {
    await register(1);
    await add(second());
    await index();
    expect(await sums()).toMatchObject({ indexedFrom: null, sums: { [first().toLowerCase()]: "100" } });
    expect((await sums())?.sums).not.toHaveProperty(second().toLowerCase());
    for (let round = 0; round < 2; round += 1) await index();
    expect((await sums())?.sums).toMatchObject({ [second().toLowerCase()]: "5" });
  });

  test("bisects by contract code at old blocks", async () => {
    const session = {
      request: (method: string, params: readonly unknown[]) =>
        chain.node.request({ method, params } as never),
    };
    const before = Number(await chain.node.getBlockNumber());
    const [late = USER] = await deployEmitters(chain, 1);
    const addresses = [first(), USER, late];
    expect(await readCodeAt(session, { block: before, addresses })).toEqual([true, false, false]);
    expect(await readCodeAt(session, { block: before + 1, addresses })).toEqual([true, false, true]);
    await expect(readCodeAt(session, { block: before + 9_999, addresses })).rejects.toThrow();
  });

  test("searches again when the contracts change, and in one run by reindexChain()", async () => {
    await add(second());
    await reindexChain(causeway.context(), { chainId: CHAIN_ID, from: null, onProgress: () => undefined });
    expect((await sums())?.sums).toMatchObject({ [second().toLowerCase()]: "5" });
    await causeway.db.update(flowStarts).set({ startBlock: 4_000 });
    await causeway.db.update(vaults).set({ adapter: "metamorpho" });
    await index();
    await index();
    await index();
    expect((await sums())?.sums).toMatchObject({ [second().toLowerCase()]: "5" });
  });
});

describe("indexChain() with failing or contradicting nodes", () => {
  test("keeps stored flows and records the error code", async () => {
    await register();
    await index();
    const before = await stored();
    node.refuse = () => ({ code: -32000, message: "out of order" });
    await expect(index()).rejects.toThrow();
    expect(await stored()).toEqual(before);
    expect(await causeway.db.select({ error: flowTips.error }).from(flowTips)).toEqual([
      { error: "upstream_unavailable" },
    ]);
    node.refuse = () => null;
    await index();
    expect(await causeway.db.select({ error: flowTips.error }).from(flowTips)).toEqual([{ error: null }]);
  });

  test("clears the recorded error of a chain without anything to index", async () => {
    await index();
    await causeway.db.update(flowTips).set({ error: "store_unavailable" });
    await index();
    expect(await selectFailingChains(causeway.context().db)).toEqual(new Set());
  });

  test("refuses a node that is on another fork below the final block", async () => {
    await register();
    await index();
    await causeway.db.update(flowTips).set({ finalHash: `0x${"1".repeat(64)}` });
    const before = await stored();
    await expect(index()).rejects.toMatchObject({ code: "upstream_unavailable" });
    expect(await stored()).toEqual(before);
  });

  test("rewinds to the common ancestor after a deep reorg that every node confirms", async () => {
    await register();
    await chain.node.mine({ blocks: 70 });
    await emitDeposit(chain, { vault: first(), owner: USER, assets: 11n });
    const snapshot = await chain.node.snapshot();
    await emitDeposit(chain, { vault: first(), owner: USER, assets: 13n });
    await chain.node.mine({ blocks: 90 });
    await index();
    await chain.node.revert({ id: snapshot });
    await emitDeposit(chain, { vault: first(), owner: USER, assets: 17n });
    await chain.node.mine({ blocks: 100 });
    await expect(index()).rejects.toMatchObject({ code: "upstream_unavailable" });
    expect((await stored()).some((row) => row.endsWith(" 13"))).toBe(true);
    const [{ final } = { final: null }] = await causeway.db
      .select({ final: flowTips.finalBlock })
      .from(flowTips);
    const ctx = causeway.context();
    const later = { ...ctx, now: () => ctx.now() + 6 * 60_000 };
    // A node that fails while the common ancestor is searched decides nothing.
    const before = await stored();
    node.refuse = ({ method, params: [block] }) =>
      method === "eth_getBlockByNumber" && Number(block) < (final ?? 0)
        ? { code: -32000, message: "out of order" }
        : null;
    await expect(indexChain(later, CHAIN_ID)).rejects.toThrow("out of order");
    expect(await stored()).toEqual(before);
    node.refuse = () => null;
    await expect(indexChain(later, CHAIN_ID)).rejects.toMatchObject({ code: "upstream_unavailable" });
    expect((await stored()).some((row) => row.endsWith(" 11"))).toBe(true);
    expect((await stored()).some((row) => row.endsWith(" 13"))).toBe(false);
    await index();
    expect(await stored()).toEqual(await readFlowsFromChain(chain, emitters));
  });

  test("throws chain_unsupported for a chain that is not served", async () => {
    await expect(indexChain(causeway.context(), 1)).rejects.toMatchObject({ code: "chain_unsupported" });
  });
});

test("indexChain() corrects itself after a hundred real reorgs", async () => {
  const random = randomOf(6);
  await register();
  await chain.node.mine({ blocks: 80 });
  for (let round = 0; round < 100; round += 1) {
    for (let made = random.below(3); made >= 0; made -= 1) {
      const owner = random.once(2) ? USER : first();
      await emitDeposit(chain, { vault: random.pick(emitters), owner, assets: BigInt(1 + random.below(99)) });
    }
    if (random.once(3)) await index();
    const depth = random.once(5) ? 64 : 1 + random.below(64);
    await chain.node.request({ method: "anvil_reorg" as never, params: [depth, []] as never });
    await chain.node.request({ method: "evm_mine", params: [] as never }).catch(() => undefined);
    await index();
    expect(await stored(), `round ${round}, depth ${depth}`).toEqual(
      await readFlowsFromChain(chain, emitters),
    );
  }
  const [tip] = await causeway.db.select().from(flowTips).where(eq(flowTips.chainId, CHAIN_ID));
  expect(numberToHex(tip?.headBlock ?? 0)).toBe(numberToHex(await chain.node.getBlockNumber()));
});
