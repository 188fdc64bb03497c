import { afterEach, describe, expect, test } from "vitest";
import type { Relayer } from "../../scripts/stack/emulator/control.ts";
import type { BuiltDeposit, bridgeKeys } from "../../src/schemas/quote.ts";
import type { TransferStatus } from "../../src/schemas/status.ts";
import { Api } from "../harness/api.ts";
import { balanceOf } from "../harness/balances.ts";
import { chainIds, chainOf, mined, tokenOn, vaultNamed } from "../harness/chain.ts";
import { emulators, withFaults } from "../harness/faults.ts";
import { sign } from "../harness/flow.ts";
import { inTurns } from "../harness/in-turns.ts";
import { statusOf } from "./follow.ts";
import {
  type Journey,
  newTraveller,
  PATIENCE,
  type Paid,
  prepare,
  sharesOf,
  signSecond,
  type Traveller,
} from "./transfer.ts";

const api = new Api();
const one = chainOf(chainIds.one);
const two = chainOf(chainIds.two);
const { lifi } = emulators();

async function relayer(settings: Partial<Relayer>): Promise<void> {
  const body = JSON.stringify({ relayer: settings });
  expect((await fetch(`${lifi}/__control`, { method: "POST", body })).status).toBe(200);
}
afterEach(() => fetch(`${lifi}/__control`, { method: "DELETE" }));

interface Way {
  bridge: (typeof bridgeKeys)[number];
  paid: Paid;
  vault: string;
  steps: 1 | 2;
}

interface Trip {
  journey: Journey;
  traveller: Traveller;
  built: BuiltDeposit;
  hash: `0x${string}`;
}

/** Builds over one bridge and signs the first transaction. */
async function start({ bridge, paid, vault: name, steps }: Way): Promise<Trip> {
  const vault = vaultNamed(name);
  const journey: Journey = { from: vault.chain_id === chainIds.one ? two : one, paid, vault };
  const traveller = await newTraveller([one, two]);
  const body = { ...(await prepare(journey, traveller)), preferred_bridge: bridge };
  const built = await api.build(body);
  expect([built.tracking.bridge, built.two_step], `${bridge} from ${paid}`).toEqual([bridge, steps === 2]);
  const hash = await sign(journey.from, { user: traveller.on(journey.from), built, style: "calls" });
  await mined(journey.from, hash);
  return { journey, traveller, built, hash };
}

const ends = ({ vault }: Journey) =>
  vault.chain_id === chainIds.one ? ([two, one] as const) : ([one, two] as const);

/** The status of a trip's first transaction once it is as wanted; nobody reports anything. */
async function until({ journey, hash }: Trip, wanted: object): Promise<TransferStatus> {
  const [from, to] = ends(journey);
  const ask = () => statusOf(hash, from.chainId, to.chainId);
  await expect.poll(ask, { ...PATIENCE, interval: 250 }).toMatchObject(wanted);
  return ask();
}

/** Brings a trip to its shares: by itself, or by the step that the status hands out. */
async function finish(trip: Trip): Promise<bigint> {
  const { journey, traveller, built } = trip;
  const [, to] = ends(journey);
  if (built.two_step) {
    const arrived = await until(trip, { deposit: { state: "awaiting_deposit", next: { kind: "deposit" } } });
    const next = arrived.deposit?.next;
    if (next?.kind !== "deposit") throw new Error("nothing to sign");
    await signSecond(to, { user: traveller.on(to), second: next });
  }
  await until(trip, { status: "DONE", substatus: "COMPLETED" });
  return sharesOf(journey.vault, traveller.address);
}

function expectPromised({ built }: Trip, shares: bigint, perMille = 995n): void {
  const estimated = BigInt(built.estimate.estimated_shares);
  expect(shares * 1_000n).toBeGreaterThanOrEqual(estimated * perMille);
  expect(shares).toBeGreaterThanOrEqual(BigInt(built.estimate.min_shares ?? "1"));
}

test("every bridge but Across stands here over LI.FI alone", async () => {
  const listed = (await api.send("/v1/bridges")).json as { key: string; providers: string[] }[];
  expect(listed.map(({ key, providers }) => `${key}: ${providers.join(" ")}`)).toEqual([
    "across: across lifi",
    "stargate: lifi",
    "stargate_bus: lifi",
    "cctp: lifi",
    "cctp_fast: lifi",
  ]);
});

