import type { Log } from "viem";
import { describe, expect, test } from "vitest";
import { USER } from "../../../support/deposits/fixtures.ts";
import { eventLog } from "../../../support/vaults/answer.ts";
import { exitsFor, familyVault } from "../../../support/withdrawals/fixtures.ts";

const vault = familyVault("upshift_legacy");

/** Finds the request in the event of a legacy vault that names this date. */
const found = (year: bigint, month: bigint, day: bigint) => {
  const log = eventLog(
    vault.entryPoint,
    "event WithdrawalRequested(address indexed owner, address indexed receiver, uint256 shares, uint256 assets, uint256 fee, uint256 year, uint256 month, uint256 day)",
    { owner: USER, receiver: USER, shares: 5n, assets: 5n, fee: 0n, year, month, day },
  );
  return exitsFor(vault).findRequest?.(vault, { user: USER, logs: [log as unknown as Log] });
};

describe("findRequest() of a legacy vault", () => {
  test("identifies a request by the date of its event", () => {
    expect(found(2026n, 3n, 9n)).toEqual({ requestId: "2026-03-09", shares: 5n });
    expect(found(9999n, 12n, 31n)).toEqual({ requestId: "9999-12-31", shares: 5n });
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
    expect(found(year, month, day)).toEqual({ requestId: null, shares: 5n });
  });
});
