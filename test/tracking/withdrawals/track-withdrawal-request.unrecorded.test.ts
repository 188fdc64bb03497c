import type { Hex, Log } from "viem";
import { expect, test } from "vitest";
import { MAX_UNPROVING } from "../../../src/tracking/track-token-transfers.ts";
import { areOwn, type EndSeen } from "../../../src/tracking/withdrawals/withdrawal-settlements.ts";
import { receiptOf } from "../../support/deposits/logs.ts";
import { askedAt, checkRequest, hashAt } from "../../support/withdrawals/several-requests.ts";
import { claims } from "../../support/withdrawals/shared-logs.ts";

/** A request that this service did not build, of an account that may have made others. */
const row = askedAt(0, { shares: "100" });
const check = (sent: readonly (readonly Log[])[], keep: (hashes: readonly Hex[]) => void = () => undefined) =>
  checkRequest({ adapter: "lagoon", sent: [[], ...sent], row, keep });

test.each([
  ["its own shares", [claims(100n)], 1, "200"],
  ["its own shares, in parts", [claims(40n), claims(60n)], 2, "200"],
  ["more shares than its own", [claims(150n)], 1, "200"],
  ["its own shares and those of as large a request", [claims(100n), claims(100n)], 1, "200"],
  ["its own shares and those of a smaller request", [claims(100n), claims(50n)], 1, "200"],
])("payments for %s end it, with the amount where that is certain", async (_, sent, place, assets) => {
  expect(await check(sent)).toMatchObject({
    shows: "token_paid",
    change: { claimTxHash: hashAt(place), assets },
  });
});

test("payments of exactly what the vault recorded are the request's own", () => {
  const part = (assets: bigint, place: number): EndSeen => ({
    ...{ hash: hashAt(place), receipt: receiptOf() },
    settlement: { outcome: "paid", assets },
  });
  const own = { shares: "100", assets: "10", estimatedAssets: "210" };
  const parts = [part(150n, 1), part(50n, 2)];
  expect(areOwn(own, { parts, seen: parts })).toBe(true);
  expect(areOwn({ ...own, estimatedAssets: "211" }, { parts, seen: parts })).toBe(false);
  expect(areOwn({ ...own, estimatedAssets: null }, { parts, seen: parts })).toBe(false);
});

test("a check reads a limited number of payments, and keeps them for the next one outside the database", async () => {
  const kept: Hex[] = [];
  const sent = Array.from({ length: MAX_UNPROVING + 10 }, () => claims(2n));
  const { shows } = await checkRequest({
    ...{ adapter: "lagoon", sent: [[], ...sent], row },
    keep: (hashes) => kept.push(...hashes),
    onHints: () => expect.unreachable("a hint was stored"),
  });
  expect(shows).toBe(null);
  expect(kept).toEqual(Array.from({ length: MAX_UNPROVING }, (_, place) => hashAt(place + 1)));
  const hinted = kept.map((_, place) => place + 1);
  const next = await checkRequest({
    ...{ adapter: "lagoon", sent: [[], ...sent], row, hinted, keep: () => undefined },
  });
  expect(next).toMatchObject({ shows: "token_paid", change: { assets: "200" } });
});
