import type { Log } from "viem";
import { describe, expect, test } from "vitest";
import type { WithdrawalRow } from "../../../src/db/queries/deposit-queries.ts";
import { OTHER, USDC, USER, VAULT } from "../../support/deposits/fixtures.ts";
import { transferLog } from "../../support/deposits/logs.ts";
import { eventLog } from "../../support/vaults/answer.ts";
import { askedAt, checkRequest, hashAt, type Requests } from "../../support/withdrawals/several-requests.ts";

/** Requests of one account at vaults of ERC-7540, which hold all of its shares under one id. */
const withdraw =
  "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)";
const request =
  "event RedeemRequest(address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 shares)";

/** A claim of shares, each of which pays two of the asset's smallest units. */
const claims = (shares: bigint, sender = USER): Log[] => [
  transferLog({ token: USDC, from: VAULT, value: 2n * shares }),
  eventLog(VAULT, withdraw, {
    ...{ sender, receiver: USER, owner: USER, assets: 2n * shares, shares },
  }) as unknown as Log,
];
const asks = (shares: bigint): Log[] => [
  eventLog(VAULT, request, {
    ...{ controller: USER, owner: USER, requestId: 2n, sender: USER, shares },
  }) as unknown as Log,
];
/** The views of a vault in which these shares of the account wait. */
const waiting = (shares: bigint) => ({ "pendingRedeemRequest(uint256,address)": shares });

const first = askedAt(0, { shares: "100" });
const second = askedAt(1, { shares: "50" });
const check = (scene: Omit<Requests, "adapter">) => checkRequest({ adapter: "accountable", ...scene });

describe("a claim of a part of two requests", () => {
  const sent = [[], [], claims(60n)];
  const open = { sent, views: waiting(90n), hinted: [2] };

  test("ends neither, although it is for more than the later one's shares", async () => {
    const pending = { shows: "request_pending", undecided: [hashAt(2)] };
    expect(await check({ ...open, row: second, others: [first] })).toMatchObject(pending);
    expect(await check({ ...open, row: first, others: [second] })).toMatchObject(pending);
  });

  test("ends the later one if the earlier one has another id", async () => {
    const other = { ...first, requestId: "7" };
    const seen = await check({ ...open, row: second, others: [other] });
    expect(seen).toMatchObject({ shows: "token_paid" });
  });

  test("is all of the earlier one's, and then a part of the later one's", async () => {
    const more = { sent: [...sent, claims(60n)], views: waiting(30n), hinted: [2, 3] };
    expect(await check({ ...more, row: first, others: [second] })).toMatchObject({
      ...{ shows: "token_paid", change: { claimTxHash: hashAt(3), assets: "200" } },
    });
    const ended = { ...first, state: "completed", claimTxHash: hashAt(3), assets: "200" } as const;
    expect(await check({ ...more, row: second, others: [ended] })).toMatchObject({
      ...{ shows: "request_pending", undecided: [hashAt(2), hashAt(3)] },
    });
  });

  test("leaves the later one what is claimed last, of which it has its part if it is for both", async () => {
    const sentAll = [...sent, claims(90n)];
    const ended = { ...first, state: "completed", claimTxHash: hashAt(3), assets: "200" } as const;
    expect(await check({ sent: sentAll, row: second, others: [ended] })).toMatchObject({
      ...{ shows: "token_paid", change: { claimTxHash: hashAt(3), assets: "100" } },
    });
  });
});

test("a claim for exactly the later request's shares pays it, once the earlier one has ended", async () => {
  const sent = [[], [], claims(100n), claims(50n)];
  const ended = { ...first, state: "completed", claimTxHash: hashAt(2), assets: "200" } as const;
  expect(await check({ sent, row: second, others: [ended] })).toMatchObject({
    ...{ shows: "token_paid", change: { claimTxHash: hashAt(3), assets: "100" } },
  });
});

test("a claim for more than the only known request pays each share alike", async () => {
  const seen = await check({ sent: [[], claims(150n)], row: first });
  expect(seen).toMatchObject({ shows: "token_paid", change: { assets: "200" } });
  const rounded = { ...first, shares: "100000" };
  expect(await check({ sent: [[], claims(100_001n)], row: rounded })).toMatchObject({
    ...{ shows: "token_paid", change: { assets: "200002" } },
  });
});

test("what the vault's rounding adds to a claim is no part of the next request", async () => {
  const [large, next] = [askedAt(0, { shares: "100000" }), askedAt(1, { shares: "50000" })];
  const sent = [[], [], claims(100_001n), claims(50_001n)];
  const ended = { ...large, state: "completed", claimTxHash: hashAt(2), assets: "200002" } as const;
  expect(await check({ sent, row: next, others: [ended] })).toMatchObject({
    ...{ shows: "token_paid", change: { claimTxHash: hashAt(3), assets: "100002" } },
  });
  const open = { sent: [[], [], claims(100_001n)], views: waiting(50_000n), hinted: [2] };
  expect(await check({ ...open, row: next, others: [ended] })).toMatchObject({ shows: "request_pending" });
});

