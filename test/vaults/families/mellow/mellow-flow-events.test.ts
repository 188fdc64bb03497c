import type { Address } from "viem";
import { expect, test } from "vitest";
import { sourceFingerprint } from "../../../../src/flows/flow-sources.ts";
import { mellow } from "../../../../src/vaults/families/mellow/mellow-adapter.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import { OTHER, USDC, USER, vault } from "../../../support/deposits/fixtures.ts";
import { playPosition } from "../../../support/positions/played-position.ts";
import { answer, eventLog } from "../../../support/vaults/answer.ts";

const queueAt = (digit: number) => `0x${String(digit).repeat(40)}` as Address;
const [QUEUE, REDEEM, SHARES, OTHER_MINTS, OTHER_REQUESTS, OTHER_PAYS] = [1, 2, 3, 5, 6, 7].map(queueAt) as [
  Address,
  Address,
  Address,
  Address,
  Address,
  Address,
];
/** The address by which Core vaults name the native currency. */
const NATIVE = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE";
const UNIT = 10n ** 18n;

const withParams = (params: Record<string, string>): Vault => ({
  ...vault,
  ...{
    adapter: "mellow",
    type: "lido",
    entryPoint: QUEUE,
    spender: QUEUE,
    pricer: OTHER,
    shareToken: SHARES,
  },
  params: { queue: "sync", redeem_queues: REDEEM, other_redeem_queues: OTHER_PAYS, ...params },
});
const known = withParams({ other_deposit_queues: `${OTHER_MINTS},${OTHER_REQUESTS}` });
const whole = { ...known, params: { ...known.params, all_queues: "known" } };
const lacking = withParams({});

const events = {
  deposited:
    "event Deposited(address indexed account, address indexed referral, uint224 assets, uint256 shares, uint256 feeShares)",
  requested:
    "event DepositRequested(address indexed account, address indexed referral, uint224 assets, uint32 timestamp)",
  canceled: "event DepositRequestCanceled(address indexed account, uint256 assets, uint32 timestamp)",
  claimed: "event DepositRequestClaimed(address indexed account, uint256 shares, uint32 timestamp)",
  redemption:
    "event RedeemRequestClaimed(address indexed account, address indexed receiver, uint256 assets, uint32 timestamp)",
  lock: "event Lock(address account, uint256 value)",
  asked: "event RedeemRequested(address indexed account, uint256 shares, uint256 timestamp)",
  transfer: "event Transfer(address indexed from, address indexed to, uint256 value)",
} as const;
const values = {
  ...{ account: USER, referral: OTHER, receiver: OTHER, assets: 5n, shares: 7n, feeShares: 1n, timestamp: 9 },
  ...{ from: USER, to: "0x0000000000000000000000000000000000000000", value: 7n },
};
const at = (address: Address, event: keyof typeof events) => eventLog(address, events[event], values);

test.each([
  [OTHER_MINTS, "deposited", "deposit", 7n],
  [OTHER_REQUESTS, "requested", "deposit", 0n],
  [OTHER_REQUESTS, "canceled", "withdrawal", 0n],
  [OTHER_PAYS, "redemption", "withdrawal", 0n],
] as const)(
  "%s: another token that was %s is a %s by its value in the asset",
  (queue, event, kind, shares) => {
    const source = mellow.flows(known);
    const log = at(queue, event);
    expect(source.addresses).toContain(queue);
    expect(source.topics).toContain(log.topics[0]);
    const { conversion, ...flow } = source.decode(log) ?? {};
    expect(flow).toEqual({ kind, user: USER, assets: null, shares });
    // A unit of the native currency is worth two of the asset.
    const prices = {
      ...{ asset: NATIVE, [USDC.toLowerCase()]: { priceD18: UNIT, timestamp: 1, isSuspicious: false } },
      [NATIVE.toLowerCase()]: { priceD18: 2n * UNIT, timestamp: 1, isSuspicious: false },
    };
    expect(conversion && answer(conversion, prices)).toBe(10n);
    expect(conversion && answer(conversion, { ...prices, asset: undefined })).toBeNull();
    expect(conversion && answer(conversion, { ...prices, [NATIVE.toLowerCase()]: undefined })).toBeNull();
  },
);

test("a redemption request takes the shares that are locked for it, with the fee, at a known queue", async () => {
  const deposit = eventLog(QUEUE, events.deposited, { ...values, assets: 100n, shares: 100n });
  const lock = (value: bigint) => eventLog(SHARES, events.lock, { account: USER, value });
  const asked = (queue: Address) => eventLog(queue, events.asked, { ...values, shares: 38n, timestamp: 9n });
  const claim = (assets: bigint) => eventLog(REDEEM, events.redemption, { ...values, assets });
  const played = async (logs: Parameters<typeof playPosition>[1]["logs"], shares = 60n) => {
    const { basis, earned } = await playPosition(whole, {
      logs,
      held: { shares, assets: shares },
      views: {},
    });
    return [basis, earned];
  };
  const redeemed = [deposit, lock(40n), asked(REDEEM), claim(38n)];
  expect(await played(redeemed)).toEqual(["explained", -2n]);
  // Shares that were sent away are noticed, however few.
  expect(await played(redeemed, 57n)).toEqual(["transferred", null]);
  // A request at a queue that is not known may have been paid there.
  expect(await played([deposit, lock(40n), asked(OTHER)])).toEqual(["transferred", null]);
  const both = [deposit, lock(15n), asked(OTHER), lock(25n), asked(REDEEM), claim(25n)];
  expect(await played(both)).toEqual(["transferred", null]);
  expect(await played(both, 75n)).toEqual(["explained", 0n]);
});

test("a deposit request brings its shares when they are claimed, in any token", () => {
  const source = mellow.flows(known);
  for (const queue of [QUEUE, OTHER_REQUESTS]) {
    const log = at(queue, "claimed");
    expect(source.topics).toContain(log.topics[0]);
    expect(source.decode(log)).toEqual({
      kind: "deposit",
      user: USER,
      assets: 0n,
      shares: 7n,
      sharesOnly: true,
    });
  }
});

test("no amount is known where deposits of other tokens may be missing", () => {
  const source = mellow.flows(lacking);
  expect(source.decode(at(QUEUE, "deposited"))).toEqual({
    ...{ kind: "deposit", user: USER, assets: null, shares: 7n },
  });
  expect(source.decode(at(SHARES, "transfer"))).toEqual({
    ...{ kind: "withdrawal", user: USER, assets: null, shares: 7n },
  });
  expect(source.decode(at(OTHER_PAYS, "redemption"))).toBeNull();
  expect(source.decode(at(REDEEM, "redemption"))).toBeNull();
});

test("the history is read again once the deposit queues of other tokens are known, even if there are none", () => {
  const none = withParams({ other_deposit_queues: "" });
  const fingerprints = [lacking, none, known].map(sourceFingerprint);
  expect(new Set(fingerprints).size).toBe(3);
  expect(mellow.flows(none).decode(at(QUEUE, "deposited"))).toMatchObject({ assets: 5n });
  expect(mellow.flows(none).decode(at(REDEEM, "redemption"))).toMatchObject({ assets: 5n });
});

test("checkParams() refuses an invalid deposit queue of another token", () => {
  expect(() => mellow.checkParams?.(withParams({ other_deposit_queues: "x" }))).toThrow(
    /other_deposit_queues/,
  );
});
