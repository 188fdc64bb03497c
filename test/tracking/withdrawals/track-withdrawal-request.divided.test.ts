import type { Log } from "viem";
import { describe, expect, test } from "vitest";
import type { WithdrawalRow } from "../../../src/db/queries/deposit-queries.ts";
import { OTHER, USDC, USER, VAULT } from "../../support/deposits/fixtures.ts";
import { transferLog } from "../../support/deposits/logs.ts";
import { eventLog } from "../../support/vaults/answer.ts";
import { askedAt, checkRequest, hashAt, type Requests } from "../../support/withdrawals/several-requests.ts";

/** What each of several requests has of a payment that is for all of them. */
const withdraw =
  "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)";
const claim = (shares: bigint, assets: bigint): Log[] => [
  transferLog({ token: USDC, from: VAULT, value: assets }),
  eventLog(VAULT, withdraw, {
    ...{ sender: USER, receiver: USER, owner: USER, assets, shares },
  }) as unknown as Log,
];
const first = askedAt(0, { shares: "100" });
const second = askedAt(1, { shares: "50" });
const check = (scene: Omit<Requests, "adapter">) => checkRequest({ adapter: "accountable", ...scene });
const amountOf = async (scene: Omit<Requests, "adapter">) => (await check(scene)).change?.assets;
/** The amounts of all requests, each checked while the others are open. */
const amountsOf = (sent: readonly (readonly Log[])[], rows: readonly WithdrawalRow[]) =>
  Promise.all(rows.map((row) => amountOf({ sent, row, others: rows.filter((other) => other !== row) })));
const paid = (row: WithdrawalRow, place: number, assets: string): WithdrawalRow => ({
  ...{ ...row, state: "completed", claimTxHash: hashAt(place), assets },
});

describe("one claim for two requests", () => {
  const both = [[], [], claim(150n, 301n)];

  test("is divided by their shares, rounded down", async () => {
    expect(await amountsOf(both, [first, second])).toEqual(["200", "100"]);
    expect(await amountOf({ sent: both, row: second, others: [paid(first, 2, "200")] })).toBe("100");
  });

  test("gives one whose second step follows its part", async () => {
    const row = { ...first, moveToken: OTHER.toLowerCase(), twoStep: true };
    expect(await check({ sent: both, row, others: [second] })).toMatchObject({
      ...{ shows: "assets_paid", change: { assets: "200", claimTxHash: hashAt(2) } },
    });
  });

  test("gives nothing away twice if it does not suffice for both and nothing is open", async () => {
    const short = [[], [], claim(120n, 240n)];
    expect(await amountOf({ sent: short, row: first, others: [second] })).toBeNull();
    // What is left for the later one shows once the earlier one has ended.
    expect((await check({ sent: short, row: second, others: [first] })).shows).toBeNull();
    const ended: WithdrawalRow = { ...first, state: "completed", claimTxHash: hashAt(2) };
    expect(await amountOf({ sent: short, row: second, others: [ended] })).toBeNull();
  });

  test("gives the earlier one its part while the later one waits", async () => {
    const scene = { sent: [[], [], claim(120n, 240n)], hinted: [2] };
    const views = { "pendingRedeemRequest(uint256,address)": 30n };
    expect(await amountOf({ ...scene, views, row: first, others: [second] })).toBe("200");
    expect((await check({ ...scene, views, row: second, others: [first] })).shows).toBe("request_pending");
  });
});

test("claims at different prices are not divided, because nothing shows which is whose", async () => {
  const sent = [[], [], claim(60n, 120n), claim(90n, 90n)];
  expect(await amountOf({ sent, row: first, others: [second] })).toBeNull();
  const ended: WithdrawalRow = { ...first, state: "completed", claimTxHash: hashAt(3) };
  expect(await amountOf({ sent, row: second, others: [ended] })).toBeNull();
  // The rounding of their amounts is no difference.
  expect(await amountsOf([[], [], claim(60n, 121n), claim(90n, 180n)], [first, second])).toEqual([
    ...["201", "100"],
  ]);
});

test.each([
  [[60n, 90n], 2n],
  [[10n, 140n], 3n],
  [[150n], 1n],
  [[50n, 50n, 50n], 2n],
])("claims of %s shares never give more than they paid, whoever is checked first", async (parts, price) => {
  const sent = [[], [], ...parts.map((shares) => claim(shares, shares * price))];
  const rows = [first, second];
  const total = 150n * price;
  const together = await amountsOf(sent, rows);
  expect(together.reduce((sum, amount) => sum + BigInt(amount ?? 0), 0n)).toBeLessThanOrEqual(total);
  for (const [row, other] of [rows, rows.toReversed()] as const) {
    if (row === undefined || other === undefined) continue;
    const { change } = await check({ sent, row, others: [other] });
    const ended = { ...row, state: "completed", ...change } as WithdrawalRow;
    const rest = await amountOf({ sent, row: other, others: [ended] });
    expect(BigInt(change?.assets ?? 0) + BigInt(rest ?? 0)).toBeLessThanOrEqual(total);
  }
});
