import type { Log } from "viem";
import { expect, test } from "vitest";
import { nextWithdrawalState } from "../../../src/tracking/withdrawals/withdrawal-state-machine.ts";
import { OTHER, USDC, USER, VAULT } from "../../support/deposits/fixtures.ts";
import { transferLog } from "../../support/deposits/logs.ts";
import { eventLog } from "../../support/vaults/answer.ts";
import { askedAt, checkRequest, hashAt, type Requests } from "../../support/withdrawals/several-requests.ts";

/** Requests that their vault settled for nothing: it took the shares and paid no assets. */
const withdraw =
  "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)";

/** A claim of shares; a token may emit a transfer of nothing with it. */
const claim = (shares: bigint, assets: bigint, receiver = USER): Log[] => [
  transferLog({ token: USDC, from: VAULT, to: receiver, value: assets }),
  eventLog(VAULT, withdraw, { sender: USER, receiver, owner: USER, assets, shares }) as unknown as Log,
];
const waiting = (shares: bigint) => ({ "pendingRedeemRequest(uint256,address)": shares });
const first = askedAt(0, { shares: "100" });
const second = askedAt(1, { shares: "50" });
const check = (scene: Omit<Requests, "adapter">) => checkRequest({ adapter: "accountable", ...scene });
const unpaidAt = (place: number) => ({
  shows: "request_unpaid",
  change: { claimTxHash: hashAt(place), assets: "0", substatus: "UNKNOWN_ERROR" },
});

test("a request that was settled for nothing fails with an amount of zero", async () => {
  expect(await check({ sent: [[], claim(100n, 0n)], row: first })).toMatchObject(unpaidAt(1));
  const silent = claim(100n, 0n).slice(1);
  expect(await check({ sent: [[], silent], row: first, hinted: [1] })).toMatchObject(unpaidAt(1));
  const event = { kind: "chain", shows: "request_unpaid", confirmed: true } as const;
  for (const state of ["requested", "cooling", "claimable"] as const)
    expect(nextWithdrawalState(state, event)).toBe("failed");
  expect(nextWithdrawalState("completed", event)).toBe("completed");
});

test("so does one whose second step was to follow", async () => {
  const row = { ...first, moveToken: OTHER.toLowerCase(), twoStep: true };
  expect(await check({ sent: [[], claim(100n, 0n)], row })).toMatchObject(unpaidAt(1));
});

test("of a claim of nothing for several requests, each one's part is nothing", async () => {
  const sent = [[], [], claim(150n, 0n)];
  expect(await check({ sent, row: first, others: [second] })).toMatchObject(unpaidAt(2));
  const ended = { ...first, state: "failed", claimTxHash: hashAt(2), assets: "0" } as const;
  expect(await check({ sent, row: second, others: [ended] })).toMatchObject(unpaidAt(2));
});

test("a payment of the rest is counted", async () => {
  const sent = [[], claim(40n, 0n), claim(60n, 120n)];
  expect(await check({ sent, row: first })).toMatchObject({
    ...{ shows: "token_paid", change: { claimTxHash: hashAt(2), assets: "120" } },
  });
});

test("a later request is not paid by what was settled for nothing before", async () => {
  const sent = [[], [], claim(100n, 0n), claim(50n, 100n)];
  const ended = { ...first, state: "failed", claimTxHash: hashAt(2), assets: "0" } as const;
  expect(await check({ sent, row: second, others: [ended] })).toMatchObject({
    ...{ shows: "token_paid", change: { claimTxHash: hashAt(3), assets: "100" } },
  });
});

test.each<[string, Log[], bigint]>([
  ["a claim of no shares, which anyone can make", claim(0n, 0n), 0n],
  ["a claim that paid another account, while the request is open", claim(100n, 200n, OTHER), 100n],
  ["a part of the shares, while the rest waits", claim(40n, 0n), 60n],
  ["a part of the shares, if nothing shows what became of the rest", claim(40n, 0n), 0n],
])("%s is no such end", async (_what, logs, left) => {
  const seen = await check({ sent: [[], logs], row: first, views: waiting(left), hinted: [1] });
  expect(seen.shows).toBe(left === 0n ? null : "request_pending");
});

test("a request whose claim paid another account alone fails, once the vault no longer knows the request", async () => {
  const sent = [[], claim(100n, 200n, OTHER)];
  expect(await check({ sent, row: first, hinted: [1] })).toMatchObject(unpaidAt(1));
  // The claim of the rest paid the user.
  const parts = [[], claim(40n, 80n, OTHER), claim(60n, 120n)];
  expect(await check({ sent: parts, row: first, hinted: [1] })).toMatchObject({
    ...{ shows: "token_paid", change: { claimTxHash: hashAt(2), assets: "120" } },
  });
});

test("one whose payment another account passed on in the same transaction is paid", async () => {
  const passed = transferLog({ token: USDC, from: OTHER, to: USER, value: 200n });
  const sent = [[], [...claim(100n, 200n, OTHER), passed]];
  expect(await check({ sent, row: first })).toMatchObject({
    ...{ shows: "token_paid", change: { claimTxHash: hashAt(1), assets: "200" } },
  });
});

test("an announced settlement for nothing counts once the vault no longer knows the request", async () => {
  const abi =
    "event RedeemClaimable(address indexed controller, uint256 indexed requestId, uint256 assets, uint256 shares)";
  const announced = (assets: bigint, controller = USER) =>
    eventLog(VAULT, abi, { controller, requestId: 0n, assets, shares: 100n }) as unknown as Log;
  const seen = (log: Log, left = 0n) =>
    check({ sent: [[], [log]], row: first, views: waiting(left), hinted: [1] });
  expect(await seen(announced(0n))).toMatchObject(unpaidAt(1));
  expect(await seen(announced(0n), 50n)).toMatchObject({ shows: "request_pending", undecided: [hashAt(1)] });
  for (const log of [announced(1n), announced(0n, OTHER)]) expect((await seen(log)).shows).toBeNull();
});
