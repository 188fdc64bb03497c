import { expect, test } from "vitest";
import { mellowExits } from "../../../../src/vaults/families/mellow/mellow-exits.ts";
import { type PendingExit, unknownPendingExit } from "../../../../src/vaults/vault-exits.ts";
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
