import { type Address, encodeErrorResult, type Log, parseAbi, toFunctionSelector } from "viem";
import { describe, expect, test } from "vitest";
import { iporExitParams, iporExits } from "../../../../src/vaults/families/ipor/ipor-exits.ts";
import { ipor } from "../../../../src/vaults/families/ipor/ipor-family.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import { NOW, OTHER, USER, VAULT, vault } from "../../../support/deposits/fixtures.ts";
import { transferLog } from "../../../support/deposits/logs.ts";
import { answer, eventLog, Revert } from "../../../support/vaults/answer.ts";

const MANAGER: Address = "0x4444444444444444444444444444444444444444";
const plasma: Vault = { ...vault, adapter: "ipor", params: { withdraw_manager: MANAGER } };

const updated = (account: Address = USER, endWithdrawWindow = 1) =>
  eventLog(
    MANAGER,
    "event WithdrawRequestUpdated(address account, uint256 shares, uint32 endWithdrawWindow)",
    { account, shares: 60n, endWithdrawWindow },
  ) as unknown as Log;
const released = (emitter: Address = MANAGER) =>
  eventLog(emitter, "event ReleaseFundsUpdated(uint32 releaseTimestamp, uint128 sharesToRelease)", {
    releaseTimestamp: 1,
    sharesToRelease: 0n,
  }) as unknown as Log;
const withdrawn = (owner: Address = USER, receiver: Address = USER) =>
  eventLog(
    VAULT,
    "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
    { sender: owner, receiver, owner, assets: 90n, shares: 40n },
  ) as unknown as Log;
const burnt = transferLog({ from: USER });

const found = (logs: Log[], requestLogs: Log[] = []) =>
  iporExits.findSettlement?.(plasma, { user: USER, requestId: "0", logs, requestLogs });

describe("findSettlement() of IPOR's vaults", () => {
  test("finds the redemption of a request, with its shares", () => {
    const once = [updated(), released(), burnt, withdrawn()];
    expect(found(once)).toEqual({ outcome: "paid", assets: 90n, shares: 40n });
    expect(found([...once, ...once])).toEqual({ outcome: "paid", assets: 180n, shares: 80n });
  });

  test("says that one in favour of another account alone pays the user nothing", () => {
    const elsewhere = [updated(), released(), burnt, withdrawn(USER, OTHER)];
    expect(found(elsewhere)).toEqual({ outcome: "paid", assets: 0n, shares: 40n, announced: true });
    const both = [...elsewhere, updated(), released(), burnt, withdrawn()];
    expect(found(both)).toEqual({ outcome: "paid", assets: 180n, shares: 80n });
  });

  test("leaves out an instant redemption in the same transaction", () => {
    const paid = { outcome: "paid", assets: 90n, shares: 40n };
    expect(found([burnt, withdrawn(), updated(), released(), burnt, withdrawn()])).toEqual(paid);
    expect(found([updated(), released(), burnt, withdrawn(), burnt, withdrawn()])).toEqual(paid);
  });

  test("takes the redemption of a later request for the end of the one that it replaced, which paid nothing", () => {
    const claim = (end: number) => [updated(USER, end), released(), burnt, withdrawn()];
    const made = [updated(OTHER, 8), updated(USER, 7)];
    expect(found(claim(7), made)).toEqual({ outcome: "paid", assets: 90n, shares: 40n });
    expect(found(claim(8), made)).toEqual({ outcome: "cancelled", assets: 0n });
    expect(found(claim(8), [updated(OTHER, 7)])).toMatchObject({ outcome: "paid" });
  });

  test.each<[string, Log[]]>([
    ["an instant redemption", [burnt, withdrawn()]],
    ["a new request, and an instant redemption", [updated(), burnt, withdrawn()]],
    ["another account's redemption", [updated(OTHER), released(), withdrawn(OTHER)]],
    ["an instant redemption after a release", [released(), burnt, withdrawn()]],
    ["events of another contract", [updated(), released(OTHER), burnt, withdrawn()]],
  ])("finds nothing in %s", (_name, logs) => {
    expect(found(logs)).toBeNull();
  });
});

describe("findRequest() of IPOR's vaults", () => {
  const request = (logs: Log[]) => iporExits.findRequest?.(plasma, { user: USER, logs });
  const claim = [updated(), released(), burnt, withdrawn()];

  test("finds no request in a claim of a part, which leaves the rest of the request", () => {
    expect(request(claim)).toBeNull();
  });

  test("finds the request that follows such a claim, or a release for others", () => {
    const made = { requestId: "0", shares: 60n };
    expect(request([...claim, updated()])).toEqual(made);
    expect(request([updated(), released(), burnt, withdrawn(OTHER)])).toEqual(made);
  });
});

test("a claim before the release is distinguished from one of more shares than were released", () => {
  const abi = parseAbi([
    "error WithdrawManagerInvalidSharesToRelease(uint256 shares)",
    "error WithdrawManagerInvalidSharesToRelease(uint256 shares, uint256 balance, uint256 reserved)",
  ]);
  const name = "WithdrawManagerInvalidSharesToRelease";
  const early = encodeErrorResult({ abi: [abi[0]], errorName: name, args: [1n] });
  const short = encodeErrorResult({ abi: [abi[1]], errorName: name, args: [1n, 2n, 3n] });
  expect(iporExits.explain?.(early)?.code).toBe("withdrawal_state");
  expect(iporExits.explain?.(short)?.code).toBe("no_liquidity");
});

