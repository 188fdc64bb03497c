import type { Log } from "viem";
import { describe, expect, test } from "vitest";
import type { WithdrawalRow } from "../../../src/db/queries/deposit-queries.ts";
import { askedAt, checkRequest, hashAt, type Requests } from "../../support/withdrawals/several-requests.ts";
import { claims, returns } from "../../support/withdrawals/shared-logs.ts";

/** Requests of one account at a vault of Centrifuge: a cancellation takes everything that is not fulfilled. */
const record = { "investments(address,address)": `0x${"00".repeat(64)}` } as const;
const check = ({ views, ...scene }: Omit<Requests, "adapter">) =>
  checkRequest({
    ...{ adapter: "centrifuge", params: { deposit: "async" }, ...scene },
    views: { ...record, ...views },
  });
/** What the checks of all requests show, each with the others open. */
const checkAll = (sent: readonly (readonly Log[])[], rows: readonly WithdrawalRow[]) =>
  Promise.all(rows.map((row) => check({ sent, row, others: rows.filter((other) => other !== row) })));
const paidAt = (place: number, assets: string | null = null) =>
  ({ shows: "token_paid", change: { claimTxHash: hashAt(place), assets } }) as const;
const cancelledAt = (place: number) =>
  ({ shows: "request_cancelled", change: { refundTxHash: hashAt(place) } }) as const;
const bothAt = (claim: number, refund: number) =>
  ({
    ...{ shows: "partly_paid" },
    change: { claimTxHash: hashAt(claim), refundTxHash: hashAt(refund), assets: null },
  }) as const;

const first = askedAt(0, { shares: "100" });
const second = askedAt(1, { shares: "50" });
const third = askedAt(2, { shares: "30" });

describe("of several requests, a cancellation takes", () => {
  test("all of the newer ones, while the older one is paid", async () => {
    const ends = [paidAt(3), cancelledAt(4), cancelledAt(4)];
    const rows = [first, second, third];
    expect(await checkAll([[], [], [], claims(100n), returns(80n)], rows)).toMatchObject(ends);
    const other = [[], [], [], returns(80n), claims(100n)];
    expect(await checkAll(other, rows)).toMatchObject([paidAt(4), cancelledAt(3), cancelledAt(3)]);
    const cancelled = { ...second, state: "cancelled", refundTxHash: hashAt(4) } as const;
    const sent = [[], [], [], claims(100n), returns(80n)];
    expect(await check({ sent, row: third, others: [first, cancelled] })).toMatchObject(cancelledAt(4));
    const paid = { ...first, state: "completed", claimTxHash: hashAt(3), assets: null } as const;
    expect(await check({ sent, row: third, others: [paid, cancelled] })).toMatchObject(cancelledAt(4));
  });

  test("also shares of unknown requests", async () => {
    const sent = [[], [], claims(100n), returns(51n)];
    expect(await checkAll(sent, [first, second])).toMatchObject([paidAt(2), cancelledAt(3)]);
  });

  test("what was not paid of the older one", async () => {
    const sent = [[], [], claims(40n), returns(110n)];
    expect(await checkAll(sent, [first, second])).toMatchObject([bothAt(2, 3), cancelledAt(3)]);
    const reverse = [[], [], returns(110n), claims(40n)];
    expect(await checkAll(reverse, [first, second])).toMatchObject([bothAt(3, 2), cancelledAt(2)]);
  });

  test("as many as it names, although the vault rounds up what it pays", async () => {
    const [large, small] = [askedAt(0, { shares: "100000" }), askedAt(1, { shares: "50000" })];
    const sent = [[], [], claims(100_001n), returns(50_000n)];
    expect(await checkAll(sent, [large, small])).toMatchObject([paidAt(2), cancelledAt(3)]);
  });

  test("those that every possible split takes, and of the others it is unknown", async () => {
    const rows = ["30", "100", "50", "30"].map((shares, place) => askedAt(place, { shares }));
    const sent = [[], [], [], [], claims(130n), returns(80n)];
    const ends = [bothAt(4, 5), paidAt(4), cancelledAt(5), bothAt(4, 5)];
    expect(await checkAll(sent, rows)).toMatchObject(ends);
  });

  test("nothing of a newer request after an older one that ended as paid in part", async () => {
    const row = askedAt(2, { shares: "50" });
    const parted = {
      state: "partial",
      claimTxHash: hashAt(1),
      refundTxHash: hashAt(3),
      assets: "40",
    } as const;
    const sent = [[], claims(40n), [], returns(60n), claims(50n)];
    const older = { ...first, ...parted };
    expect(await check({ sent, row, others: [older] })).toMatchObject(paidAt(4, "100"));
    const joint = [[], claims(40n), [], returns(110n)];
    expect(await check({ sent: joint, row, others: [older] })).toMatchObject(cancelledAt(3));
  });

  test("each request once, however many withdrawals stand for it", async () => {
    const copy = { ...second, trackingId: "00000000-0000-4000-8000-0000000000aa" };
    const sent = [[], [], returns(100n), claims(50n)];
    expect(await check({ sent, row: first, others: [second, copy] })).toMatchObject(cancelledAt(2));
  });

  test("none of two that were paid at once, of which one is small", async () => {
    const [large, small] = [askedAt(0, { shares: "100000" }), askedAt(1, { shares: "50" })];
    const sent = [[], [], claims(100_050n)];
    const paid = { ...large, state: "completed", claimTxHash: hashAt(2), assets: "1" } as const;
    expect(await check({ sent, row: small, others: [paid] })).toMatchObject(paidAt(2, "100"));
  });

  test("unknown ones if there were several and one request was paid in part", async () => {
    const sent = [[], [], [], claims(60n), returns(40n), claims(50n), returns(30n)];
    const seen = await checkAll(sent, [first, second, third]);
    expect(seen.map(({ shows }) => shows)).toEqual(["partly_paid", "partly_paid", "partly_paid"]);
  });

  test("unknown ones if the newest request may have been made before or after it", async () => {
    const sent = [[], [], claims(70n), returns(80n)];
    expect(await checkAll(sent, [first, second])).toMatchObject([bothAt(2, 3), bothAt(2, 3)]);
  });
});

