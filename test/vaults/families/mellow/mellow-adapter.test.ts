import { decodeFunctionData, type Log, parseAbi, toFunctionSelector, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { mellow } from "../../../../src/vaults/families/mellow/mellow-adapter.ts";
import { adapterOf } from "../../../../src/vaults/families/vault-families.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import { NOW, OTHER, USDC, USER, vault } from "../../../support/deposits/fixtures.ts";
import { answer, eventLog, Revert, UNMADE } from "../../../support/vaults/answer.ts";

const QUEUE = "0x1111111111111111111111111111111111111111";
const REDEEM = "0x2222222222222222222222222222222222222222";
const ORACLE = "0x4444444444444444444444444444444444444444";
const SHARES = "0x3333333333333333333333333333333333333333";
const own: Vault = {
  ...vault,
  ...{
    adapter: "mellow",
    type: "lido",
    entryPoint: QUEUE,
    spender: QUEUE,
    pricer: ORACLE,
    shareToken: SHARES,
  },
  params: { queue: "sync", redeem_queues: REDEEM },
};
const withParams = (params: Record<string, string>): Vault => ({
  ...own,
  params: { ...own.params, ...params },
});
const request = { token: own.asset, amount: 100_000_000n, caller: USER, receiver: USER, now: NOW };
/** 0.8 shares of 18 decimals for one USDC. */
const PRICE = 8n * 10n ** 29n;
const answers = {
  asset: USDC,
  shareManager: SHARES,
  oracle: ORACLE,
  feeManager: OTHER,
  paused: false,
  report: { priceD18: PRICE, timestamp: 1, isSuspicious: false },
  totalShares: 4_000n * 10n ** 18n,
  admitted: true,
  params: [200n, 86_400],
  fee: 1_000,
  flags: [false, false, false, false, false, 0],
  account: [false, false, false],
  limits: [1_000n * 10n ** 18n, 4_000n * 10n ** 18n],
  waiting: 600n * 10n ** 18n,
};
const termsOf = (asked: Vault, change: Record<string, unknown> = {}, of = {}) =>
  answer(mellow.terms(asked, { ...request, ...of }), { ...answers, ...change });

describe("Mellow terms()", () => {
  test("previews shares at the reported price after penalty and fee", () => {
    expect(termsOf(own)).toEqual({
      asset: USDC,
      previewShares: 79_904_016_000_000_000_000n,
      previewRevert: null,
      price: { assets: 10n ** 18n, shares: PRICE },
      maxDeposit: 3_000_000_000n,
      minDeposit: null,
      paused: false,
      refusal: null,
    });
  });

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ["a fee of zero", { fee: 0 }, { previewShares: 79_984n * 10n ** 15n }],
    ["no word on its fee", { fee: undefined }, { previewShares: null }],
    ["no FeeManager that answers", { feeManager: undefined, fee: undefined }, { previewShares: null }],
    ["no penalty that answers", { params: undefined }, { previewShares: null }],
    ["a penalty above everything", { params: [1_000_001n, 1] }, { previewShares: null }],
    ["no report that answers", { report: undefined }, { previewShares: null, price: null, refusal: null }],
    [
      "a suspicious report",
      { report: { priceD18: PRICE, timestamp: 1, isSuspicious: true } },
      { previewShares: null, price: null, refusal: "price_stale" },
    ],
    [
      "a report of nothing",
      { report: { priceD18: 0n, timestamp: 0, isSuspicious: false } },
      { previewShares: null, refusal: "price_stale" },
    ],
    ["a paused queue", { paused: true }, { paused: true }],
    ["an account that is not on the list", { admitted: false }, { refusal: "not_allowed" }],
    ["no word on the account", { admitted: undefined }, { refusal: null }],
    ["an account that is barred", { account: [true, false, true] }, { refusal: "not_allowed" }],
    ["an account that may transfer", { account: [true, true, false] }, { refusal: null }],
    ["no list of accounts", { account: undefined }, { refusal: null }],
    ["mints that are paused", { flags: [true, false, false, false, false, 0] }, { paused: true }],
    ["no word on its limit", { limits: undefined }, { maxDeposit: null }],
    ["no word on what waits", { waiting: undefined }, { maxDeposit: null }],
    ["a limit that is passed", { limits: [5n, 4n], waiting: 0n }, { maxDeposit: 0n }],
    ["another token's queue", { asset: OTHER }, { asset: OTHER }],
    ["no word on the token", { asset: undefined }, { asset: null }],
    ["another share manager", { shareManager: OTHER }, { asset: null }],
    ["another oracle", { oracle: OTHER }, { asset: null }],
  ])("with %s", (_, change, expected) => {
    expect(termsOf(own, change)).toMatchObject(expected);
  });

  test("ignores the whitelist for the Router's clone", () => {
    expect(termsOf(own, { admitted: false }, { caller: null }).refusal).toBeNull();
  });

  test("has no penalty for a request", () => {
    const later = withParams({ queue: "async" });
    expect(termsOf(later, { params: undefined }).previewShares).toBe(79_920n * 10n ** 15n);
  });

  test("rounds down where the queues round", () => {
    const report = { priceD18: 1_000_001n, timestamp: 1, isSuspicious: false };
    const change = { report, params: [1n, 1], fee: 500_000 };
    const of = { amount: 10n ** 18n };
    expect(termsOf(own, change, of).previewShares).toBe(500_000n);
    expect(termsOf(withParams({ queue: "async" }), change, of).previewShares).toBe(500_001n);
    const more = { amount: 3n * 10n ** 18n };
    expect(termsOf(own, change, more).previewShares).toBe(1_499_999n);
    expect(termsOf(withParams({ queue: "async" }), change, more).previewShares).toBe(1_500_003n);
  });

  test("limits the amount to 224 bits", () => {
    const terms = termsOf(own, {}, { amount: 2n ** 224n });
    expect(terms).toMatchObject({ previewShares: null, maxDeposit: 2n ** 224n - 1n });
    expect(termsOf(own, {}, { amount: 2n ** 224n - 1n }).previewShares).not.toBeNull();
  });
});