test.each(["FunctionPaused(bytes4)", "RWAPreHookPaused()"])("a hook that pauses (%s) is named", (error) => {
  const revert = `${toFunctionSelector(error)}${"00".repeat(32)}` as const;
  expect(ipor.explain?.(revert)?.code).toBe("vault_paused");
  expect(iporExits.explain?.(revert)?.code).toBe("exits_paused");
});

test("a request does not say when it was made, because its window may have been another one", () => {
  const pending = iporExits.pending?.(plasma, { user: USER, requestIds: [], now: NOW });
  if (pending === undefined) throw new Error("no requests");
  const end = BigInt(Math.floor(NOW / 1_000) + 60);
  const of = (window: bigint) => answer(pending, { info: [60n, end, false, window] });
  expect(of(3_600n)).toMatchObject([{ since: null, expiresAt: Number(end), state: "pending" }]);
  expect(of(2n ** 255n)).toMatchObject([{ since: null, expiresAt: Number(end) }]);
});

describe("a released request", () => {
  const end = BigInt(Math.floor(NOW / 1_000) + 60);
  /** The request for 60 shares, with what the account holds and the WithdrawManager has released. */
  const requestOf = (limits: Record<string, unknown>, ends: bigint = end) => {
    const pending = iporExits.pending?.(plasma, { user: USER, requestIds: [], now: NOW });
    if (pending === undefined) throw new Error("no requests");
    return answer(pending, { info: [60n, ends, ends >= end, 3_600n], ...limits });
  };

  test.each<[string, Record<string, unknown>, bigint]>([
    ["all that was requested", { held: 100n, released: 90n }, 60n],
    ["what the account still holds", { held: 50n, released: 90n }, 50n],
    ["what is released for all accounts together", { held: 100n, released: 40n }, 40n],
    ["what the account holds, at an older WithdrawManager", { held: 50n, released: new Revert("0x") }, 50n],
  ])("can be claimed for %s", (_name, limits, shares) => {
    const [request] = requestOf(limits) ?? [];
    expect(request).toMatchObject({ state: "claimable", shares: 60n, claimableShares: shares });
    const call = iporExits.claim?.(plasma, { user: USER, request: request as never });
    expect(BigInt(`0x${call?.data.slice(10, 74)}`)).toBe(shares);
  });

  test.each([
    { held: 0n, released: 90n },
    { held: 100n, released: 0n },
  ])("waits while nothing of it can be claimed: %o", (limits) => {
    const nothing = { state: "pending", claimableShares: 0n, claimableAssets: 0n };
    expect(requestOf(limits)).toMatchObject([nothing]);
  });

  test("is unknown while a limit is unread, unless it waits or has expired", () => {
    expect(requestOf({ released: 90n })).toBeNull();
    expect(requestOf({ held: new Revert("0x"), released: 90n })).toBeNull();
    expect(requestOf({ held: 100n })).toBeNull();
    expect(requestOf({}, end - 100n)).toMatchObject([{ state: "expired", claimableShares: 0n }]);
  });
});

test("no request is offered that ends in the second in which it is made", () => {
  const request = { mode: "request", shares: 60n, token: vault.asset, caller: USER, now: NOW } as const;
  const refusalOf = (window: bigint | Revert) => {
    const query = iporExits.terms(plasma, { ...request, owner: USER, receiver: USER });
    return answer(query, { fee: 0n, window, open: [0n, 0n, false, 0n] }).refusal;
  };
  expect(refusalOf(0n)).toBe("mode_unsupported");
  expect(refusalOf(1n)).toBeNull();
  expect(refusalOf(new Revert("0x"))).toBeNull();
});

test.each([
  // The contract takes 1,015 of 2,030 shares, and the others are worth 50.75 units.
  [2_030n, 101n, 10n ** 18n / 2n, 50n],
  [100n, 100n, 10n ** 16n, 99n],
  [100n, 100n, 10n ** 18n, 0n],
])("a request of %s shares worth %s is not estimated too high after its fee", (shares, gross, fee, net) => {
  const request = { mode: "request", shares, token: vault.asset, caller: USER, now: NOW } as const;
  const query = iporExits.terms(plasma, { ...request, owner: USER, receiver: USER });
  const terms = answer(query, { gross, fee, window: 1n, open: [0n, 0n, false, 0n] });
  expect(terms).toMatchObject({ grossAssets: gross, previewAssets: net });
});

describe("iporExitParams()", () => {
  const paramsBy = (table: Record<string, unknown>, reviewed: Address | null = MANAGER) =>
    answer(iporExitParams({ vault: VAULT, accessManager: OTHER, reviewed }), table);

  test("keeps the WithdrawManager unless the access manager denies it", () => {
    expect(paramsBy({ call: [true, 0] })).toEqual({ withdraw_manager: MANAGER });
    expect(paramsBy({ call: [false, 0] })).toEqual({ withdraw_manager: "" });
    expect(paramsBy({ call: [true, 0] }, null)).toEqual({});
  });

  test("keeps the WithdrawManager if a read fails", () => {
    expect(paramsBy({})).toEqual({ withdraw_manager: MANAGER });
    expect(paramsBy({ call: new Revert("0x") })).toEqual({ withdraw_manager: MANAGER });
    expect(paramsBy({ call: [true, 0], window: new Revert("0x") })).toEqual({ withdraw_manager: MANAGER });
  });
});
