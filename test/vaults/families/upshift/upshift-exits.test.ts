import { type Address, type Hex, type Log, toFunctionSelector } from "viem";
import { describe, expect, test } from "vitest";
import { OTHER, USER } from "../../../support/deposits/fixtures.ts";
import { eventLog } from "../../../support/vaults/answer.ts";
import { exitsFor, familyVault } from "../../../support/withdrawals/fixtures.ts";

const vault = familyVault("upshift_legacy");

const requested = (year: bigint, month: bigint, day: bigint, { assets = 5n, fee = 0n } = {}) =>
  eventLog(
    vault.entryPoint,
    "event WithdrawalRequested(address indexed owner, address indexed receiver, uint256 shares, uint256 assets, uint256 fee, uint256 year, uint256 month, uint256 day)",
    { owner: USER, receiver: USER, shares: 5n, assets, fee, year, month, day },
  );
const find = (...logs: ReturnType<typeof eventLog>[]) =>
  exitsFor(vault).findRequest?.(vault, { user: USER, logs: logs as unknown as Log[] });
/** Finds the request in the event of a legacy vault that names this date. */
const found = (year: bigint, month: bigint, day: bigint) => find(requested(year, month, day));

describe("findRequest() of a legacy vault", () => {
  test("identifies a request by the date of its event", () => {
    expect(found(2026n, 3n, 9n)).toEqual({ requestId: "2026-03-09", shares: 5n, assets: 5n });
    expect(found(9999n, 12n, 31n)).toEqual({ requestId: "9999-12-31", shares: 5n, assets: 5n });
  });

  test("takes the fee off the assets of its event, which are those before it", () => {
    const own = { requestId: "2026-03-09", shares: 5n };
    expect(find(requested(2026n, 3n, 9n, { assets: 1_000n, fee: 10n }))).toEqual({ ...own, assets: 990n });
    expect(find(requested(2026n, 3n, 9n, { assets: 9n, fee: 10n }))).toEqual({ ...own, assets: 0n });
  });

  test.each([
    [300_000n, 1n, 1n],
    [2n ** 256n - 1n, 2n ** 256n - 1n, 2n ** 256n - 1n],
    [10_000n, 1n, 1n],
    [99n, 1n, 1n],
    [2026n, 13n, 1n],
    [2026n, 0n, 1n],
    [2026n, 2n, 30n],
    [2026n, 1n, 2n ** 64n],
  ])("leaves the id unknown for the year %s, month %s, day %s", (year, month, day) => {
    expect(found(year, month, day)).toEqual({ requestId: null, shares: 5n, assets: 5n });
  });

  test.each([
    ["uint256 assetsAmount, uint256 processedOn, address receiverAddr, uint256 requestedOn"],
    [
      "uint256 assetsAmount, uint256 processedOn, address receiverAddr, uint256 requestedOn, bool wasBlacklisted",
    ],
  ])("finds none that the vault paid within its transaction (%s)", (members) => {
    const processed = (change: { receiverAddr?: string; requestedOn?: bigint; address?: Address } = {}) =>
      eventLog(change.address ?? vault.entryPoint, `event WithdrawalProcessed(${members})`, {
        ...{ assetsAmount: 5n, processedOn: 9n, receiverAddr: USER, requestedOn: 9n, wasBlacklisted: false },
        ...change,
      });
    const own = { requestId: "2026-03-09", shares: 5n, assets: 5n };
    const request = requested(2026n, 3n, 9n);
    expect(find(request, processed())).toBeNull();
    // An earlier request is paid beside it, or another account's.
    expect(find(request, processed({ requestedOn: 8n }))).toEqual(own);
    expect(find(request, processed({ receiverAddr: OTHER }))).toEqual(own);
    expect(find(request, processed({ address: OTHER }))).toEqual(own);
  });
});

test("an instant redemption that the vault does not have, and a request that it does not take, are named", () => {
  const codeOf = (revert: Hex) => exitsFor(vault).explain?.(revert)?.code;
  expect(codeOf("0x")).toBe("mode_unsupported");
  expect(codeOf(toFunctionSelector("VaultNotTimelocked()"))).toBe("mode_unsupported");
  expect(codeOf(toFunctionSelector("WithdrawalsPaused()"))).toBe("exits_paused");
});
