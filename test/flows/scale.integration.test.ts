import { sql as raw } from "drizzle-orm";
import { type Address, encodeFunctionData } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sumFlows } from "../../src/db/queries/flow-sums.ts";
import { flows } from "../../src/db/schema/flows.ts";
import { vaults } from "../../src/db/schema.ts";
import { indexFully } from "../../src/flows/index-fully.ts";
import { send, startChain, type TestChain } from "../chains/simulator/chain.ts";
import { type Deployment, startDeployment } from "../partners/support/deployment.ts";
import { deployEmitters, emitterAbi } from "./support/emitters.ts";
import { CHAIN_ID, vaultRow } from "./support/vaults.ts";

/** 200,000 under `npm run stress`. */
const EVENTS = Number(process.env["FLOW_EVENTS"] ?? "4000");
const VAULTS = 50;
const EACH = 200;
const USERS = 40;
let chain: TestChain;
let causeway: Deployment;
let emitters: Address[];

beforeAll(async () => {
  chain = await startChain("--chain-id", `${CHAIN_ID}`, "--gas-limit", "300000000");
  const databaseUrl = process.env["TEST_DATABASE_URL"];
  const real = databaseUrl === undefined ? {} : { databaseUrl };
  causeway = await startDeployment({ chainIds: [CHAIN_ID], ...real });
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

test(`${EVENTS} events over ${VAULTS} vaults sum up to what an independent count gives`, {
  timeout: 10_800_000,
}, async () => {
  const startedAt = performance.now();
  await indexFully(causeway.context(), { chainId: CHAIN_ID, from: null, onProgress: () => undefined });
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(`${EVENTS} events in ${seconds.toFixed(1)} s, ${Math.round(EVENTS / seconds)} events/s`);
  const expected = await recountSums();
  const users = new Set([...expected.keys()].map((key) => key.split(" ")[0] ?? ""));
  const stored = new Map<string, bigint>();
  for (const user of users) {
    const [own] = await sumFlows(causeway.context().db, { user, chainIds: [CHAIN_ID] });
    for (const [vault, sum] of Object.entries(own?.sums ?? {}))
      stored.set(`${user} ${vault}`, BigInt(sum ?? "-1"));
  }
  expect([...stored].sort()).toEqual([...expected].sort());
});

test("the sums of a wallet with 100 positions and 10,000 flows are one statement, read from the index alone", async () => {
  const user = "0x00000000000000000000000000000000000b0b0b";
  await causeway.db.execute(raw`insert into ${flows} (chain_id, tx_hash, log_index, vault_address, user_address, kind,
      assets, shares, block_number, block_hash, final)
    select ${CHAIN_ID}::int4, 'x' || n, n, 'vault' || (n % 100), ${user}, 'deposit', n, n, 1, '0x', true
    from generate_series(1, 10000) as n`);
  await causeway.db.execute(raw`insert into ${flows} (chain_id, tx_hash, log_index, vault_address, user_address, kind,
      assets, shares, block_number, block_hash, final)
    select ${CHAIN_ID}::int4, 'y' || n, n, 'vault' || (n % 100), 'other' || (n % 500), 'deposit', n, n, 1, '0x', true
    from generate_series(1, 100000) as n`);
  await causeway.db.execute(raw`vacuum analyze ${flows}`);
  const ctx = causeway.context();
  await sumFlows(ctx.db, { user, chainIds: [CHAIN_ID] });
  expect(ctx.timing.requests("db")).toBe(1);
  const plan = await causeway.db.execute(raw`explain (analyze, format json) select chain_id, vault_address,
    case when count(assets) = count(*) then sum(assets) end from ${flows}
    where user_address = ${user} and chain_id = any(array[${CHAIN_ID}]::int4[]) group by chain_id, vault_address`);
  const text = JSON.stringify(plan.rows);
  console.log(/"Execution Time": ?[\d.]+/.exec(text)?.[0]);
  expect(text).toContain("Index Only Scan");
});
