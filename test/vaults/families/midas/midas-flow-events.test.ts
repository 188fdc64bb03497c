import { type Log, maxUint256, zeroAddress, zeroHash } from "viem";
import { describe, expect, test } from "vitest";
import { midas } from "../../../../src/vaults/families/midas/midas-adapter.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import { OTHER, USDC, USER, vault, WETH } from "../../../support/deposits/fixtures.ts";
import { answer, eventLog } from "../../../support/vaults/answer.ts";

const ONE = 10n ** 18n;
const DEPOSITS = "0x1111111111111111111111111111111111111111";
const REDEMPTIONS = "0x2222222222222222222222222222222222222222";
const own: Vault = {
  ...vault,
  ...{ adapter: "midas", type: "midas", entryPoint: DEPOSITS },
  params: { deposit: "request", recipient: "caller", asset_rate: "stable", redemption_vault: REDEMPTIONS },
};
const { redemption_vault: _, ...others } = own.params;
const withoutRedemptions: Vault = { ...own, params: others };

const events = {
  instant:
    "event DepositInstant(address indexed user, address indexed tokenIn, uint256 amountUsd, uint256 amountToken, uint256 fee, uint256 minted, bytes32 referrerId)",
  instantFor:
    "event DepositInstantWithCustomRecipient(address indexed user, address indexed tokenIn, address recipient, uint256 amountUsd, uint256 amountToken, uint256 fee, uint256 minted, bytes32 referrerId)",
  request:
    "event DepositRequest(uint256 indexed requestId, address indexed user, address indexed tokenIn, uint256 amountToken, uint256 amountUsd, uint256 fee, uint256 tokenOutRate, bytes32 referrerId)",
  requestFor:
    "event DepositRequestWithCustomRecipient(uint256 indexed requestId, address indexed user, address indexed tokenIn, address recipient, uint256 amountToken, uint256 amountUsd, uint256 fee, uint256 tokenOutRate, bytes32 referrerId)",
  redemption:
    "event RedeemInstant(address indexed user, address indexed tokenOut, uint256 amount, uint256 feeAmount, uint256 amountTokenOut)",
  redemptionFor:
    "event RedeemInstantWithCustomRecipient(address indexed user, address indexed tokenOut, address recipient, uint256 amount, uint256 feeAmount, uint256 amountTokenOut)",
  redemptionRequest:
    "event RedeemRequest(uint256 indexed requestId, address indexed user, address indexed tokenOut, uint256 amountMTokenIn, uint256 feeAmount)",
  redemptionRequestFor:
    "event RedeemRequestWithCustomRecipient(uint256 indexed requestId, address indexed user, address indexed tokenOut, address recipient, uint256 amountMTokenIn, uint256 feeAmount)",
  transfer: "event Transfer(address indexed from, address indexed to, uint256 value)",
} as const;
const values = {
  ...{
    requestId: 7n,
    user: USER,
    recipient: OTHER,
    tokenIn: USDC,
    tokenOut: USDC,
    from: USER,
    to: zeroAddress,
  },
  ...{ amountUsd: 5n * ONE, amountToken: 5n * ONE, fee: 0n, minted: 4n * ONE, tokenOutRate: ONE },
  ...{ amount: 4n * ONE, feeAmount: 0n, amountTokenOut: 5n * ONE, amountMTokenIn: 4n * ONE, value: 4n * ONE },
  referrerId: zeroHash,
};
const at = (address: `0x${string}`, event: keyof typeof events, change = {}) =>
  eventLog(address, events[event], { ...values, ...change });

