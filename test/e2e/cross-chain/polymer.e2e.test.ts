import { afterEach, describe, expect, test } from "vitest";
import type { Relayer } from "../../../scripts/stack/emulators/control.ts";
import { Api } from "../../support/e2e/api.ts";
import { balanceOf } from "../../support/e2e/balances.ts";
import { chainIds, chainOf, tokenOn, vaultNamed } from "../../support/e2e/chain.ts";
import { mapConcurrently } from "../../support/e2e/map-concurrently.ts";
import { DELIVERY_POLLING, newMultiChainUser, prepare } from "../../support/e2e/transfer.ts";
import {
  expectQuotedShares,
  finish,
  type LifiDepositCase,
  relayer,
  settled,
  start,
  until,
} from "../../support/e2e/trip.ts";

const one = chainOf(chainIds.one);
const two = chainOf(chainIds.two);
afterEach(settled);

/** Above two hundred dollars Polymer takes less than Celer. */
const ways: readonly LifiDepositCase[] = [
  { bridge: "cctp", paid: "USDC", vault: "Remote USDC", steps: 2, amount: 987_654_321n },
  { bridge: "cctp_fast", paid: "USDC", vault: "Plain USDC", steps: 2, amount: 1_234_567_891n },
  { bridge: "cctp", paid: "ETH", vault: "Plain USDC", steps: 2, amount: 543_210_981_234_567_891n },
  { bridge: "cctp_fast", paid: "USDT", vault: "Remote USDC", steps: 2, amount: 876_543_219n },
];

const toolOf = async ({
  bridge,
  paid,
  vault: name,
  amount,
}: LifiDepositCase): Promise<string | undefined> => {
  const vault = vaultNamed(name);
  const from = vault.chain_id === chainIds.one ? two : one;
  const body = await prepare({ from, paid, vault }, await newMultiChainUser([one, two]), amount);
  const quote = await new Api().quote({ ...body, preferred_bridge: bridge });
  return quote.estimate.steps[0]?.tool;
};

test("CCTP uses Polymer when it delivers more than Celer", async () => {
  const tools = await Promise.all(ways.map(toolOf));
  expect(tools).toEqual(["polymerStandard", "polymer", "polymerStandard", "polymer"]);
  const small: LifiDepositCase = { bridge: "cctp", paid: "USDC", vault: "Remote USDC", steps: 2 };
  expect(await toolOf(small)).toBe("celercircle");
});

test("Polymer delivers into the vault and is tracked without a report", async () => {
  const work = async (way: LifiDepositCase) => {
    const trip = await start(way);
    expectQuotedShares(trip, await finish(trip));
  };
  await mapConcurrently(ways, { atOnce: 4, work });
});

describe("under-delivery by Polymer", () => {
  test.each<[string, Partial<Relayer>, bigint]>([
    ["one unit", { mode: "underdeliver", underdeliver: "1" }, 985n],
    ["1 %", { mode: "underdeliver", underdeliver_bps: 100 }, 975n],
  ])("deposits %s less than promised", async (_, settings, perMille) => {
    await relayer(settings);
    const work = async (way: LifiDepositCase) => {
      const trip = await start(way);
      const estimated = BigInt(trip.built.estimate.estimated_shares);
      expect((await finish(trip)) * 1_000n).toBeGreaterThanOrEqual(estimated * perMille);
    };
    await mapConcurrently(ways, { atOnce: 4, work });
  });
});

test("refund: Polymer pays none, so LI.FI's refund or hold stays PENDING", async () => {
  await relayer({ mode: "stall" });
  const [way] = ways;
  if (way === undefined) throw new Error("no way");
  const trip = await start(way);
  await until(trip, { status: "PENDING", substatus: "WAIT_DESTINATION_TRANSACTION" });
  await relayer({ mode: "refund" });
  const { from } = trip.journey;
  const held = () => balanceOf(from, { token: tokenOn(from, "USDC"), owner: trip.traveller.address });
  await expect.poll(held, DELIVERY_POLLING).toBeGreaterThan(0n);
  await until(trip, { status: "PENDING", substatus: "REFUND_IN_PROGRESS", deposit: { state: "bridging" } });
});
