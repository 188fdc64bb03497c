import { afterEach, describe, expect, test } from "vitest";
import type { Relayer } from "../../../scripts/stack/emulators/control.ts";
import { MESSAGE_FEE } from "../../../scripts/stack/emulators/lifi/bridge-plan.ts";
import { Api } from "../../support/e2e/api.ts";
import { balanceOf } from "../../support/e2e/balances.ts";
import { chainIds, chainOf, tokenOn, vaultNamed } from "../../support/e2e/chain.ts";
import { mapConcurrently } from "../../support/e2e/map-concurrently.ts";
import { DELIVERY_POLLING, newMultiChainUser, paidAmounts, prepare } from "../../support/e2e/transfer.ts";
import {
  expectQuotedShares,
  finish,
  type LifiDepositCase,
  relayer,
  type SentLifiDeposit,
  settled,
  start,
  until,
} from "../../support/e2e/trip.ts";

const one = chainOf(chainIds.one);
const two = chainOf(chainIds.two);
afterEach(settled);

/** Native money, swapped before the bridge or moved as it is. */
const swappedFirst: readonly LifiDepositCase[] = [
  { bridge: "stargate", paid: "ETH", vault: "Remote USDC", steps: 1 },
  { bridge: "stargate_bus", paid: "ETH", vault: "Remote USDT", steps: 2 },
  { bridge: "cctp", paid: "ETH", vault: "Remote USDC", steps: 2 },
  { bridge: "cctp_fast", paid: "ETH", vault: "Plain USDC", steps: 2 },
];
const asItIs: readonly LifiDepositCase[] = [
  { bridge: "stargate", paid: "ETH", vault: "Remote WETH", steps: 2 },
  { bridge: "stargate_bus", paid: "ETH", vault: "Solid WETH", steps: 2 },
];

/** What the bridge asks for its message, wei. */
const messageFee = ({ bridge }: LifiDepositCase): bigint =>
  bridge.startsWith("stargate") ? MESSAGE_FEE : 0n;

/** The transaction pays what was asked for and the bridge's fee, no more: nothing is approved, nothing comes back. */
function expectPaid(way: LifiDepositCase, { built }: SentLifiDeposit): void {
  expect(built.approval).toBe(null);
  expect(BigInt(built.transaction_request.value)).toBe(paidAmounts.ETH + messageFee(way));
  expect(built.transaction_request.to).toBe(
    chainOf(built.transaction_request.chain_id).info.contracts.lifi_diamond,
  );
}

test("native money is bridged by every LI.FI bridge and tracked", async () => {
  const work = async (way: LifiDepositCase) => {
    const trip = await start(way);
    expectPaid(way, trip);
    expectQuotedShares(trip, await finish(trip));
  };
  await mapConcurrently([...swappedFirst, ...asItIs], { atOnce: 6, work });
});

test.each(asItIs)("$bridge delivers native money and the second step pays natively", async (way) => {
  const trip = await start(way);
  const second = trip.built.deposit_tx;
  expect(second?.approval).toBe(null);
  expect(second?.transaction_request.value).toBe(trip.built.estimate.to_amount_min);
  expectQuotedShares(trip, await finish(trip));
});

describe("under-delivery of native money", () => {
  test.each<[string, Partial<Relayer>, bigint]>([
    ["one unit", { mode: "underdeliver", underdeliver: "1" }, 985n],
    ["1 %", { mode: "underdeliver", underdeliver_bps: 100 }, 975n],
  ])("deposits %s less than promised", async (_, settings, perMille) => {
    await relayer(settings);
    const work = async (way: LifiDepositCase) => {
      const trip = await start(way);
      const shares = await finish(trip);
      // Nothing on chain holds a second step to the shares that were expected before.
      if (way.steps === 1) expectQuotedShares(trip, shares, perMille);
      else
        expect(shares * 1_000n).toBeGreaterThanOrEqual(
          BigInt(trip.built.estimate.estimated_shares) * perMille,
        );
    };
    // A seat in the bus is known by its amount, so that less is not this transfer's.
    const ways = [...swappedFirst, ...asItIs].filter(({ bridge }) => bridge !== "stargate_bus");
    await mapConcurrently(ways, { atOnce: 6, work });
  });
});

test("failed destination call leaves the swapped token: PARTIAL with a next step", async () => {
  await relayer({ mode: "fail_destination" });
  const trip = await start({ bridge: "stargate", paid: "ETH", vault: "Remote USDC", steps: 1 });
  const status = await until(trip, { status: "DONE", substatus: "PARTIAL" });
  expect(status.deposit).toMatchObject({ state: "partial", next: { kind: "deposit" } });
  const held = await balanceOf(two, { token: tokenOn(two, "USDC"), owner: trip.traveller.address });
  expect(status.receiving?.amount).toBe(String(held));
  expect(held).toBeGreaterThanOrEqual(BigInt(trip.built.estimate.to_amount_min));
});

test.each([...swappedFirst.slice(2), ...asItIs])(
  "refund: $bridge into $vault stays PENDING while the bridge holds the money",
  async (way) => {
    await relayer({ mode: "stall" });
    const trip = await start(way);
    await until(trip, { status: "PENDING", substatus: "WAIT_DESTINATION_TRANSACTION" });
    const owner = trip.traveller.address;
    const { from } = trip.journey;
    const token = tokenOn(from, "USDC");
    const held = () =>
      asItIs.includes(way) ? from.client.getBalance({ address: owner }) : balanceOf(from, { token, owner });
    const before = await held();
    await relayer({ mode: "refund" });
    await until(trip, { status: "PENDING", substatus: "REFUND_IN_PROGRESS", deposit: { state: "bridging" } });
    await expect.poll(held, DELIVERY_POLLING).toBeGreaterThan(before);
    await until(trip, { status: "PENDING", substatus: "REFUND_IN_PROGRESS", deposit: { state: "bridging" } });
  },
);

test("a bridge that cannot deliver the token gives way to another, with a reason", async () => {
  const journey = { from: one, paid: "ETH", vault: vaultNamed("Remote WETH") } as const;
  const body = await prepare(journey, await newMultiChainUser([one, two]));
  for (const bridge of ["cctp", "cctp_fast"] as const) {
    const quote = await new Api().quote({ ...body, preferred_bridge: bridge });
    expect(quote.route_options[0]?.bridge).toBe("across");
    expect(quote.reasons.map(({ code }) => code)).toContain("bridge_unavailable");
  }
});

test("no_route when a user-called vault needs wrapped money and the bridge pays unwrapped", async () => {
  const journey = { from: two, paid: "USDC", vault: vaultNamed("Core WETH") } as const;
  const body = await prepare(journey, await newMultiChainUser([two]));
  expect(await new Api().refusal(body)).toMatchObject({
    status: 400,
    code: "no_route",
    detail: "no bridge can deliver this token as the order needs it",
    reasons: [{ code: "delivery_unsupported" }, { code: "asset_unsupported" }],
  });
});