describe("Midas flows", () => {
  const source = midas.flows(own);

  test.each([
    ["instant", DEPOSITS, { kind: "deposit", user: USER, assets: 5_000_000n, shares: 4n * ONE }],
    ["instantFor", DEPOSITS, { kind: "deposit", user: OTHER, assets: 5_000_000n, shares: 4n * ONE }],
    [
      "request",
      DEPOSITS,
      { kind: "deposit", user: USER, assets: 5_000_000n, shares: null, requestId: "deposit:7" },
    ],
    [
      "requestFor",
      DEPOSITS,
      { kind: "deposit", user: OTHER, assets: 5_000_000n, shares: null, requestId: "deposit:7" },
    ],
    ["redemption", REDEMPTIONS, { kind: "withdrawal", user: USER, assets: 5_000_000n, shares: 4n * ONE }],
    ["redemptionFor", REDEMPTIONS, { kind: "withdrawal", user: USER, assets: 5_000_000n, shares: 4n * ONE }],
    [
      "redemptionRequest",
      REDEMPTIONS,
      { kind: "withdrawal", user: USER, assets: null, shares: 4n * ONE, requestId: "7" },
    ],
    [
      "redemptionRequestFor",
      REDEMPTIONS,
      { kind: "withdrawal", user: OTHER, assets: null, shares: 4n * ONE, requestId: "7" },
    ],
  ] as const)("are read from %s", (event, address, flow) => {
    const log = at(address, event);
    expect(source.topics).toContain(log.topics[0]);
    expect(source.addresses).toContain(address);
    expect(source.decode(log)).toEqual(flow);
    expect(source.decode(at(WETH, event))).toBeNull();
    expect(source.decode(at(address === DEPOSITS ? REDEMPTIONS : DEPOSITS, event))).toBeNull();
    expect(source.decode({ ...log, data: "0x00" })).toBeNull();
  });

  describe("in another token", () => {
    const other = { tokenIn: WETH, tokenOut: WETH, amountUsd: 5_000_000_900_000_000_000n };
    const byFeed: Vault = { ...own, params: { ...own.params, asset_rate: "feed", asset_feed: OTHER } };
    const converted = (
      of: Vault,
      log: Parameters<typeof source.decode>[0],
      table: Record<string, unknown>,
    ) => {
      const flow = midas.flows(of).decode(log);
      expect(flow?.assets).toBeNull();
      if (flow?.conversion === undefined) throw new Error("no conversion");
      return answer(flow.conversion, table);
    };
    const feed = (stable: boolean) => [OTHER, 0n, 0n, stable];

    test("a deposit counts with the DepositVault's own value, without a read for a stable asset", () => {
      const log = at(DEPOSITS, "instant", other);
      expect(source.decode(log)?.conversion?.reads).toEqual({});
      expect(converted(own, log, {})).toBe(5_000_000n);
      expect(converted(own, at(DEPOSITS, "instantFor", other), {})).toBe(5_000_000n);
      expect(converted(own, at(DEPOSITS, "request", other), {})).toBe(5_000_000n);
    });

    test("a deposit is divided by the asset's price where that is not fixed, rounded down", () => {
      const log = at(DEPOSITS, "instant", other);
      expect(converted(byFeed, log, { config: feed(false), price: 3n * ONE })).toBe(1_666_666n);
      expect(converted(byFeed, log, { config: feed(true) })).toBe(5_000_000n);
      expect(converted(byFeed, log, { config: [zeroAddress, 0n, 0n, false] })).toBeNull();
      expect(converted(byFeed, log, { config: feed(false), price: 0n })).toBeNull();
      expect(converted(byFeed, log, {})).toBeNull();
    });

    test("a redemption counts at the price of the token that was paid", () => {
      const log = at(REDEMPTIONS, "redemption", other);
      expect(converted(own, log, { config: feed(false), price: 2_000n * ONE })).toBe(10_000_000_000n);
      expect(converted(own, log, { config: feed(true) })).toBe(5_000_000n);
      expect(converted(byFeed, log, { config: feed(false), price: 3n * ONE })).toBe(5_000_000n);
      expect(converted(own, log, { config: feed(false) })).toBeNull();
    });
  });

  test("count burned mTokens as withdrawals when the row names no RedemptionVault", () => {
    const burning = midas.flows(withoutRedemptions);
    const log = at(own.shareToken, "transfer");
    expect(burning.addresses).toEqual([DEPOSITS, own.shareToken]);
    expect(burning.topics).toContain(log.topics[0]);
    expect(burning.decode(log)).toEqual({ kind: "withdrawal", user: USER, assets: null, shares: 4n * ONE });
    expect(burning.decode(at(own.shareToken, "transfer", { to: OTHER }))).toBeNull();
    expect(source.decode(at(REDEMPTIONS, "transfer"))).toBeNull();
  });

  test("throws for a RedemptionVault that is no address", () => {
    const params = { ...own.params, redemption_vault: "nowhere" };
    expect(() => midas.flows({ ...own, params })).toThrow(/redemption_vault is no address/);
  });
});

