import { decodeFunctionData, encodeFunctionResult, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import { runQuery } from "../../../../src/chains/aggregator/aggregate-reads.ts";
import { mellowExits } from "../../../../src/vaults/families/mellow/mellow-exits.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import { type PendingExit, unknownPendingExit } from "../../../../src/vaults/vault-exits.ts";
import { contractsClient } from "../../../support/chains/multicall.ts";
import { NOW, USDC, USER, vault } from "../../../support/deposits/fixtures.ts";
import { answer } from "../../../support/vaults/answer.ts";

const QUEUE = "0x2222222222222222222222222222222222222222";
const own = { ...vault, adapter: "mellow", params: { queue: "sync", redeem_queue: QUEUE } };

test.each([
  ["1700000000", true],
  ["4294967295", true],
  ["4294967296", false],
  ["9999999999", false],
  [(2n ** 256n - 1n).toString(), false],
])("a claim of the request %s is possible: %s", (requestId, possible) => {
  const request: PendingExit = { ...unknownPendingExit, requestId, token: USDC, state: "claimable" };
  const claim = mellowExits.claim?.(own, { user: USER, request }) ?? null;
  expect(claim?.target ?? null).toBe(possible ? QUEUE : null);
});

test.each([
  [1_000, 99_900_000n],
  [0, 100_000_000n],
  [undefined, null],
])("a redemption at the fee %s is worth %s", (fee, previewAssets) => {
  const shares = 80n * 10n ** 18n;
  const request = { mode: "request", token: own.asset, shares, owner: USER, caller: USER } as const;
  const report = { priceD18: 8n * 10n ** 29n, timestamp: 1, isSuspicious: false };
  const terms = answer(mellowExits.terms(own, { ...request, receiver: USER, now: NOW }), {
    ...{ asset: USDC, feeManager: QUEUE, report, fee },
  });
  expect(terms).toMatchObject({ previewAssets, grossAssets: 100_000_000n });
});

test("only a request waits for the age at which a report prices it", () => {
  const shares = 9n;
  const both = { ...own, params: { ...own.params, sync_redeem_queue: QUEUE } };
  const earliestOf = (mode: "instant" | "request", settings?: object) => {
    const request = { mode, token: own.asset, shares, owner: USER, caller: USER, receiver: USER, now: NOW };
    return answer(mellowExits.terms(both, request), { asset: USDC, settings }).earliest;
  };
  const settings = { timeout: 3_600, depositInterval: 60, redeemInterval: 172_800 };
  expect(earliestOf("request", settings)).toBe(Math.floor(NOW / 1_000) + 172_800);
  expect(earliestOf("request")).toBe(null);
  expect(earliestOf("instant", settings)).toBe(null);
});

test.each([
  ["one page, which is not full", 30, 1],
  ["one page, which is full", 31, 2],
  ["three pages", 63, 3],
  ["more pages than are read", 496, null],
])("a user's requests on %s are all known or none", async (_name, count, pages) => {
  const abi = parseAbi([
    "function asset() view returns (address)",
    "function requestsOf(address, uint256 offset, uint256 limit) view returns ((uint256 timestamp, uint256 shares, bool isClaimable, uint256 assets)[])",
  ]);
  const all = Array.from({ length: count }, (_, index) => ({
    ...{ timestamp: BigInt(index + 1), shares: 5n, isClaimable: true, assets: 7n },
  }));
  const client = contractsClient(({ to, data }) => {
    if (to.toLowerCase() !== QUEUE) return { ok: false, data: "0x" };
    const asked = decodeFunctionData({ abi, data });
    if (asked.functionName === "asset")
      return { ok: true, data: encodeFunctionResult({ abi, functionName: "asset", result: USDC }) };
    const [, offset, limit] = asked.args;
    const result = all.slice(Number(offset), Number(offset + limit));
    return { ok: true, data: encodeFunctionResult({ abi, functionName: "requestsOf", result }) };
  });
  const query = mellowExits.pending?.(own, { user: USER, requestIds: [], now: NOW });
  if (query === undefined) throw new Error("the family has no requests");
  const { value } = await runQuery(client, query);
  expect(value?.map(({ requestId }) => requestId) ?? null).toEqual(
    pages === null ? null : all.map(({ timestamp }) => String(timestamp)),
  );
  // The last batch reads the prices.
  expect(client.calls).toHaveLength(pages === null ? 16 : pages + 1);
});

test("an instant redemption is limited by the rest of the day's shares and by the liquid assets", () => {
  const instant = { ...own, params: { ...own.params, sync_redeem_queue: QUEUE } };
  const request = { mode: "instant", token: own.asset, shares: 9n, owner: USER, caller: USER } as const;
  const terms = (held: bigint) =>
    answer(mellowExits.terms(instant, { ...request, receiver: USER, now: NOW }), {
      ...{ asset: USDC, held, daily: [5n, 7n], liquid: 3n },
    });
  expect(terms(9n)).toMatchObject({ maxShares: 7n, availableAssets: 3n });
  expect(terms(6n)).toMatchObject({ maxShares: 6n });
});

describe("what instant redemption pays of the shares' value", () => {
  const instant = { ...own, params: { ...own.params, sync_redeem_queue: QUEUE } };
  const report = { priceD18: 8n * 10n ** 29n, timestamp: Math.floor(NOW / 1_000) - 60, isSuspicious: false };
  // A penalty of 2 % and a fee of 1 % of the rest; the report may be a minute old.
  const views = { asset: USDC, feeManager: QUEUE, report, params: [20_000n, 60], fee: 10_000 };
  const priceOf = (change: object, of: Vault = instant) => {
    const query = mellowExits.exitPrice?.(of, NOW);
    if (query === undefined) throw new Error("the family has no price");
    return answer(query, { ...views, ...change });
  };

  test("is what the queue leaves after penalty and fee", () => {
    const gross = 1_250_000_000_000n;
    expect(priceOf({})).toEqual({ gross, net: (gross * 98n * 99n) / 10_000n });
    expect(priceOf({ params: [0n, 60], fee: 0 })).toEqual({ gross, net: gross });
  });

  test.each<[string, object]>([
    ["the penalty is unknown", { params: undefined }],
    ["the fee is unknown", { fee: undefined }],
    ["there is no report", { report: undefined }],
    ["the report has no price", { report: { ...report, priceD18: 0n } }],
    ["the report is suspicious", { report: { ...report, isSuspicious: true } }],
    ["the report is too old for the queue", { report: { ...report, timestamp: report.timestamp - 1 } }],
    ["the queue is paused", { paused: true }],
    ["the queue pays another token", { asset: QUEUE }],
  ])("is unknown if %s", (_name, change) => {
    expect(priceOf(change)).toBe(null);
  });

  test("is unknown without a queue that pays at once", () => {
    expect(priceOf({}, own)).toBe(null);
  });
});