test("a request ends although others seem to have taken all payments, if the vault holds none", async () => {
  const sent = [[], [], claims(100n)];
  const ended = { ...first, state: "completed", claimTxHash: hashAt(2), assets: "200" } as const;
  expect(await check({ sent, row: second, others: [ended] })).toMatchObject({
    ...{ shows: "token_paid", change: { claimTxHash: hashAt(2), assets: null } },
  });
});

describe("two equal requests with a claim each", () => {
  const [one, other] = [askedAt(0, { shares: "50" }), askedAt(1, { shares: "50" })];
  const sent = [[], [], claims(50n), claims(50n)];
  const paid = (place: number) => ({
    ...{ shows: "token_paid", change: { claimTxHash: hashAt(place), assets: "100" } },
  });

  test("wait for the amount of both while a claim is unconfirmed", async () => {
    const early = { sent, unconfirmed: [3] };
    expect(await check({ ...early, row: one, others: [other] })).toMatchObject({ shows: null });
    expect(await check({ ...early, row: other, others: [one] })).toMatchObject({ shows: null });
  });

  test("are said to be paid at once where no row would keep an unknown amount", async () => {
    const early = { sent, unconfirmed: [3], keep: () => undefined };
    expect(await check({ ...early, row: one, others: [other] })).toMatchObject({
      ...{ shows: "token_paid", change: { assets: null } },
    });
  });

  test("are paid alike, also if they are checked at the same time", async () => {
    expect(await check({ sent, row: one, others: [other] })).toMatchObject(paid(2));
    expect(await check({ sent, row: other, others: [one] })).toMatchObject(paid(2));
    const ended = { ...one, state: "completed", claimTxHash: hashAt(2), assets: "100" } as const;
    expect(await check({ sent, row: other, others: [ended] })).toMatchObject(paid(3));
  });
});

describe("a request that claims the earlier one", () => {
  const sent = [[], [...claims(100n), ...asks(50n)]];
  const open = { adapter: "lagoon", sent, views: waiting(50n), hinted: [1] } as const;

  test("ends that one with its own amount", async () => {
    expect(await checkRequest({ ...open, row: first, others: [second] })).toMatchObject({
      ...{ shows: "token_paid", change: { claimTxHash: hashAt(1), assets: "200" } },
    });
  });

  test("does so also if a stranger makes it", async () => {
    const strangers = [[], [...claims(100n, OTHER)]];
    expect(await checkRequest({ ...open, sent: strangers, row: first })).toMatchObject({
      ...{ shows: "token_paid", change: { claimTxHash: hashAt(1), assets: "200" } },
    });
  });

  test("is paid by the next claim, also if the earlier one is still to be checked", async () => {
    const both = { ...open, sent: [...sent, claims(50n)], views: {}, hinted: [] } as const;
    expect(await checkRequest({ ...both, row: second, others: [first] })).toMatchObject({
      ...{ shows: "token_paid", change: { claimTxHash: hashAt(2), assets: "100" } },
    });
    const third = askedAt(3, { shares: "100" });
    const later = { ...both, sent: [...both.sent, asks(100n), claims(100n)] } as const;
    expect(await checkRequest({ ...later, row: second, others: [third] })).toMatchObject({
      ...{ shows: "token_paid", change: { claimTxHash: hashAt(2), assets: "100" } },
    });
    const more = askedAt(0, { shares: "101" });
    expect(await checkRequest({ ...both, row: second, others: [more] })).toMatchObject({ shows: null });
    const ended = { ...more, state: "completed", claimTxHash: hashAt(2) } as const;
    expect(await checkRequest({ ...both, row: second, others: [ended] })).toMatchObject({
      change: { assets: null },
    });
  });

  test("is not paid by that", async () => {
    expect(await checkRequest({ ...open, row: second, others: [first] })).toMatchObject({
      shows: "request_pending",
    });
  });
});

describe("a series of requests of which each claims the one before", () => {
  const [one, next, last] = [
    askedAt(0, { shares: "50" }),
    askedAt(1, { shares: "50" }),
    askedAt(2, { shares: "200" }),
  ];
  const sent = [[], [...claims(50n), ...asks(50n)], [...claims(50n), ...asks(200n)], claims(200n)];
  const checkOf = (row: WithdrawalRow, others: readonly WithdrawalRow[]) =>
    checkRequest({ adapter: "lagoon", sent, row, others });
  const paid = (place: number, assets: string) => ({
    ...{ shows: "token_paid", change: { claimTxHash: hashAt(place), assets } },
  });
  const ended = (row: WithdrawalRow, place: number, assets: string): WithdrawalRow => ({
    ...{ ...row, state: "completed", claimTxHash: hashAt(place), assets },
  });

  test("ends one after the other, whichever is checked first", async () => {
    expect(await checkOf(last, [one, next])).toMatchObject({ shows: null });
    expect(await checkOf(one, [next, last])).toMatchObject(paid(1, "100"));
    const first = ended(one, 1, "100");
    expect(await checkOf(next, [first, last])).toMatchObject(paid(2, "100"));
    expect(await checkOf(last, [first, ended(next, 2, "100")])).toMatchObject(paid(3, "400"));
  });

  test("leaves a request its own payment where a later equal one has ended", async () => {
    expect(await checkOf(one, [ended(next, 2, "100"), last])).toMatchObject(paid(1, "100"));
  });
});