describe("Midas asynchronous deposits", () => {
  const requests = midas.asyncDeposits?.(own) ?? null;
  const logs = (...found: object[]) => found as unknown as Log[];

  test("are built only for vaults that take requests, and read at every vault", () => {
    const instant = { ...own, params: { ...own.params, deposit: "instant" } };
    expect(requests).not.toBeNull();
    expect(midas.asyncDeposits?.(instant)).toBeNull();
    expect(midas.asyncDeposits?.(instant, "anywhere")).toBe(requests);
  });

  test("findRequest() finds the user's request and its number in a receipt", () => {
    const seen = (user: `0x${string}`, ...found: object[]) =>
      requests?.findRequest(own, { user, logs: logs(...found) });
    expect(seen(USER, at(DEPOSITS, "request"))).toEqual({ requestId: "7", assets: 5_000_000n });
    expect(seen(OTHER, at(DEPOSITS, "requestFor"))).toEqual({ requestId: "7", assets: 5_000_000n });
    expect(seen(USER, at(DEPOSITS, "request", { tokenIn: WETH }))).toEqual({ requestId: "7", assets: null });
    expect(seen(USER, at(DEPOSITS, "requestFor"))).toBeNull();
    expect(seen(OTHER, at(DEPOSITS, "request"))).toBeNull();
    expect(seen(USER, at(REDEMPTIONS, "request"))).toBeNull();
    expect(seen(USER, at(DEPOSITS, "instant"))).toBeNull();
  });

  const pending = (requestIds: readonly string[], table: Record<string, unknown>) =>
    requests === null ? null : answer(requests.pending(own, { user: USER, requestIds }), table);
  const open = [USER, USDC, 0, 5n * ONE, 5n * ONE, ONE];

  test("pending() counts requests until they are approved or rejected", () => {
    const nothing = { claimableShares: 0n, claimableAssets: 0n };
    expect(pending(["7", "8", "7"], { 7: open, 8: open })).toEqual({
      pendingAssets: 10_000_000n,
      rejected: false,
      openIds: ["7", "8"],
      ...nothing,
    });
    const [, , , ...rest] = open;
    expect(pending(["7", "8"], { 7: open, 8: [USER, USDC, 1, ...rest] })).toMatchObject({
      pendingAssets: 5_000_000n,
      rejected: false,
      openIds: ["7"],
    });
    expect(pending(["7"], { 7: [USER, USDC, 2, ...rest] })).toMatchObject({ pendingAssets: 0n });
    expect(pending([], {})).toMatchObject({ pendingAssets: null, rejected: false });
    expect(pending(["7"], { 7: [USER, USDC, 2, ...rest] })).toMatchObject({ rejected: true });
    expect(pending(["7"], { 7: [USER, USDC, 1, ...rest] })).toMatchObject({ rejected: false });
    expect(pending(["7"], {})).toMatchObject({ rejected: false });
  });

  test("pending() returns null when price or status is not known", () => {
    expect(pending(["7"], {})).toMatchObject({ pendingAssets: null, openIds: ["7"] });
    expect(pending(["7"], { 7: [USER, WETH, 0, 5n, 5n, 1n] })).toMatchObject({ pendingAssets: null });
  });

  test("pending() ignores request ids that are no numbers", () => {
    const asked = requests?.pending(own, {
      user: USER,
      requestIds: ["x", "-1", "1e3", String(maxUint256 * 10n)],
    });
    expect(Object.keys(asked?.reads ?? {})).toEqual([]);
    expect(requests?.claim(own, { user: USER, pending: pendingOf() })).toBeNull();
  });
});

const pendingOf = () => ({ pendingAssets: 0n, claimableShares: 5n, claimableAssets: 5n });
