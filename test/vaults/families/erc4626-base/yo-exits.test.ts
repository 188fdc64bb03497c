import type { Log } from "viem";
import { expect, test } from "vitest";
import { yoExits } from "../../../../src/vaults/families/erc4626-base/yo-exits.ts";
import { OTHER, USER } from "../../../support/deposits/fixtures.ts";
import { transferLog } from "../../../support/deposits/logs.ts";
import { answer, eventLog } from "../../../support/vaults/answer.ts";
import { familyVault } from "../../../support/withdrawals/fixtures.ts";

const WAD = 10n ** 18n;
const yo = familyVault("erc4626", { exit: "yo" });

/** Returns a user's requests at a vault that records 1,010 assets for 7 shares and charges this fee. */
function pendingAt(fee: bigint | null) {
  const query = yoExits.pending?.(yo, { user: USER, requestIds: [], now: 0 });
  if (query === undefined) throw new Error("the family has no requests");
  return answer(query, { request: [1_010n, 7n], ...(fee !== null && { fee }) });
}

test.each([
  ["instant", "now"],
  ["request", "recorded"],
] as const)("the price by %s is fixed: %s", (mode, priced) => {
  const who = { owner: USER, caller: USER, receiver: USER } as const;
  const request = { mode, token: yo.asset, shares: 7n, ...who, now: 0 };
  const views = { asset: yo.asset.address, preview: 1_000n, gross: 1_010n };
  const terms = answer(yoExits.terms(yo, request), views);
  expect(terms).toMatchObject({ priced, previewAssets: 1_000n, grossAssets: 1_010n });
});

test("what the vault has left pays the fee too, so that less of it reaches the account", () => {
  const who = { owner: USER, caller: USER, receiver: USER } as const;
  const request = { mode: "instant", token: yo.asset, shares: 7n, ...who, now: 0 } as const;
  const termsWith = (held: bigint, net = 1_000n) =>
    answer(yoExits.terms(yo, request), {
      ...{ asset: yo.asset.address, preview: net, gross: 1_010n, held, owed: 100n },
    });
  expect(termsWith(1_109n)).toMatchObject({ availableAssets: 999n, refusal: "no_liquidity" });
  expect(termsWith(1_110n)).toMatchObject({ availableAssets: 1_000n, refusal: null });
  expect(termsWith(1_110n, 1_010n)).toMatchObject({ availableAssets: 1_010n, refusal: null });
  expect(termsWith(99n)).toMatchObject({ availableAssets: 0n, refusal: "no_liquidity" });
});

test("what a request was paid is what the vault sent, at most what its event says", () => {
  const signature = "event RequestFulfilled(address indexed receiver, uint256 shares, uint256 assets)";
  const fulfilled = eventLog(yo.entryPoint, signature, { receiver: USER, shares: 7n, assets: 1_010n });
  const token = yo.asset.address;
  const paid = transferLog({ token, from: yo.entryPoint, value: 1_000n });
  const elsewhere = transferLog({ token, from: OTHER, value: 1_000n });
  const endIn = (...logs: Log[]) =>
    yoExits.findSettlement?.(yo, {
      ...{ user: USER, requestId: "0", requestLogs: [] },
      logs: [...logs, fulfilled as unknown as Log],
    });
  const end = { outcome: "paid", shares: 7n };
  expect(endIn(paid, elsewhere)).toEqual({ ...end, assets: 1_000n });
  expect(endIn(paid, paid)).toEqual({ ...end, assets: 1_010n });
  expect(endIn(elsewhere)).toEqual({ ...end, assets: 0n });
});

test("what a request pays is an estimate: the fee and the operator decide only when it is paid", () => {
  expect(pendingAt(WAD / 100n)).toMatchObject([{ shares: 7n, assets: 1_000n, priced: false }]);
  expect(pendingAt(0n)).toMatchObject([{ shares: 7n, assets: 1_010n, priced: false }]);
  expect(pendingAt(null)).toMatchObject([{ shares: 7n, assets: null, priced: false }]);
});
