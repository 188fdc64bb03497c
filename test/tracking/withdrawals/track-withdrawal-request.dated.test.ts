import type { Log } from "viem";
import { decodeFunctionData, type Hex, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import { OTHER, USDC, USER, VAULT } from "../../support/deposits/fixtures.ts";
import { transferLog } from "../../support/deposits/logs.ts";
import { eventLog } from "../../support/vaults/answer.ts";
import { askedAt, checkRequest, hashAt, type Requests } from "../../support/withdrawals/several-requests.ts";

/** Requests of several dates at a vault of Upshift, whose payments are for one date and one account, and name no date. */
const [WEDNESDAY, THURSDAY] = ["2026-01-07", "2026-01-08"];
const burnable =
  "function getBurnableAmountByReceiver(uint256 year, uint256 month, uint256 day, address receiver)";

/** The views of a vault that still holds these shares of the account, by date. */
const views = (open: Readonly<Record<string, bigint>>) => ({
  [burnable]: (data: Hex) => {
    const { args } = decodeFunctionData({ abi: parseAbi([burnable]), data });
    const [year, month, day] = args.map((part) => part.toString().padStart(2, "0"));
    return open[`${year}-${month}-${day}`] ?? 0n;
  },
});

/** A payment of a legacy vault to the account, or to another one in its place, because it is on the vault's blacklist. */
const pays = (assetsAmount: bigint, { wasBlacklisted = false } = {}): Log[] => [
  eventLog(
    VAULT,
    "event WithdrawalProcessed(uint256 assetsAmount, uint256 processedOn, address receiverAddr, uint256 requestedOn, bool wasBlacklisted)",
    { assetsAmount, processedOn: 2n, receiverAddr: USER, requestedOn: 1n, wasBlacklisted },
  ) as unknown as Log,
  transferLog({ token: USDC, from: VAULT, value: assetsAmount, ...(wasBlacklisted ? { to: OTHER } : {}) }),
];

const early = askedAt(0, { shares: "100", requestId: WEDNESDAY });
const late = askedAt(1, { shares: "50", requestId: THURSDAY });
const check = (scene: Omit<Requests, "adapter">) => checkRequest({ adapter: "upshift_legacy", ...scene });

describe("a payment for one date", () => {
  const sent = [[], [], pays(100n)];
  const open = { views: views({ [THURSDAY]: 50n }), sent, hinted: [2] };

  test("does not end the request of another", async () => {
    expect(await check({ ...open, row: late, others: [early] })).toMatchObject({
      ...{ shows: "request_pending", undecided: [hashAt(2)] },
    });
    const ended = { ...early, state: "completed", claimTxHash: hashAt(2), assets: "100" } as const;
    expect(await check({ ...open, row: late, others: [ended] })).toMatchObject({ shows: "request_pending" });
  });

  test("ends the request of its own, with its amount", async () => {
    const change = { claimTxHash: hashAt(2), assets: "100" };
    expect(await check({ ...open, row: early, others: [late] })).toMatchObject({
      ...{ shows: "token_paid", change },
    });
  });

  test("is no loss of the request if another payment was one of nothing, which anyone can cause", async () => {
    const dust = { views: views({}), sent: [[], pays(0n), pays(100n)], hinted: [1, 2] };
    expect(await check({ ...dust, row: early })).not.toMatchObject({ shows: "request_unpaid" });
    expect(await check({ ...dust, row: { ...early, estimatedAssets: "100" } })).toMatchObject({
      ...{ shows: "token_paid", change: { assets: null } },
    });
  });

  test("does not end a request whose date is not known yet", async () => {
    const unnamed = { ...late, requestId: null };
    const seen = await checkRequest({ ...open, adapter: "upshift", row: unnamed, others: [early] });
    expect(seen).toMatchObject({ shows: "request_pending", change: { requestId: THURSDAY } });
  });
});

test("a request that the vault paid to another account in the account's place ends as paid nothing", async () => {
  const sent = [[], [], pays(100n, { wasBlacklisted: true })];
  const change = { claimTxHash: hashAt(2), assets: "0", substatus: "UNKNOWN_ERROR" };
  expect(await check({ sent, row: early, hinted: [2] })).toMatchObject({ shows: "request_unpaid", change });
  // Nothing of another date, which the vault still holds.
  const open = { views: views({ [THURSDAY]: 50n }), sent, hinted: [2] };
  expect(await check({ ...open, row: late, others: [early] })).toMatchObject({ shows: "request_pending" });
});

test("a request is paid by what no request of another date took", async () => {
  const ended = { ...early, state: "completed", claimTxHash: hashAt(2), assets: "100" } as const;
  const sent = [[], [], pays(100n), pays(50n)];
  const seen = await check({ sent, row: late, others: [ended], hinted: [2] });
  const change = { claimTxHash: hashAt(3), assets: "50" };
  expect(seen).toMatchObject({ shows: "token_paid", change });
});

test("requests of one date end with one payment, whose parts are unknown", async () => {
  const second = { ...late, requestId: WEDNESDAY };
  const sent = [[], [], pays(150n)];
  const change = { claimTxHash: hashAt(2), assets: null };
  expect(await check({ sent, row: early, others: [second] })).toMatchObject({ shows: "token_paid", change });
  const ended = { ...early, state: "completed", claimTxHash: hashAt(2), assets: null } as const;
  expect(await check({ sent, row: second, others: [ended] })).toMatchObject({ shows: "token_paid", change });
});

describe("a request without a date yet", () => {
  const unnamed = askedAt(1, { shares: "50", requestId: null });
  const holds = (change: Partial<typeof early>) => ({ ...early, shares: "50", ...change });
  const nameOf = async (open: Readonly<Record<string, bigint>>, others: Requests["others"] = []) => {
    const seen = await checkRequest({
      ...{ adapter: "upshift", row: unnamed, others, sent: [[], []], views: views(open) },
    });
    return seen.change?.requestId ?? null;
  };

  test("is of the date that no other request of as many shares has", async () => {
    const open = { [WEDNESDAY]: 50n, [THURSDAY]: 50n };
    expect(await nameOf(open, [holds({})])).toBe(THURSDAY);
    expect(await nameOf(open, [holds({ requestId: THURSDAY })])).toBe(WEDNESDAY);
    expect(await nameOf(open)).toBe(WEDNESDAY);
  });

  test("is of the date of which others leave as many shares", async () => {
    expect(await nameOf({ [WEDNESDAY]: 50n, [THURSDAY]: 100n }, [holds({ requestId: THURSDAY })])).toBe(
      WEDNESDAY,
    );
    expect(await nameOf({ [WEDNESDAY]: 100n }, [holds({})])).toBe(WEDNESDAY);
    expect(await nameOf({ [WEDNESDAY]: 150n, [THURSDAY]: 70n }, [holds({ shares: "100" })])).toBe(WEDNESDAY);
  });

  test("is of no date that others have, nor of one of several", async () => {
    expect(await nameOf({ [WEDNESDAY]: 50n }, [holds({})])).toBeNull();
    expect(await nameOf({ [WEDNESDAY]: 60n, [THURSDAY]: 70n })).toBeNull();
  });

  test("is not ended by a payment while it may be one of several", async () => {
    const open = {
      views: views({ [WEDNESDAY]: 60n, [THURSDAY]: 70n }),
      sent: [[], [], pays(50n)],
      hinted: [2],
    };
    const seen = await checkRequest({ ...open, adapter: "upshift", row: unnamed });
    expect(seen).toEqual({ shows: null, change: null, undecided: [hashAt(2)] });
  });

  test("is ended by a payment once the vault holds no shares of it", async () => {
    const others = [{ ...early, state: "completed", claimTxHash: hashAt(2), assets: "100" } as const];
    const sent = [[], [], pays(100n), pays(50n)];
    const seen = await checkRequest({ adapter: "upshift", row: unnamed, others, sent, hinted: [2, 3] });
    expect(seen).toMatchObject({ shows: "token_paid", change: { claimTxHash: hashAt(3), assets: "50" } });
  });
});
