import type { Address, Log } from "viem";
import { expect, test } from "vitest";
import { mellowLrt } from "../../../../src/vaults/families/mellow/mellow-lrt-family.ts";
import { OTHER, USDC, USER, VAULT, vault } from "../../../support/deposits/fixtures.ts";
import { transferLog } from "../../../support/deposits/logs.ts";
import { eventLog } from "../../../support/vaults/answer.ts";

const CLAIMED = "event Claimed(address indexed account, address indexed recipient, uint256 amount)";
const claimed = (account: Address, recipient: Address) =>
  eventLog(VAULT, CLAIMED, { account, recipient, amount: 9n }) as unknown as Log;

test("a claim of queued assets is the user's own, and not a stranger's in the user's favour", () => {
  const paid = transferLog({ token: USDC, from: VAULT, value: 9n });
  const endIn = (logs: Log[]) =>
    mellowLrt.exits?.findSettlement?.(vault, { user: USER, requestId: "0", logs, requestLogs: [] });
  expect(endIn([claimed(USER, USER), paid])).toEqual({ outcome: "paid", assets: 9n, inParts: true });
  for (const recipient of [USER, OTHER]) expect(endIn([claimed(OTHER, recipient), paid])).toBeNull();
});
