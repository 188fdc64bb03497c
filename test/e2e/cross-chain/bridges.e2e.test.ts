import { afterEach, describe, expect, test } from "vitest";
import type { Relayer } from "../../../scripts/stack/emulators/control.ts";
import { Api, type SentDeposit } from "../../support/e2e/api.ts";
import { balanceOf } from "../../support/e2e/balances.ts";
import { chainIds, chainOf, tokenOn } from "../../support/e2e/chain.ts";
import { programContext } from "../../support/e2e/cross-chain.ts";
import { emulators, withFaults } from "../../support/e2e/faults.ts";
import { mapConcurrently } from "../../support/e2e/map-concurrently.ts";
import { DELIVERY_POLLING } from "../../support/e2e/transfer.ts";
import {
  expectQuotedShares,
  finish,
  type LifiDepositCase,
  relayer,
  settled,
  start,
  until,
} from "../../support/e2e/trip.ts";

const api = new Api();
const two = chainOf(chainIds.two);

afterEach(settled);

test("bridges: the stack has every LI.FI bridge", async () => {
  const listed = (await api.send("/v1/bridges")).json as { key: string; providers: string[] }[];
  expect(listed.map(({ key, providers }) => `${key}: ${providers.join(" ")}`)).toEqual([
    "across: across lifi",
    "stargate: lifi",
    "stargate_bus: lifi",
    "cctp: lifi",
    "cctp_fast: lifi",
  ]);
});

describe("every bridge delivers into the vault and is tracked without a report", () => {
  const ways: readonly LifiDepositCase[] = [
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

  test("in both directions", async () => {
    const work = async (way: LifiDepositCase) => {
      const trip = await start(way);
      expectQuotedShares(trip, await finish(trip));
    };
    await mapConcurrently(ways, { atOnce: 6, work });
  });
});

describe("under-delivery", () => {
  test.each<[string, Partial<Relayer>, bigint]>([
    ["one unit", { mode: "underdeliver", underdeliver: "1" }, 995n],
    ["1 %", { mode: "underdeliver", underdeliver_bps: 100 }, 985n],
  ])("deposits %s less than promised", async (_, settings, perMille) => {
    await relayer(settings);
    const ways: LifiDepositCase[] = [
      { bridge: "stargate", paid: "USDC", vault: "Remote USDC", steps: 1 },
      { bridge: "stargate", paid: "USDC", vault: "Plain USDC", steps: 1 },
      { bridge: "cctp", paid: "USDC", vault: "Remote USDC", steps: 2 },
    ];
    await mapConcurrently(ways, {
      atOnce: 4,
      work: async (way) => {
        const trip = await start(way);
        expectQuotedShares({ ...trip, built: withoutFloor(trip.built) }, await finish(trip), perMille);
      },
    });
  });

  const withoutFloor = (built: SentDeposit): SentDeposit =>
    built.two_step ? { ...built, estimate: { ...built.estimate, min_shares: null } } : built;
});

test("Stargate bus: a passenger is identified by its number on the source chain", async () => {
  const trip = await start({ bridge: "stargate_bus", paid: "USDC", vault: "Members USDC", steps: 2 });
  await finish(trip);
  const ctx = await programContext();
  const provider = (await ctx.providers.all()).find(({ name }) => name === "lifi");
  const transfer = {
    txHash: trip.hash,
    fromChainId: two.chainId,
    toChainId: chainIds.one,
    tool: "stargateV2Bus",
  };
  const told = await provider?.status(ctx.providers.scope, transfer);
  expect(told?.proof?.delivery?.matchedBy).toBe("id");
});

test("native money: the second step is found by the Router's reference", async () => {
  const { lifi: own, across } = emulators();
  const down = { emulators: [across], faults: [{ kind: "status", status: 503 } as const] };
  const refusal = { kind: "status", status: 400, match: "contractCalls" } as const;
  const refusing = { emulators: [own], faults: [refusal] };
  const way = { bridge: "across", paid: "ETH", vault: "Remote WETH", steps: 2 } as const;
  const trip = await withFaults(down, () => withFaults(refusing, () => start(way)));
  expect(trip.built.deposit_tx?.approval).toBe(null);
  expectQuotedShares(trip, await finish(trip));
});

test("failed destination call is PARTIAL with a next step", async () => {
  await relayer({ mode: "fail_destination" });
  const trip = await start({ bridge: "stargate", paid: "USDC", vault: "Remote USDC", steps: 1 });
  const status = await until(trip, { status: "DONE", substatus: "PARTIAL" });
  expect(status.deposit).toMatchObject({ state: "partial", next: { kind: "deposit" } });
  const held = await balanceOf(two, { token: tokenOn(two, "USDC"), owner: trip.traveller.address });
  expect(status.receiving?.amount).toBe(String(held));
  expect(held).toBeGreaterThanOrEqual(BigInt(trip.built.estimate.to_amount_min));
});

test.each(["stargate", "stargate_bus", "cctp"] as const)(
  "refund: %s pays none, so LI.FI's refund or hold stays PENDING",
  async (bridge) => {
    await relayer({ mode: "stall" });
    const trip = await start({ bridge, paid: "USDC", vault: "Members USDC", steps: 2 });
    await until(trip, { status: "PENDING", substatus: "WAIT_DESTINATION_TRANSACTION" });
    await relayer({ mode: "refund" });
    await until(trip, { status: "PENDING", substatus: "REFUND_IN_PROGRESS", deposit: { state: "bridging" } });
    const owner = trip.traveller.address;
    const held = () => balanceOf(two, { token: tokenOn(two, "USDC"), owner });
    await expect.poll(held, DELIVERY_POLLING).toBeGreaterThan(0n);
    await until(trip, { status: "PENDING", substatus: "REFUND_IN_PROGRESS", deposit: { state: "bridging" } });
  },
);
