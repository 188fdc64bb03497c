import type { Address, Log } from "viem";
import { describe, expect, test } from "vitest";
import { USDC, USER, VAULT } from "../../support/deposits/fixtures.ts";
import { transferLog } from "../../support/deposits/logs.ts";
import { eventLog } from "../../support/vaults/answer.ts";
import { askedAt, checkRequest, hashAt, type Requests } from "../../support/withdrawals/several-requests.ts";

/** Payments of one account's requests that a vault holds together, of which another request took some. */
const withdraw =
  "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)";
/** A claim of shares, each of which pays two of the asset's smallest units. */
const claims = (shares: bigint): Log[] => [
  transferLog({ token: USDC, from: VAULT, value: 2n * shares }),
  eventLog(VAULT, withdraw, {
    ...{ sender: USER, receiver: USER, owner: USER, assets: 2n * shares, shares },
  }) as unknown as Log,
];
const QUEUE: Address = "0x1111111111111111111111111111111111111111";
/** A claim at a queue, whose event names no shares. */
const claimed = (value: bigint): Log[] => [
  transferLog({ token: USDC, from: QUEUE, value }),
  eventLog(QUEUE, "event Claimed(address indexed account, address indexed recipient, uint256 amount)", {
    ...{ account: USER, recipient: USER, amount: value },
  }) as unknown as Log,
];
const completed = (place: number, assets: string | null = null) =>
  ({ state: "completed", claimTxHash: hashAt(place), assets }) as const;

describe("requests at a vault whose claims name no shares", () => {
  const first = askedAt(0, { shares: "100", estimatedAssets: "200" });
  const second = askedAt(1, { shares: "50", estimatedAssets: "100" });
  const check = (scene: Omit<Requests, "adapter">) =>
    checkRequest({ adapter: "mellow_lrt", params: { withdrawal_queues: QUEUE }, ...scene });
  const waits = { "pendingAssetsOf(address)": 100n };

  test("do not end with what ended another one while the vault holds assets", async () => {
    const open = { sent: [[], [], claimed(200n)], views: waits, hinted: [2] };
    expect(await check({ ...open, row: first, others: [second] })).toMatchObject({
      ...{ shows: "token_paid", change: { claimTxHash: hashAt(2), assets: null } },
    });
    const others = [{ ...first, ...completed(2) }];
    expect(await check({ ...open, row: second, others })).toMatchObject({
      ...{ shows: "request_pending", undecided: [hashAt(2)] },
    });
  });

  test("have an unknown amount if more was paid than the vault queued, for a request of which nothing is known", async () => {
    const paidWith = async (value: bigint) =>
      (await check({ sent: [[], claimed(value)], hinted: [1], row: first, others: [] })).change?.assets;
    expect([await paidWith(200n), await paidWith(150n), await paidWith(300n)]).toEqual(["200", "150", null]);
  });

  test("do not end with an earlier part of what another one was paid", async () => {
    const sent = [[], [], claimed(120n), claimed(80n)];
    const others = [{ ...first, ...completed(3) }];
    const seen = await check({ sent, views: waits, hinted: [2, 3], row: second, others });
    expect(seen).toMatchObject({ shows: "request_pending" });
  });

  test("end with what is paid after that, whose amount may belong to both", async () => {
    const others = [{ ...first, ...completed(2) }];
    const sent = [[], [], claimed(200n), claimed(100n)];
    for (const scene of [{ views: waits, hinted: [2, 3] }, {}])
      expect(await check({ sent, ...scene, row: second, others })).toMatchObject({
        ...{ shows: "token_paid", change: { claimTxHash: hashAt(3), assets: null } },
      });
  });

  test("end with another one's payment if there is no other and the vault holds nothing", async () => {
    const others = [{ ...first, ...completed(2) }];
    const sent = [[], [], claimed(300n)];
    expect(await check({ sent, row: second, others })).toMatchObject({
      ...{ shows: "token_paid", change: { claimTxHash: hashAt(2), assets: null } },
    });
    const more = { sent: [...sent, claimed(100n)], unconfirmed: [3] };
    expect(await check({ ...more, row: second, others })).toMatchObject({ shows: null });
  });
});

