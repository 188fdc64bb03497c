import { erc4626Abi } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { CHAIN_ID } from "../../scripts/bench/vault-row.ts";
import { dollars, type Scenarios, startScenarios } from "../support/signals/scenario.ts";

const HOUR = 3_600;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;
/** The last full minute: nothing lies ahead of the wall clock. */
const NOW = Math.floor(Date.now() / 60_000) * 60 - 60;
/**
 * When snapshots are taken, seconds ago, and what the vault earned since the one before, dollars. No hour in which one is
 * taken reaches the age of a rate while the tests run.
 */
const READINGS = [
  [31 * DAY, 0],
  [30 * DAY + 2 * HOUR, 150],
  [29 * DAY, 170],
  [15 * DAY, 2_100],
  [8 * DAY, 1_400],
  [7 * DAY + HOUR, 150],
  [6 * DAY, 320],
  [26 * HOUR, 900],
  [25 * HOUR, 11],
  [22 * HOUR, 37],
  [0, 260],
] as const;

let world: Scenarios;
/** What was read when, from the chain's own state at that block: the parts of a share price. */
let read: { seconds: number; block: bigint }[];

beforeAll(async () => {
  world = await startScenarios(NOW - 32 * DAY);
  await world.add(["Grower", "Young"]);
  read = [];
  for (const [ago, earned] of READINGS) {
    if (earned > 0) await world.act("Grower", { name: "gain", args: [dollars(earned)] });
    await world.note(NOW - ago);
    read.push({ seconds: NOW - ago, block: await world.chain.node.getBlockNumber() });
  }
});
afterAll(() => world?.close());

/** Assets per share at a block, by what the vault holds and has given out; one of each is virtual. */
async function priceAt(block: bigint): Promise<number> {
  const at = { address: world.addressOf("Grower"), abi: erc4626Abi, blockNumber: block } as const;
  const assets = await world.chain.node.readContract({ ...at, functionName: "totalAssets" });
  const supply = await world.chain.node.readContract({ ...at, functionName: "totalSupply" });
  return Number(((assets + 1n) * 10n ** 15n) / (supply + 1n)) / 1e15;
}

/** The yearly rate since the newest reading in an hour that began so long ago; by logarithms, not powers. */
async function rateOver(age: number): Promise<number> {
  const clock = Date.now() / 1000;
  const before = read.findLast(({ seconds }) => Math.floor(seconds / HOUR) * HOUR <= clock - age);
  const last = read.at(-1);
  if (before === undefined || last === undefined) throw new RangeError("too young");
  const growth = Math.log(await priceAt(last.block)) - Math.log(await priceAt(before.block));
  return Math.expm1((growth * YEAR) / (last.seconds - before.seconds));
}

test("yields of 1, 7 and 30 days match those computed from the chain", async () => {
  const isolate = world.causeway.isolate({ REDIS_KEY_PREFIX: "apy" });
  const id = `${CHAIN_ID}:${world.addressOf("Grower").toLowerCase()}`;
  const Rates = z.object({ apy_1d: z.number(), apy_7d: z.number(), apy_30d: z.number() });
  const told = Rates.parse(await (await isolate.send(`/v1/vaults/${id}`)).json());
  const expected = {
    apy_1d: await rateOver(DAY),
    apy_7d: await rateOver(7 * DAY),
    apy_30d: await rateOver(30 * DAY),
  };
  for (const [name, rate] of Object.entries(expected)) {
    expect(rate, name).toBeGreaterThan(0.01);
    expect(Math.abs(told[name as keyof typeof told] - rate), name).toBeLessThan(2e-6);
  }
  const Points = z.object({ points: z.array(z.object({ value: z.string().nullable() })) });
  const history = await isolate.send(`/v1/vaults/${id}/history?metric=apy&interval=1h&from=31d`);
  const { points } = Points.parse(await history.json());
  // Its own rule: the price that is at least a week old by the blocks' times.
  const [last, before] = [read.at(-1), read.findLast(({ seconds }) => NOW - seconds >= 7 * DAY)];
  const growth = Math.log((await priceAt(last?.block ?? 0n)) / (await priceAt(before?.block ?? 0n)));
  const weekly = Math.expm1((growth * YEAR) / (NOW - (before?.seconds ?? NOW)));
  expect(Math.abs(Number(points.at(-1)?.value) - weekly)).toBeLessThan(2e-6);
});

test("a share price that never changed has a yield of zero, not null", async () => {
  const isolate = world.causeway.isolate({ REDIS_KEY_PREFIX: "young" });
  const id = `${CHAIN_ID}:${world.addressOf("Young").toLowerCase()}`;
  const told = await (await isolate.send(`/v1/vaults/${id}`)).json();
  expect(told).toMatchObject({ apy_1d: 0, apy_7d: 0, apy_30d: 0 });
});
