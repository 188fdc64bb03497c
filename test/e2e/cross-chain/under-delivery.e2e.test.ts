import { afterEach, describe, expect, test } from "vitest";
import type { Relayer } from "../../../scripts/stack/emulators/control.ts";
import { Api, type SentDeposit } from "../../support/e2e/api.ts";
import { balanceOf } from "../../support/e2e/balances.ts";
import { chainIds, chainOf, mined, tokenOn, vaultNamed } from "../../support/e2e/chain.ts";
import { emulators } from "../../support/e2e/faults.ts";
import { settled } from "../../support/e2e/settled.ts";
import { signDeposit } from "../../support/e2e/sign-deposit.ts";
import {
  completeDeposit,
  DELIVERY_POLLING,
  type Journey,
  type MultiChainUser,
  newMultiChainUser,
  paidAmounts,
  prepare,
  sharesOf,
} from "../../support/e2e/transfer.ts";

const api = new Api();
const from = chainOf(chainIds.one);
const to = chainOf(chainIds.two);
const { lifi, across } = emulators();

async function control(url: string, body: object): Promise<void> {
  const response = await fetch(`${url}/__control`, { method: "POST", body: JSON.stringify(body) });
  expect(response.status).toBe(200);
}
afterEach(() => Promise.all([lifi, across].map((url) => fetch(`${url}/__control`, { method: "DELETE" }))));

const vaults = ["Remote Prime USDC", "Remote USDC", "Remote USDT", "Remote WETH"] as const;
const short: readonly [string, Partial<Relayer>, bigint][] = [
  ["one unit", { mode: "underdeliver", underdeliver: "1" }, 0n],
  ["1 %", { mode: "underdeliver", underdeliver_bps: 100 }, 100n],
];

interface Trip {
  journey: Journey;
  traveller: MultiChainUser;
  built: SentDeposit;
}

/** Builds one transaction over one provider, whose relayer then behaves as told. */
async function start(
  name: (typeof vaults)[number],
  plan: { own: string; relayer: Partial<Relayer> },
): Promise<Trip> {
  const vault = vaultNamed(name);
  const journey = { from, paid: vault.asset_symbol as "USDC" | "USDT" | "WETH", vault };
  const traveller = await newMultiChainUser([from, to]);
  const body = await prepare(journey, traveller);
  await control(plan.own === lifi ? across : lifi, { faults: [{ kind: "status", status: 503 }] });
  const built = await api.build({ ...body, slippage: 0.02 });
  expect(built.two_step).toBe(false);
  await control(plan.own, { relayer: plan.relayer });
  return { journey, traveller, built };
}

const held = ({ journey, traveller }: Trip): Promise<bigint> =>
  balanceOf(to, { token: tokenOn(to, vaultToken(journey)), owner: traveller.address });
const vaultToken = ({ vault }: Journey) => vault.asset_symbol;

// Across' own pool delivers what was agreed or nothing; only LI.FI's way can lose something.
describe("under-delivery by LI.FI", () => {
  test.each(vaults.flatMap((name) => short.map(([what, relayer, bps]) => ({ name, what, relayer, bps }))))(
    "deposits $what less than promised: $name",
    async ({ name, relayer, bps }) => {
      const trip = await start(name, { own: lifi, relayer });
      const { built } = trip;
      const { shares } = await completeDeposit({ ...trip, ...trip.journey, style: "calls" });
      const estimated = BigInt(built.estimate.estimated_shares);
      expect(shares * 10_000n).toBeGreaterThanOrEqual(estimated * (9_999n - bps));
      if (bps > 0n) expect(shares * 1_000n).toBeLessThan(estimated * 995n);
      expect(await held(trip)).toBe(0n);
    },
  );

  test("3 % less exceeds the slippage: the user keeps the token", async () => {
    const relayer = { mode: "underdeliver", underdeliver_bps: 300 } as const;
    await expectFallback(await start("Remote USDC", { own: lifi, relayer }), 970n);
  });
});

test.each([
  ["across", across],
  ["lifi", lifi],
])("failed destination call of %s leaves the token with the user", async (_name, own) => {
  const relayer = { mode: "fail_destination" } as const;
  await expectFallback(await start("Remote USDC", { own, relayer }), 1_000n);
});

async function expectFallback(trip: Trip, perMille: bigint): Promise<void> {
  const { journey, traveller, built } = trip;
  await mined(from, await signDeposit(from, { user: traveller.on(from), built, style: "approval" }));
  const least = (BigInt(built.estimate.to_amount_min) * perMille) / 1_000n - 1n;
  const arrived = await settled(() => held(trip), {
    ...DELIVERY_POLLING,
    wanted: (amount) => amount >= least,
  });
  expect(arrived).toBeLessThanOrEqual(paidAmounts[journey.paid]);
  expect(await sharesOf(journey.vault, traveller.address)).toBe(0n);
}
