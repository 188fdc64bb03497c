import type { Log } from "viem";
import { describe, expect, test } from "vitest";
import type { DepositRow } from "../../../src/db/queries/deposit-queries.ts";
import { OTHER, USER, VAULT } from "../../support/deposits/fixtures.ts";
import { depositRequestLog } from "../../support/deposits/logs.ts";
import {
  ASKED,
  assets,
  type Case,
  cancelledClaim,
  claimOf,
  decide,
  EMPTY,
  hashOf,
  lagoon,
  lagoonCancellation,
  mellow,
  mellowClaim,
  REQUEST,
  row,
  type Sent,
  SILO,
  shares,
  words,
} from "../../support/deposits/settlement.ts";

describe("settlementTransitions() of a request that the next one claimed", () => {
  const NEXT = 1;
  const next: DepositRow = {
    ...{ ...row, trackingId: `trk_${"3".repeat(32)}` },
    ...{ requestId: "9", depositTxHash: hashOf(NEXT) },
  };
  const requested = depositRequestLog({ requestId: 9n, assets: ASKED / 2n });
  const dust = { logs: [shares(1n, OTHER)] };
  const claims = { from: USER, to: VAULT, logs: [shares(5n, VAULT), claimOf(USER, 5n), requested] };
  const mellowClaims = { from: USER, to: VAULT, logs: [shares(5n), mellowClaim] };
  const done = { shows: "vault_claimed", shares: "5", claimTxHash: hashOf(NEXT) };
  const OPEN = { stored: lagoon, view: words(50n) };
  const PENDING = { stored: lagoon, view: words(50n), zero: ["claimableDepositRequest", "maxMint"] };

  test.each<[string, Omit<Case, "sent">, Sent]>([
    ["Lagoon, while the next one waits", PENDING, claims],
    ["Lagoon, while the next one is claimable", OPEN, claims],
    ["Lagoon, when nothing is open", EMPTY, claims],
    ["Mellow", { stored: mellow, view: words(1n, 50n), of: { ...row, requestId: null } }, mellowClaims],
  ])("has its own shares (%s)", async (_what, world, sent) => {
    const others = [{ ...next, requestId: world.of === undefined ? "9" : null }];
    expect(await decide({ ...world, sent: [dust, sent], others })).toMatchObject(done);
  });

  test("is still open when the next one claimed nothing or only a part", async () => {
    const part = [shares(2n, VAULT), claimOf(USER, 2n, ASKED / 2n), requested];
    for (const logs of [[requested], part, [shares(5n, VAULT), claimOf(OTHER, 5n), requested]]) {
      const sent = [dust, { ...claims, logs }];
      expect(await decide({ ...PENDING, sent, others: [next] })).toMatchObject({ shows: "vault_pending" });
      expect(await decide({ ...OPEN, sent, others: [next] })).toMatchObject({ shows: "vault_settled" });
    }
  });

  test("has the shares of its own claim, although the next one claimed those of another", async () => {
    const own = { from: USER, to: VAULT, logs: [shares(6n, VAULT), claimOf(USER, 6n)] };
    const ended = { shows: "vault_claimed", shares: "6", claimTxHash: hashOf(0) };
    expect(await decide({ ...PENDING, sent: [own, claims], others: [next] })).toMatchObject(ended);
  });

  test("is not refunded while the vault shows an open request", async () => {
    const paid = { logs: [assets(VAULT)] };
    const sent = [paid, { ...claims, logs: [shares(2n, VAULT), claimOf(USER, 2n, 1n), requested] }];
    expect(await decide({ ...PENDING, sent, others: [next] })).toMatchObject({ shows: "vault_pending" });
  });
});

describe("settlementTransitions() of requests that were cancelled together", () => {
  test.each<[string, string, Log]>([
    ["Lagoon", "7", lagoonCancellation(USER)],
    ["the standard", "0", cancelledClaim(0n)],
  ])(
    "each of two that were cancelled together has its own assets back (%s)",
    async (_what, id, cancelled) => {
      const own: DepositRow = { ...row, requestId: id };
      const sent = [{ from: USER, to: VAULT, logs: [assets(SILO, ASKED + 50n), cancelled] }];
      const other: DepositRow = {
        ...{ ...own, trackingId: `trk_${"4".repeat(32)}` },
        ...{ fromAmount: "50", depositTxHash: hashOf(50) },
      };
      const refunded = { shows: "refund", refundTxHash: hashOf(0) };
      const ended = async (of: DepositRow, others: readonly DepositRow[], value = ASKED + 50n) =>
        decide({ ...EMPTY, of, others, sent: [{ ...sent[0], logs: [assets(SILO, value), cancelled] }] });
      const before = { depositTxHash: REQUEST };
      expect(await ended(own, [{ ...other, ...before }])).toMatchObject({
        ...{ ...refunded, receivedAmount: String(ASKED) },
      });
      expect(await ended({ ...other, ...before }, [])).toMatchObject({ ...refunded, receivedAmount: "50" });
      // Less than both together: nothing shows whose assets were left in the vault.
      expect(await ended(own, [{ ...other, ...before }], ASKED + 49n)).toBeNull();
      // The other one was requested later, or has another id.
      expect(await ended(own, [other], ASKED + 1n)).toMatchObject(refunded);
      expect(await ended(own, [{ ...other, ...before, requestId: "11" }], ASKED + 1n)).toMatchObject(
        refunded,
      );
    },
  );

  test("a later one does not have the assets back that were another's, but its own shares", async () => {
    const own: DepositRow = { ...row, requestId: "0" };
    const earlier: DepositRow = {
      ...{ ...own, trackingId: `trk_${"4".repeat(32)}`, state: "refunded", refundTxHash: hashOf(0) },
      ...{ depositTxHash: hashOf(50), receivedAmount: String(ASKED) },
    };
    const back = { from: USER, to: VAULT, logs: [assets(SILO), cancelledClaim(0n)] };
    const claim = { from: USER, to: VAULT, logs: [shares(6n, VAULT), claimOf(USER, 6n)] };
    expect(await decide({ ...EMPTY, of: own, others: [earlier], sent: [back, claim] })).toMatchObject({
      ...{ shows: "vault_claimed", claimTxHash: hashOf(1), shares: "6" },
    });
    expect(await decide({ ...EMPTY, of: own, others: [earlier], sent: [back] })).toBeNull();
  });

  test("is not refunded by a larger payment without its cancellation, or a smaller one with it", async () => {
    const larger = { logs: [assets(VAULT, ASKED + 1n)] };
    const smaller = { logs: [assets(SILO, ASKED - 1n), lagoonCancellation(USER)] };
    expect(await decide({ ...EMPTY, sent: [larger, smaller] })).toBeNull();
  });
});