describe("Mellow state()", () => {
  test("values all shares, including claimable ones", () => {
    expect(answer(mellow.state(own, NOW), answers)).toEqual({
      totalAssets: 5_000_000_000n,
      totalSupply: 4_000n * 10n ** 18n,
      sharePrice: (10n ** 18n * 5n) / 4n,
      maxDeposit: 3_000_000_000n,
      minDeposit: null,
      paused: false,
    });
  });

  test("does not know the pause when no node read that of the shares", () => {
    const unread = answer(mellow.state(own, NOW), { ...answers, flags: UNMADE });
    expect(unread).toMatchObject({ paused: false, pauseUnknown: true });
  });

  test("returns null when no view answers or the report is suspicious", () => {
    const nothing = {
      totalAssets: null,
      totalSupply: null,
      sharePrice: null,
      maxDeposit: null,
      minDeposit: null,
    };
    expect(answer(mellow.state(own, NOW), {})).toEqual({ ...nothing, paused: false, pauseUnknown: true });
    const report = { priceD18: PRICE, timestamp: 1, isSuspicious: true };
    expect(answer(mellow.state(own, NOW), { ...answers, report })).toMatchObject({
      totalAssets: null,
      sharePrice: null,
    });
    expect(answer(mellow.flags(own), { paused: true })).toEqual({ paused: true, minDeposit: null });
  });

  test("toAssets() values shares by the reported price", () => {
    expect(mellow.toAssets?.(own, { shares: 8n * 10n ** 17n, rate: PRICE })).toBe(1_000_000n);
    expect(mellow.toAssets?.(own, { shares: 1n, rate: 0n })).toBeNull();
    expect(mellow.lens(own)).toMatchObject({ kind: "report", pricer: ORACLE, argument: USDC });
  });
});

describe("Mellow encode()", () => {
  const abi = parseAbi(["function deposit(uint224 assets, address referral, bytes32[] merkleProof)"]);

  test.each(["sync", "async"])("calls the %s queue", (queue) => {
    const call = mellow.encode(withParams({ queue, referrer: OTHER }), { ...request, minShares: 1n });
    expect(decodeFunctionData({ abi, data: call.data }).args).toEqual([100_000_000n, OTHER, []]);
    expect(call).toMatchObject({
      ...{ target: QUEUE, spender: QUEUE, shareToken: SHARES, amountOffset: 4, amountScale: 1n },
      ...{ sharesTo: "caller", async: queue === "async", minShares: "router" },
    });
    expect(call.data.slice(0, 10)).toBe("0x1dbd773b");
  });

  test("throws for an unknown kind of queue", () => {
    expect(() => mellow.encode(withParams({ queue: "" }), { ...request, minShares: 1n })).toThrow(
      /queue is one of sync, async/,
    );
    expect(adapterOf(own)).toBe(mellow);
  });
});

