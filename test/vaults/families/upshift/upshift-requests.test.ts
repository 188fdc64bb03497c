import { type Address, decodeFunctionData, encodeFunctionResult, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import { runQuery } from "../../../../src/chains/aggregator/aggregate-reads.ts";
import { datedRequests } from "../../../../src/vaults/families/upshift/upshift-requests.ts";
import { contractsClient } from "../../../support/chains/multicall.ts";
import { USER } from "../../../support/deposits/fixtures.ts";
import { familyVault } from "../../../support/withdrawals/fixtures.ts";

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 2, 10, 12);
const abi = parseAbi([
  "function getBurnableAmountByReceiver(uint256 year, uint256 month, uint256 day, address receiver) view returns (uint256)",
  "function getClaimableAmountByReceiver(uint256 year, uint256 month, uint256 day, address receiver) view returns (uint256)",
  "function liquidationHour() view returns (uint256)",
  "function getSharePrice() view returns (uint256)",
  "function previewRedemption(uint256 shares, bool isInstant) view returns (uint256 gross, uint256 net)",
]);
const dayOf = (daysAgo: number): string => new Date(NOW - daysAgo * DAY_MS).toISOString().slice(0, 10);

/**
 * Reads the open requests of a user whose shares wait under these dates, at a price of 2. `fee`: what a multi-asset vault
 * keeps of a request; legacy vaults do not preview requests.
 */
async function pendingOf(
  shares: Readonly<Record<string, bigint>>,
  fixed: Readonly<Record<string, bigint>> = {},
  fee: bigint | null = null,
  params: Readonly<Record<string, string>> = {},
) {
  const client = contractsClient(({ data }) => {
    const { functionName, args } = decodeFunctionData({ abi, data });
    const [year, month, day] = (args ?? []).map((arg) => String(arg).padStart(2, "0"));
    const date = `${year}-${month}-${day}`;
    if (functionName === "previewRedemption") {
      const gross = 2n * BigInt(args[0]);
      if (fee === null || args[1]) return { ok: false, data: "0x" };
      return { ok: true, data: encodeFunctionResult({ abi, functionName, result: [gross, gross - fee] }) };
    }
    const results = {
      getBurnableAmountByReceiver: shares[date] ?? 0n,
      getClaimableAmountByReceiver: fixed[date] ?? 0n,
      liquidationHour: 12n,
      getSharePrice: 2n * 10n ** 18n,
    };
    return { ok: true, data: encodeFunctionResult({ abi, functionName, result: results[functionName] }) };
  });
  const vault = familyVault("upshift_legacy", params);
  const query = datedRequests(vault, { user: USER as Address, requestIds: [], now: NOW });
  return { requests: (await runQuery(client, query)).value, asked: client.calls.length, query };
}

describe("datedRequests()", () => {
  test("makes one read for each day, in one RPC request if there are no requests", async () => {
    const { requests, asked, query } = await pendingOf({});
    expect([requests, asked]).toEqual([[], 1]);
    expect(Object.keys(query.reads).length).toBeLessThanOrEqual(24);
  });

  test.each([0, 2, 13])("returns a request of %d days ago that nobody claimed", async (daysAgo) => {
    const date = dayOf(daysAgo);
    const { requests, asked } = await pendingOf({ [date]: 5n });
    expect(asked).toBe(2);
    expect(requests).toMatchObject([
      { requestId: date, shares: 5n, assets: 10n, priced: false, state: "claimable", claimableAssets: 10n },
    ]);
  });

  test.each([
    ["1209600", 15],
    ["1209600", 14],
    ["0", 8],
    ["", 8],
    ["31536000", 45],
  ])(
    "returns a request that becomes claimable after a wait of %s seconds, in %d days",
    async (wait, days) => {
      const date = dayOf(-days);
      const { requests } = await pendingOf({ [date]: 5n }, {}, null, { withdraw_seconds: wait });
      expect(requests).toMatchObject([{ requestId: date, shares: 5n, state: "pending" }]);
    },
  );

  test("deducts the fee that the vault keeps of what a request pays", async () => {
    const { requests } = await pendingOf({ [dayOf(1)]: 5n }, {}, 3n);
    expect(requests).toMatchObject([{ assets: 7n, claimableAssets: 7n, priced: false }]);
  });

  test("returns the amount that the vault fixed, and waits for the day", async () => {
    const date = dayOf(-3);
    const { requests } = await pendingOf({ [date]: 5n, [dayOf(1)]: 1n }, { [date]: 9n });
    expect(requests).toMatchObject([
      { requestId: dayOf(1), assets: 2n, state: "claimable" },
      { requestId: date, assets: 9n, priced: true, state: "pending", claimableAssets: 0n },
    ]);
  });
});