describe("a pair of which nothing shows which one was paid", () => {
  const equal = askedAt(1, { shares: "100" });
  const hashes = { claimTxHash: hashAt(3), refundTxHash: hashAt(4) };
  const ended = [first, equal].map((row) => ({ ...row, state: "partial", assets: null, ...hashes }) as const);
  const last = askedAt(2, { shares: "50" });

  test("leaves other requests their own ends", async () => {
    const paid = [[], [], [], claims(100n), returns(100n), claims(50n)];
    const rows = [first, equal, last];
    expect(await checkAll(paid, rows)).toMatchObject([bothAt(3, 4), bothAt(3, 4), { shows: "token_paid" }]);
    expect(await check({ sent: paid, row: last, others: ended })).toMatchObject(paidAt(5, "100"));
    const cancelled = [[], [], [], claims(100n), returns(100n), returns(50n)];
    expect(await checkAll(cancelled, rows)).toMatchObject([
      bothAt(3, 4),
      bothAt(3, 4),
      { shows: "request_cancelled" },
    ]);
    expect(await check({ sent: cancelled, row: last, others: ended })).toMatchObject(cancelledAt(5));
  });

  test("is not ended by what a later request was paid", async () => {
    const later = askedAt(5, { shares: "70" });
    const sent = [[], [], [], claims(100n), returns(100n), [], claims(70n), returns(30n)];
    const [one, other, newer] = await checkAll(sent, [first, equal, later]);
    expect([one, other]).toMatchObject([bothAt(3, 4), bothAt(3, 4)]);
    expect(newer).toMatchObject({ change: { claimTxHash: hashAt(6) } });
  });
});

describe("shares that were returned before the next request", () => {
  const later = askedAt(2, { shares: "100" });
  const at = (logs: readonly Log[], transactionIndex: number) =>
    logs.map((log) => ({ ...log, transactionIndex }));

  test("in its own transaction are the earlier one's", async () => {
    const sent = [[], [], returns(100n), claims(100n)];
    expect(await checkAll(sent, [first, later])).toMatchObject([cancelledAt(2), paidAt(3)]);
  });

  test("in its block are the earlier one's", async () => {
    const blockOf = (place: number) => 1_000 + (place < 2 ? place : place === 2 ? 1 : place);
    const sent = [[], at(returns(100n), 3), at(returns(0n), 4), claims(100n)];
    for (const [row, other, end] of [
      [first, later, cancelledAt(1)],
      [later, first, paidAt(3)],
    ] as const)
      expect(await check({ sent, blockOf, headBlock: 5_000, row, others: [other] })).toMatchObject(end);
  });
});

describe("a claim and a return of shares in one transaction", () => {
  const sent = [[], [], [...claims(100n), ...returns(50n)]];

  test("end one request each", async () => {
    expect(await checkAll(sent, [first, second])).toMatchObject([paidAt(2), cancelledAt(2)]);
    const paid = { ...first, state: "completed", claimTxHash: hashAt(2), assets: null } as const;
    expect(await check({ sent, row: second, others: [paid] })).toMatchObject(cancelledAt(2));
    const cancelled = { ...second, state: "cancelled", refundTxHash: hashAt(2) } as const;
    expect(await check({ sent, row: first, others: [cancelled] })).toMatchObject(paidAt(2, "200"));
  });

  test("end the only request in both ways", async () => {
    const only = askedAt(0, { shares: "150" });
    const both = { shows: "partly_paid", change: { claimTxHash: hashAt(2), refundTxHash: hashAt(2) } };
    expect(await check({ sent, row: only })).toMatchObject(both);
  });

  test("do not let a payment of it stand for its return", async () => {
    const older = askedAt(0, { shares: "70" });
    const scene = [[], [], [...claims(70n), ...returns(50n)]];
    const paid = { ...older, state: "completed", claimTxHash: hashAt(2), assets: null } as const;
    expect(await check({ sent: scene, row: second, others: [paid] })).toMatchObject(cancelledAt(2));
  });
});

describe("a request that no node knows any more", () => {
  const scene = { row: first, others: [second], forgotten: [1] };

  test("does not decide which one was cancelled", async () => {
    const sent = [[], [], claims(50n), returns(100n)];
    await expect(check({ ...scene, sent })).rejects.toMatchObject({ code: "upstream_unavailable" });
  });

  test("does not matter if none was cancelled", async () => {
    expect(await check({ ...scene, sent: [[], [], claims(100n), claims(50n)] })).toMatchObject(
      paidAt(2, "200"),
    );
  });
});