test.each([
  ["NotWhitelisted(address)", "not_allowed"],
  ["Blacklisted(address)", "not_allowed"],
] as const)("mellow's %s, which names the account, is %s", (signature, code) => {
  const data = `${toFunctionSelector(signature)}${USER.slice(2).padStart(64, "0")}` as const;
  expect(mellow.explain?.(data)).toEqual({ code, text: signature.split("(")[0] });
});

test.each([
  ["QueuePaused()", "vault_paused"],
  ["DepositNotAllowed()", "not_allowed"],
  ["InvalidReport()", "price_stale"],
  ["StaleReport()", "price_stale"],
  ["PendingRequestExists()", "request_pending"],
] as const)("mellow's %s is %s", (signature, code) => {
  const data = toFunctionSelector(signature);
  expect(mellow.explain?.(data)).toEqual({ code, text: signature.slice(0, -2) });
  expect(mellow.explain?.("0x12345678")).toBeNull();
});

const events = {
  deposited:
    "event Deposited(address indexed account, address indexed referral, uint224 assets, uint256 shares, uint256 feeShares)",
  requested:
    "event DepositRequested(address indexed account, address indexed referral, uint224 assets, uint32 timestamp)",
  claimed: "event DepositRequestClaimed(address indexed account, uint256 shares, uint32 timestamp)",
  canceled: "event DepositRequestCanceled(address indexed account, uint256 assets, uint32 timestamp)",
  redeemed: "event Redeemed(address indexed account, uint256 shares, uint256 assets, uint256 feeShares)",
  redemption:
    "event RedeemRequestClaimed(address indexed account, address indexed receiver, uint256 assets, uint32 timestamp)",
  transfer: "event Transfer(address indexed from, address indexed to, uint256 value)",
} as const;
const values = {
  ...{ account: USER, referral: OTHER, receiver: OTHER, assets: 5n, shares: 7n, feeShares: 1n, timestamp: 9 },
  ...{ from: USER, to: zeroAddress, value: 7n },
};
const at = (address: `0x${string}`, event: keyof typeof events, change = {}) =>
  eventLog(address, events[event], { ...values, ...change });

describe("Mellow flows", () => {
  const source = mellow.flows(own);

  test.each([
    ["deposited", QUEUE, { kind: "deposit", user: USER, assets: 5n, shares: 7n }],
    ["requested", QUEUE, { kind: "deposit", user: USER, assets: 5n, shares: 0n }],
    ["canceled", QUEUE, { kind: "withdrawal", user: USER, assets: 5n, shares: 0n }],
    ["claimed", QUEUE, { kind: "deposit", user: USER, assets: 0n, shares: 7n, sharesOnly: true }],
    ["redeemed", REDEEM, { kind: "withdrawal", user: USER, assets: 5n, shares: 7n }],
    ["redemption", REDEEM, { kind: "withdrawal", user: USER, assets: 5n, shares: 0n }],
  ] as const)("are read from %s", (event, address, flow) => {
    const log = at(address, event);
    expect(source.topics).toContain(log.topics[0]);
    expect(source.addresses).toContain(address);
    expect(source.decode(log)).toEqual(flow);
    expect(source.decode(at(OTHER, event))).toBeNull();
    expect(source.decode({ ...log, data: "0x00" })).toBeNull();
  });

  test("include the token's other queues", () => {
    const both = mellow.flows(withParams({ deposit_queues: OTHER }));
    expect(both.addresses).toEqual([QUEUE, OTHER, SHARES, REDEEM]);
    expect(both.decode(at(OTHER, "requested"))).toMatchObject({ kind: "deposit", user: USER, assets: 5n });
    expect(both.decode(at(OTHER, "redeemed"))).toBeNull();
    expect(() => mellow.flows(withParams({ deposit_queues: "x" }))).toThrow(/deposit_queues/);
  });

  test("count burned shares as withdrawals when the row names no redeem queues", () => {
    const burning = mellow.flows(withParams({ redeem_queues: "" }));
    expect(burning.addresses).toEqual([QUEUE, SHARES]);
    const burned = { kind: "withdrawal", user: USER, assets: null, shares: 7n };
    expect(burning.decode(at(SHARES, "transfer"))).toEqual(burned);
    expect(burning.decode(at(SHARES, "transfer", { to: OTHER }))).toBeNull();
    expect(() => mellow.flows(withParams({ redeem_queues: `${REDEEM},x` }))).toThrow(/redeem_queues/);
  });
});

