import { type Hex, type Log, pad } from "viem";
import { expect, test } from "vitest";
import { OTHER, USDC, USER, vault } from "../../support/deposits/fixtures.ts";
import { transferLog } from "../../support/deposits/logs.ts";
import { eventLog } from "../../support/vaults/answer.ts";
import { askedAt, checkRequest, type Requests } from "../../support/withdrawals/several-requests.ts";

/** A request at an AtomicQueue that its owner cancelled there: the cancellation moves no token, so no search finds it. */
const QUEUE = "0x2222222222222222222222222222222222222222";
const params = { teller: "d", atomic_queues: QUEUE };
const parties = { user: USER, offerToken: vault.shareToken, wantToken: USDC, timestamp: 1n };
const made = eventLog(
  QUEUE,
  "event AtomicRequestUpdated(address indexed user, address indexed offerToken, address indexed wantToken, uint256 amount, uint256 deadline, uint256 minPrice, uint256 timestamp)",
  { ...parties, amount: 100n, deadline: 10n, minPrice: 1n },
) as unknown as Log;
const fulfilled = eventLog(
  QUEUE,
  "event AtomicRequestFulfilled(address indexed user, address indexed offerToken, address indexed wantToken, uint256 offerAmountSpent, uint256 wantAmountReceived, uint256 timestamp)",
  { ...parties, offerAmountSpent: 100n, wantAmountReceived: 120n },
) as unknown as Log;
const paid = [transferLog({ token: USDC, from: OTHER, value: 120n }), fulfilled];

const SLOT = "getUserAtomicRequest(address,address,address)";
const slot = (amount: bigint): Hex =>
  `0x${[0n, 1n, amount, 0n].map((value) => pad(`0x${value.toString(16)}`).slice(2)).join("")}`;
const row = askedAt(0, {
  ...{ shares: "100", requestId: `atomic/${QUEUE}/${USDC}`.toLowerCase(), exitToken: USDC.toLowerCase() },
});
const check = (of: Partial<Requests> = {}) =>
  checkRequest({
    ...{ adapter: "veda", params, row, keep: () => undefined, sent: [[made]] },
    views: { [SLOT]: slot(0n) },
    ...of,
  });

test("a request that is gone and was never paid was cancelled", async () => {
  expect(await check()).toMatchObject({ shows: "request_cancelled", undecided: [] });
  expect(await check({ views: { [SLOT]: slot(100n) } })).toMatchObject({ shows: "request_expired" });
  expect(await check({ sent: [[made], paid] })).toMatchObject({ shows: "token_paid" });
});

test("a payment without confirmations is waited for", async () => {
  expect(await check({ sent: [[made], paid], unconfirmed: [1] })).toMatchObject({ shows: null });
});

test("nothing is concluded where payments may not have been read", async () => {
  expect(await check({ refusesLogs: true })).toMatchObject({ shows: null });
  expect(await check({ row: { ...row, exitToken: OTHER } })).toMatchObject({ shows: null });
});

test("a request that was open a few blocks ago is not gone for good", async () => {
  expect(await check({ viewsBefore: { [SLOT]: slot(100n) } })).toMatchObject({ shows: null });
  expect(await check({ viewsBefore: "unreadable" })).toMatchObject({ shows: null });
});

test("where requests take the shares, one that is gone may have been paid elsewhere", async () => {
  const none = await checkRequest({
    ...{ adapter: "lagoon", sent: [[]] },
    row: askedAt(0, { shares: "100" }),
  });
  expect(none).toMatchObject({ shows: null });
});