describe("each bridge brings the money into the vault, and is followed without a report", () => {
  const ways: readonly Way[] = [
    { bridge: "stargate", paid: "USDC", vault: "Remote USDC", steps: 1 },
    { bridge: "stargate", paid: "WBTC", vault: "Plain USDC", steps: 1 },
    { bridge: "stargate", paid: "USDT", vault: "Local Prime USDT", steps: 1 },
    { bridge: "stargate", paid: "USDC", vault: "Members USDC", steps: 2 },
    { bridge: "stargate_bus", paid: "USDT", vault: "Remote USDT", steps: 2 },
    { bridge: "stargate_bus", paid: "ETH", vault: "Plain USDC", steps: 2 },
    { bridge: "cctp", paid: "USDC", vault: "Remote Prime USDC", steps: 2 },
    { bridge: "cctp", paid: "ETH", vault: "Plain USDC", steps: 2 },
    { bridge: "cctp_fast", paid: "USDC", vault: "Plain USDC", steps: 2 },
    { bridge: "cctp_fast", paid: "WETH", vault: "Remote USDC", steps: 2 },
  ];

  test("all of them, on both directions", { timeout: 120_000 }, async () => {
    const work = async (way: Way) => {
      const trip = await start(way);
      expectPromised(trip, await finish(trip));
    };
    await inTurns(ways, { atOnce: 6, work });
  });
});

describe("less than was promised", () => {
  test.each<[string, Partial<Relayer>, bigint]>([
    ["one unit", { mode: "underdeliver", underdeliver: "1" }, 995n],
    ["1 %", { mode: "underdeliver", underdeliver_bps: 100 }, 985n],
  ])("%s less is deposited all the same", async (_, settings, perMille) => {
    await relayer(settings);
    const ways: Way[] = [
      { bridge: "stargate", paid: "USDC", vault: "Remote USDC", steps: 1 },
      { bridge: "stargate", paid: "USDC", vault: "Plain USDC", steps: 1 },
      { bridge: "cctp", paid: "USDC", vault: "Remote USDC", steps: 2 },
    ];
    await inTurns(ways, {
      atOnce: 4,
      work: async (way) => {
        const trip = await start(way);
        expectPromised({ ...trip, built: withoutFloor(trip.built) }, await finish(trip), perMille);
      },
    });
  });

  const withoutFloor = (built: BuiltDeposit): BuiltDeposit =>
    built.two_step ? { ...built, estimate: { ...built.estimate, min_shares: null } } : built;
});

test("native money arrives as such, and its second step is found by the Router's reference", async () => {
  const { lifi: own, across } = emulators();
  const down = { emulators: [across], faults: [{ kind: "status", status: 503 } as const] };
  const lying = { emulators: [own], faults: [{ kind: "hostile", match: "contractCalls" } as const] };
  const way = { bridge: "across", paid: "ETH", vault: "Remote WETH", steps: 2 } as const;
  const trip = await withFaults(down, () => withFaults(lying, () => start(way)));
  expect(trip.built.deposit_tx?.approval).toBe(null);
  expectPromised(trip, await finish(trip));
});

test("a call that fails on arrival is PARTIAL: the user has the token, and the next step", async () => {
  await relayer({ mode: "fail_destination" });
  const trip = await start({ bridge: "stargate", paid: "USDC", vault: "Remote USDC", steps: 1 });
  const status = await until(trip, { status: "DONE", substatus: "PARTIAL" });
  expect(status.deposit).toMatchObject({ state: "partial", next: { kind: "deposit" } });
  const held = await balanceOf(two, { token: tokenOn(two, "USDC"), owner: trip.traveller.address });
  expect(status.receiving?.amount).toBe(String(held));
  expect(held).toBeGreaterThanOrEqual(BigInt(trip.built.estimate.to_amount_min));
});

test.each(["stargate", "stargate_bus", "cctp"] as const)(
  "%s pays nothing back: what LI.FI calls a refund, or holds, stays PENDING",
  async (bridge) => {
    await relayer({ mode: "stall" });
    const trip = await start({ bridge, paid: "USDC", vault: "Members USDC", steps: 2 });
    await until(trip, { status: "PENDING", substatus: "WAIT_DESTINATION_TRANSACTION" });
    await relayer({ mode: "refund" });
    await until(trip, { status: "PENDING", substatus: "REFUND_IN_PROGRESS", deposit: { state: "bridging" } });
    const owner = trip.traveller.address;
    const held = () => balanceOf(two, { token: tokenOn(two, "USDC"), owner });
    await expect.poll(held, PATIENCE).toBeGreaterThan(0n);
    await until(trip, { status: "PENDING", substatus: "REFUND_IN_PROGRESS", deposit: { state: "bridging" } });
  },
);
