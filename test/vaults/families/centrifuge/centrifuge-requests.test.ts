import { decodeFunctionData, numberToHex, parseAbi, toFunctionSelector } from "viem";
import { expect, test } from "vitest";
import { runQuery } from "../../../../src/chains/aggregator/aggregate-reads.ts";
import { isRequestGone } from "../../../../src/tracking/deposits/track-deposit-request.ts";
import { centrifugeRequests } from "../../../../src/vaults/families/centrifuge/centrifuge-family.ts";
import { contractsClient } from "../../../support/chains/multicall.ts";
import { USER, vault } from "../../../support/deposits/fixtures.ts";

const VIEWS = {
  pending: "pendingDepositRequest(uint256,address)",
  claimable: "claimableDepositRequest(uint256,address)",
  shares: "maxMint(address)",
  permitted: "isPermissioned(address)",
  returned: "claimableCancelDepositRequest(uint256,address)",
};

/** A user's requests at a vault of which these views do not return 0; null: the view fails. */
async function pendingOf(views: Partial<Record<keyof typeof VIEWS, bigint | null>>) {
  const answers = Object.entries({ permitted: 1n, ...views }).map(
    ([name, value]) => [toFunctionSelector(VIEWS[name as keyof typeof VIEWS]), value] as const,
  );
  const client = contractsClient(({ data }) => {
    const found = answers.find(([selector]) => data.startsWith(selector));
    const value = found === undefined ? 0n : found[1];
    return value === null ? { ok: false, data: "0x" } : { ok: true, data: numberToHex(value, { size: 32 }) };
  });
  const query = centrifugeRequests.pending(vault, { user: USER, requestIds: [] });
  return (await runQuery(client, query)).value;
}

test("assets of cancelled requests are open until they are claimed back", async () => {
  const returned = await pendingOf({ returned: 7n });
  const open = { pendingAssets: 7n, returnedAssets: 7n };
  expect(returned).toEqual({ ...open, claimableShares: 0n, claimableAssets: 0n });
  expect(isRequestGone(returned)).toBe(false);
  expect(await pendingOf({ returned: 7n, pending: 5n })).toMatchObject({ pendingAssets: 12n });
  const former = await pendingOf({ returned: 7n, permitted: 0n });
  expect(former).toEqual({ ...open, claimableShares: null, claimableAssets: null });
  expect(isRequestGone(await pendingOf({}))).toBe(true);
});

test("assets of cancelled requests are claimed back, after the shares of settled ones", async () => {
  const abi = parseAbi([
    "function mint(uint256 shares, address receiver, address controller)",
    "function claimCancelDepositRequest(uint256 requestId, address receiver, address controller)",
  ]);
  const claimOf = (pending: Awaited<ReturnType<typeof pendingOf>>) => {
    const call = centrifugeRequests.claim(vault, { user: USER, pending });
    return call && { ...decodeFunctionData({ abi, data: call.data }), paysBack: call.paysBack };
  };
  const back = { functionName: "claimCancelDepositRequest", args: [0n, USER, USER], paysBack: true };
  expect(claimOf(await pendingOf({ returned: 7n }))).toEqual(back);
  // A former member may claim the assets back, although no shares.
  expect(claimOf(await pendingOf({ returned: 7n, permitted: 0n, shares: 0n }))).toEqual(back);
  expect(claimOf(await pendingOf({ returned: 7n, shares: 5n }))).toEqual({
    ...{ functionName: "mint", args: [5n, USER, USER], paysBack: undefined },
  });
  expect(claimOf(await pendingOf({ pending: 7n }))).toBeNull();
});

test("requests are not gone while it is unread whether assets wait to be claimed back", async () => {
  const unread = await pendingOf({ returned: null });
  expect(unread.pendingAssets).toBeNull();
  expect(isRequestGone(unread)).toBeNull();
  // What is known to be open stays visible.
  expect(await pendingOf({ returned: null, pending: 5n })).toMatchObject({ pendingAssets: 5n });
  expect(await pendingOf({ returned: 7n, pending: null })).toMatchObject({ pendingAssets: 7n });
});
