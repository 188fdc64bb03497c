import { sql as raw, type SQL } from "drizzle-orm";
import { type Address, encodeFunctionData } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deployEmitters, emitterAbi } from "../../scripts/bench/flow-emitters.ts";
import { CHAIN_ID, vaultRow } from "../../scripts/bench/vault-row.ts";
import { type ScratchChain, send, startScratchChain } from "../../scripts/stack/chains/scratch-chain.ts";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import { loadFlowState } from "../../src/db/queries/flow-queries.ts";
import { selectUserFlows, userFlowsStatement } from "../../src/db/queries/user-flow-queries.ts";
import { flowCoverage, flows } from "../../src/db/tables/flow-tables.ts";
import { vaults } from "../../src/db/tables/vault-tables.ts";
import { reindexChain } from "../../src/flows/reindex-chain.ts";

/** 200,000 under `npm run stress`. */
const EVENTS = Number(process.env["FLOW_EVENTS"] ?? "4000");
/** Flows of other users beside those of the wallet that is looked at. */
const OTHERS = Math.max(EVENTS, 20_000);
const VAULTS = 50;
const EACH = 200;
const USERS = 40;
let chain: ScratchChain;
let causeway: TestDeployment;
let emitters: Address[];

beforeAll(async () => {
  chain = await startScratchChain("--chain-id", `${CHAIN_ID}`, "--gas-limit", "300000000");
  const databaseUrl = process.env["TEST_DATABASE_URL"];
  const real = databaseUrl === undefined ? {} : { databaseUrl };
  causeway = await startTestDeployment({ chainIds: [CHAIN_ID], ...real });
  await causeway.connectChain(CHAIN_ID, chain.node.transport["url"] ?? "");
  emitters = await deployEmitters(chain, VAULTS);
  for (let made = 0; made < EVENTS; made += EACH) {
    const to = emitters[(made / EACH) % VAULTS] as Address;
    const args = [BigInt(EACH), BigInt(USERS), BigInt(made)] as const;
    await send(chain, {
      to,
      data: encodeFunctionData({ abi: emitterAbi, functionName: "many", args }),
      gas: 20_000_000n,
    });
  }
  await chain.node.mine({ blocks: 70 });
  await causeway.db.insert(vaults).values(emitters.map((address, number) => vaultRow({ number, address })));
}, 600_000);
afterAll(async () => {
  await causeway?.close();
  await chain?.stop();
});

/** Counts the chain's own logs again, without any of the code under test. */
async function recountSums(): Promise<Map<string, bigint>> {
  const sums = new Map<string, bigint>();
  for (const address of emitters) {
    const logs = await chain.node.getLogs({
      address,
      events: emitterAbi.filter((item) => item.type === "event"),
      fromBlock: 0n,
    });
    for (const { args, eventName } of logs) {
      const key = `${args.owner?.toLowerCase()} ${address.toLowerCase()}`;
      const assets = args.assets ?? 0n;
      sums.set(key, (sums.get(key) ?? 0n) + (eventName === "Deposit" ? assets : -assets));
    }
  }
  return sums;
}

test(`net flows of ${EVENTS} events over ${VAULTS} vaults equal an independent count`, {
  timeout: 10_800_000,
}, async () => {
  const startedAt = performance.now();
  await reindexChain(causeway.context(), { chainId: CHAIN_ID, from: null, onProgress: () => undefined });
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(`${EVENTS} events in ${seconds.toFixed(1)} s, ${Math.round(EVENTS / seconds)} events/s`);
  const expected = await recountSums();
  const users = new Set([...expected.keys()].map((key) => key.split(" ")[0] ?? ""));
  const stored = new Map<string, bigint>();
  for (const user of users) {
    const [own] = (await selectUserFlows(causeway.context().db, { user, chainIds: [CHAIN_ID] })).chains;
    for (const [vault, sum] of Object.entries(own?.sums ?? {}))
      stored.set(`${user} ${vault}`, BigInt(sum ?? "-1"));
  }
  expect([...stored].sort()).toEqual([...expected].sort());
});

test("selectUserFlows() reads only the wallet's own flows by index, in one statement", async () => {
  const user = "0x00000000000000000000000000000000000b0b0b";
  const rows = Array.from({ length: 100 }, (_, number) => vaultRow({ number: 1_000 + number }));
  await causeway.db.insert(vaults).values(rows);
  const { db } = causeway.context();
  await loadFlowState(db, { chainId: CHAIN_ID, span: 1 });
  await causeway.db.update(flowCoverage).set({ followedFrom: 0 });
  const insert = (of: { owner: SQL; count: number; name: string }) =>
    causeway.db.execute(raw`insert into ${flows} (chain_id, tx_hash, log_index, vault_address, user_address, kind,
        assets, shares, block_number, block_hash, final)
      select ${CHAIN_ID}::int4, ${of.name}::text || n, n, ${vaults.address}, ${of.owner}, 'deposit', n, n, 1, '0x', true
      from generate_series(1, ${of.count}::int4) as n join ${vaults} on ${vaults.name} = 'Vault ' || (1000 + n % 100)`);
  await insert({ owner: raw`${user}`, count: 10_000, name: "x" });
  await insert({ owner: raw`'other' || (n % 1000)`, count: OTHERS, name: "y" });
  await causeway.db.execute(raw`vacuum analyze ${flows}`);
  await causeway.db.execute(raw`vacuum analyze ${flowCoverage}`);
  const ctx = causeway.context();
  const record = await selectUserFlows(ctx.db, { user, chainIds: [CHAIN_ID] });
  expect(ctx.timing.requests("db")).toBe(1);
  const sums = Object.values(record.chains[0]?.sums ?? {});
  expect(sums).toHaveLength(100);
  expect(sums.reduce((sum, own) => sum + BigInt(own ?? "-1"), 0n)).toBe((10_000n * 10_001n) / 2n);
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const plan = await causeway.db.execute(
      raw`explain (analyze, format json) ${userFlowsStatement({ user, chainIds: [CHAIN_ID] })}`,
    );
    const text = JSON.stringify(plan.rows);
    times.push(Number(/"Execution Time": ?([\d.]+)/.exec(text)?.[1]));
    expect(text).toMatch(/"Index Only Scan"[^{}]*"flows_user_amounts"/);
    expect(text).not.toMatch(/"Seq Scan"[^{}]*"Relation Name": ?"flows"/);
  }
  console.log(`a wallet's record, milliseconds in Postgres: ${times.join(", ")}`);
});