describe("Mellow asynchronous deposits", () => {
  const later = withParams({ queue: "async" });
  const requests = mellow.asyncDeposits?.(later) ?? null;
  const pending = (table: Record<string, unknown>) =>
    requests === null ? null : answer(requests.pending(later, { user: USER, requestIds: [] }), table);

  test("exist only for queues that take requests", () => {
    expect(requests).not.toBeNull();
    expect(mellow.asyncDeposits?.(own)).toBeNull();
  });

  test.each([
    ["nothing", { request: [0n, 0n], claimable: 0n }, [0n, 0n, 0n, 0]],
    ["one that waits", { request: [9n, 5n], claimable: 0n }, [5n, 0n, 5n, 9]],
    ["one that is settled", { request: [9n, 5n], claimable: 7n }, [0n, 7n, 5n, 9]],
    ["nobody knows what", { request: [9n, 5n] }, [null, null, 5n, 9]],
    ["nobody knows how much", { claimable: 0n }, [null, 0n, null, 0]],
  ] as const)("of %s", (_, table, [pendingAssets, claimableShares, assets, at]) => {
    // The flows count a request when it is made.
    const booked = { assets, at };
    expect(pending(table)).toEqual({ pendingAssets, claimableShares, claimableAssets: null, booked });
  });

  const readAt = (queue: string) => `booked/${queue.toLowerCase()}/request`;

  // The flows count the requests at all queues.
  test.each([
    ["nothing", {}, { assets: 5n, at: 9 }],
    ["requests", { [readAt(REDEEM)]: [11n, 4n], [readAt(OTHER)]: [12n, 0n] }, { assets: 9n, at: 12 }],
    ["a request in another token", { [readAt(OTHER)]: [12n, 4n] }, { assets: null, at: 12 }],
    [
      "no requests, because it mints",
      { [readAt(REDEEM)]: new Revert("0x"), sync: [0n, 1] },
      { assets: 5n, at: 9 },
    ],
    ["an unread request", { [readAt(REDEEM)]: new Revert("0x") }, { assets: null, at: 9 }],
  ] as const)("count those of the other queues, which have %s, as booked", (_, table, booked) => {
    const many = withParams({ queue: "async", deposit_queues: REDEEM, other_deposit_queues: OTHER });
    const own = { request: [9n, 5n], claimable: 0n, [readAt(REDEEM)]: [0n, 0n] };
    const query = requests?.pending(many, { user: USER, requestIds: [] });
    const read = { ...own, [readAt(OTHER)]: [0n, 0n], ...table };
    const found = { pendingAssets: 5n, claimableShares: 0n, claimableAssets: null, booked };
    expect(query && answer(query, read)).toEqual(found);
  });

  test("claim() encodes a call only when shares are claimable", () => {
    const claim = (claimableShares: bigint | null) =>
      requests?.claim(later, {
        user: USER,
        pending: { pendingAssets: 0n, claimableShares, claimableAssets: null },
      });
    const call = claim(7n);
    expect(call?.target).toBe(QUEUE);
    expect(call?.data).toBe(`0x1e83409a${USER.slice(2).toLowerCase().padStart(64, "0")}`);
    expect(claim(0n)).toBeNull();
    expect(claim(null)).toBeNull();
  });

  test("findRequest() finds the user's request in a receipt", () => {
    const seen = (user: `0x${string}`, log: object) =>
      requests?.findRequest(later, { user, logs: [log] as unknown as Log[] });
    expect(seen(USER, at(QUEUE, "requested"))).toEqual({ requestId: null, assets: 5n });
    expect(seen(OTHER, at(QUEUE, "requested"))).toBeNull();
    expect(seen(USER, at(REDEEM, "requested"))).toBeNull();
  });
});