describe("a payment that is not confirmed", () => {
  const check = (scene: Omit<Requests, "adapter">) => checkRequest({ adapter: "accountable", ...scene });
  const first = askedAt(0, { shares: "100" });
  const second = askedAt(1, { shares: "50" });

  test("keeps a request open of which it may be the last part", async () => {
    const sent = [[], claims(60n), claims(40n)];
    expect(await check({ sent, row: first, unconfirmed: [2] })).toMatchObject({
      ...{ shows: null, undecided: [hashAt(1)] },
    });
    expect(await check({ sent, row: first })).toMatchObject({
      ...{ shows: "token_paid", change: { claimTxHash: hashAt(2), assets: "200" } },
    });
  });

  test("keeps a request open that would otherwise end with another one's payment", async () => {
    const sent = [[], [], claims(100n), claims(50n)];
    const others = [{ ...first, ...completed(2, "200") }];
    expect(await check({ sent, row: second, others, unconfirmed: [3] })).toMatchObject({ shows: null });
  });

  test("matters only if it is the vault's", async () => {
    const dust = [transferLog({ token: USDC, from: QUEUE, value: 1n })];
    expect(await check({ sent: [[], claims(60n), dust], row: first, unconfirmed: [2] })).toMatchObject({
      ...{ shows: "token_paid", change: { claimTxHash: hashAt(1), assets: "120" } },
    });
  });
});

describe("a request of whose payments only some are found", () => {
  const row = askedAt(0, { shares: "100" });
  const later = { adapter: "accountable", row, headBlock: 400_000 } as const;
  const blockOf = (place: number) => (place < 2 ? 300 + place : 395_000);
  const whole = { shows: "token_paid", change: { claimTxHash: hashAt(2), assets: "200" } };

  test("ends once the blocks since its request are searched, and not before", async () => {
    let stored = 0;
    const onHints = () => {
      stored += 1;
    };
    const scene = { ...later, sent: [[], [], claims(60n)], blockOf, onHints };
    expect(await checkRequest(scene)).toMatchObject({ shows: null, undecided: [hashAt(2)] });
    expect(stored).toBe(1);
    expect(await checkRequest({ ...scene, hinted: [2] })).toMatchObject({ shows: null });
    expect(stored).toBe(1);
    for (const hinted of [[], [2]])
      expect(await checkRequest({ ...scene, hinted, checks: 6 })).toMatchObject({
        ...{ shows: "token_paid", change: { claimTxHash: hashAt(2), assets: "120" } },
      });
  });

  test("has an earlier part that a later search finds", async () => {
    const scene = { ...later, sent: [[], claims(60n), claims(40n)], blockOf };
    expect(await checkRequest(scene)).toMatchObject({ shows: null });
    expect(await checkRequest({ ...scene, checks: 6 })).toMatchObject(whole);
  });

  test("ends at once with payments of all of its shares", async () => {
    expect(await checkRequest({ ...later, sent: [[], [], claims(100n)], blockOf })).toMatchObject(whole);
  });
});

test("a payment after the last one of an ended request is not that one's", async () => {
  const ended = { ...askedAt(0, { shares: "100" }), ...completed(2, "200") };
  const last = askedAt(4, { shares: "70" });
  const row = askedAt(1, { shares: "50" });
  const scene = { adapter: "accountable", row, views: { "pendingRedeemRequest(uint256,address)": 70n } };
  const sent = [[], [], claims(40n), claims(50n), []];
  expect(await checkRequest({ ...scene, sent, hinted: [2, 3], others: [last, ended] })).toMatchObject({
    ...{ shows: "token_paid", change: { claimTxHash: hashAt(3), assets: "100" } },
  });
});
