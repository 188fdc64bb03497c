import { describe, expect, test } from "vitest";
import { ownRequest } from "../../../src/tracking/withdrawals/own-exit-request.ts";
import { unknownPendingExit } from "../../../src/vaults/vault-exits.ts";
import { USDC } from "../../support/deposits/fixtures.ts";
import { askedAt, checkRequest, hashAt, type Requests } from "../../support/withdrawals/several-requests.ts";
import { claims, returns } from "../../support/withdrawals/shared-logs.ts";

/** Requests of one account at a vault of Centrifuge, some of which were cancelled: their shares are claimed back. */

/** The views of a vault with these shares of the account: waiting, and to be claimed back. */
const holding = (waiting: bigint, returned = 0n) => ({
  "pendingRedeemRequest(uint256,address)": waiting,
  "claimableCancelRedeemRequest(uint256,address)": returned,
});

const first = askedAt(0, { shares: "100" });
const equal = askedAt(1, { shares: "100" });
const second = askedAt(1, { shares: "50" });
/** The manager's record of the account: nothing that the vault does not show. */
const record = { "investments(address,address)": `0x${"00".repeat(64)}` } as const;
const check = ({ views, ...scene }: Omit<Requests, "adapter">) =>
  checkRequest({
    ...{ adapter: "centrifuge", params: { deposit: "async" }, ...scene },
    views: { ...record, ...views },
  });
const paidAt = (place: number, assets: string | null) =>
  ({ shows: "token_paid", change: { claimTxHash: hashAt(place), assets } }) as const;
const cancelledAt = (place: number) =>
  ({ shows: "request_cancelled", change: { refundTxHash: hashAt(place) } }) as const;
const unclear = {
  ...{ shows: "partly_paid" },
  change: { claimTxHash: hashAt(2), refundTxHash: hashAt(3), assets: null },
} as const;

describe("a request that the vault still holds", () => {
  test.each([
    ["was cancelled", returns(100n)],
    ["was paid", claims(100n)],
  ])("does not end with what %s of a request that is not known", async (_what, logs) => {
    const open = { sent: [[], [], logs], row: second, hinted: [2] };
    expect(await check({ ...open, views: holding(50n) })).toMatchObject({
      ...{ shows: "request_pending", undecided: [hashAt(2)] },
    });
  });

  test.each([
    ["100 shares", 100n],
    ["what rounding adds to them", 100_001n],
  ])(
    "ends with its own claim of %s although another service requested as many since",
    async (_what, shares) => {
      const row = shares === 100n ? first : { ...first, shares: "100000" };
      const open = { sent: [[], [], claims(shares)], row, hinted: [2] };
      const assets = (2n * shares).toString();
      expect(await check({ ...open, views: holding(200_000n) })).toMatchObject(paidAt(2, assets));
    },
  );

  test("ends with a claim of all known requests although more were requested elsewhere since", async () => {
    const open = { sent: [[], [], claims(150n)], hinted: [2], views: holding(200n) };
    expect(await check({ ...open, row: second, others: [first] })).toMatchObject({
      shows: "request_pending",
    });
    expect(await check({ ...open, row: first, others: [second] })).toMatchObject(paidAt(2, "200"));
    const ended = { ...first, state: "completed", claimTxHash: hashAt(2), assets: "200" } as const;
    expect(await check({ ...open, row: second, others: [ended] })).toMatchObject(paidAt(2, "100"));
    const parts = { sent: [[], claims(60n), claims(40n)], hinted: [1, 2], views: holding(100n) };
    expect(await check({ ...parts, row: first })).toMatchObject(paidAt(2, "200"));
    expect(await check({ ...parts, hinted: [1], row: first })).toMatchObject({ shows: "request_pending" });
  });

  test("does not end with the claim of what is left of another one", async () => {
    const open = { sent: [[], [], returns(100n)], hinted: [2], views: holding(50n) };
    expect(await check({ ...open, row: second, others: [first] })).toMatchObject({
      shows: "request_pending",
    });
    expect(await check({ ...open, row: first, others: [second] })).toMatchObject(cancelledAt(2));
  });
});

