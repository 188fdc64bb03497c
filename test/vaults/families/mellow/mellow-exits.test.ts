import { expect, test } from "vitest";
import { mellowExits } from "../../../../src/vaults/families/mellow/mellow-exits.ts";
import { type PendingExit, unknownPendingExit } from "../../../../src/vaults/vault-exits.ts";
import { USDC, USER, vault } from "../../../support/deposits/fixtures.ts";

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