describe("of two requests, the cancelled one", () => {
  test("is the one with as many shares as were returned, whatever is claimed first", async () => {
    for (const [sent, paid, back] of [
      [[[], [], claims(50n), returns(100n)], 2, 3],
      [[[], [], returns(100n), claims(50n)], 3, 2],
    ] as const) {
      expect(await check({ sent, row: first, others: [second] })).toMatchObject(cancelledAt(back));
      expect(await check({ sent, row: second, others: [first] })).toMatchObject(paidAt(paid, null));
      const cancelled = { ...first, state: "cancelled", refundTxHash: hashAt(back) } as const;
      expect(await check({ sent, row: second, others: [cancelled] })).toMatchObject(paidAt(paid, "100"));
    }
  });

  test("may be the later one", async () => {
    const sent = [[], [], returns(50n), claims(100n)];
    expect(await check({ sent, row: first, others: [second] })).toMatchObject(paidAt(3, null));
    expect(await check({ sent, row: second, others: [first] })).toMatchObject(cancelledAt(2));
  });

  test("does not end while its shares wait to be claimed back", async () => {
    const scene = { sent: [[], [], claims(50n)], views: holding(0n, 100n), hinted: [2] };
    expect(await check({ ...scene, row: first, others: [second] })).toMatchObject({
      shows: "request_claimable",
    });
    expect(await check({ ...scene, row: second, others: [first] })).toMatchObject(paidAt(2, "100"));
  });

  test("is both if all shares were returned", async () => {
    const sent = [[], [], returns(150n)];
    expect(await check({ sent, row: first, others: [second] })).toMatchObject(cancelledAt(2));
    expect(await check({ sent, row: second, others: [first] })).toMatchObject(cancelledAt(2));
  });

  test("is the one that was alone when it was settled", async () => {
    const later = askedAt(3, { shares: "100" });
    for (const [sent, ended] of [
      [[[], [], returns(100n), [], claims(100n)], cancelledAt(2)],
      [[[], [], claims(100n), [], returns(100n)], paidAt(2, "200")],
    ] as const)
      expect(await check({ sent, row: first, others: [later] })).toMatchObject(ended);
  });
});

describe("of two requests for as many shares, one paid and one cancelled,", () => {
  const sent = [[], [], claims(100n), returns(100n)];

  test("neither ends while the vault holds shares of theirs", async () => {
    const open = { sent: [[], [], claims(100n)], views: holding(0n, 100n), hinted: [2] };
    for (const [row, other] of [
      [first, equal],
      [equal, first],
    ] as const)
      expect(await check({ ...open, row, others: [other] })).toMatchObject({
        ...{ shows: "request_claimable", undecided: [hashAt(2)] },
      });
  });

  test("both end in part and with unknown amounts, because nothing shows which is which", async () => {
    expect(await check({ sent, row: first, others: [equal] })).toMatchObject(unclear);
    const hashes = { claimTxHash: hashAt(2), refundTxHash: hashAt(3) };
    const ended = { ...first, state: "partial", assets: null, ...hashes } as const;
    expect(await check({ sent, row: equal, others: [ended] })).toMatchObject(unclear);
  });

  test("one is what the other is not", async () => {
    const paid = { ...first, state: "completed", claimTxHash: hashAt(2), assets: "200" } as const;
    expect(await check({ sent, row: equal, others: [paid] })).toMatchObject(cancelledAt(3));
    const cancelled = { ...first, state: "cancelled", refundTxHash: hashAt(3) } as const;
    expect(await check({ sent, row: equal, others: [cancelled] })).toMatchObject(paidAt(2, "200"));
  });
});

test("a request of which the vault holds less is the claim of as many returned shares as it has", () => {
  const openAs = (requestId: string, shares: bigint, pays: "assets" | "shares" = "assets") =>
    ({ ...unknownPendingExit, token: USDC, requestId, shares, pays }) as const;
  const [newer, back] = [openAs("0", 50n), openAs("cancelled", 100n, "shares")];
  expect(ownRequest(first, { open: [newer, back], others: [] })).toBe(back);
  expect(ownRequest(second, { open: [newer, back], others: [] })).toBe(newer);
  const whole = openAs("0", 100n);
  expect(ownRequest(first, { open: [whole, back], others: [] })).toBe(whole);
});
