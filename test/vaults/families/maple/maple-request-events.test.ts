import type { Address, Log } from "viem";
import { describe, expect, test } from "vitest";
import { erc4626 } from "../../../../src/vaults/families/erc4626-family.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import { OTHER, USER, VAULT, vault } from "../../../support/deposits/fixtures.ts";
import { transferLog } from "../../../support/deposits/logs.ts";
import { eventLog } from "../../../support/vaults/answer.ts";

const QUEUE: Address = "0x5555555555555555555555555555555555555555";
const pool: Vault = { ...vault, adapter: "erc4626", params: { exit: "maple" } };
const WITHDRAW =
  "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)";

const log = (address: Address, signature: string, values: object): Log =>
  eventLog(address, signature, values as Record<string, unknown>) as unknown as Log;
const moved = (from: Address, to: Address, value: bigint): Log =>
  transferLog({ token: vault.shareToken, from, to, value });
const asked = (owner: Address, shares: bigint): Log =>
  log(VAULT, "event RedemptionRequested(address indexed owner, uint256 shares, uint256 escrowedShares)", {
    ...{ owner, shares, escrowedShares: shares },
  });
const withdrawn = (of: { owner: Address; receiver?: Address; assets: bigint; shares: bigint }, at = VAULT) =>
  log(at, WITHDRAW, { sender: of.owner, receiver: USER, ...of });
const returned = (owner: Address, shares: bigint) =>
  log(VAULT, "event SharesRemoved(address indexed owner, uint256 shares)", { owner, shares });

/** The events of a queue that numbers requests in this type. */
const queueOf = (type: "uint128" | "uint256") => {
  const id = `${type} indexed requestId`;
  const of =
    (signature: string) =>
    (values: object, at: Address = QUEUE) =>
      log(at, signature, values);
  return {
    created: of(`event RequestCreated(${id}, address indexed owner, uint256 shares)`),
    processed: of(`event RequestProcessed(${id}, address indexed owner, uint256 shares, uint256 assets)`),
    decreased: of(`event RequestDecreased(${id}, uint256 shares)`),
    removed: of(`event RequestRemoved(${id})`),
  };
};

const requestIn = (logs: Log[]) => erc4626.exits?.findRequest?.(pool, { user: USER, logs });
const endIn = (requestId: string, logs: Log[]) =>
  erc4626.exits?.findSettlement?.(pool, {
    user: USER,
    requestId,
    logs,
    requestLogs: [moved(USER, QUEUE, 9n)],
  });

test("a request to a cyclical withdrawal manager has no number", () => {
  expect(requestIn([moved(USER, QUEUE, 9n), asked(USER, 9n)])).toEqual({ requestId: "0", shares: 9n });
  expect(requestIn([moved(OTHER, QUEUE, 9n), asked(OTHER, 9n)])).toBeNull();
});

describe.each(["uint128", "uint256"] as const)("a queue with numbers of the type %s", (type) => {
  const queue = queueOf(type);
  const created = (requestId: bigint, owner: Address, shares: bigint) => [
    moved(owner, QUEUE, shares),
    queue.created({ requestId, owner, shares }),
    asked(owner, shares),
  ];
  const processed = (requestId: bigint, owner: Address, shares: bigint) => [
    queue.processed({ requestId, owner, shares, assets: 2n * shares }),
    queue.removed({ requestId }),
  ];
  const paid = (requestId: bigint, owner: Address, shares: bigint) => [
    ...processed(requestId, owner, shares),
    withdrawn({ owner: QUEUE, receiver: owner, assets: 2n * shares, shares }),
  ];

  test("gives a request its number", () => {
    const logs = [...created(4n, OTHER, 1n), ...created(5n, USER, 9n), ...created(6n, USER, 7n)];
    expect(requestIn(logs)).toEqual({ requestId: "5", shares: 9n });
  });

  test("does not number by the event of a contract that took no shares", () => {
    const foreign = queue.created({ requestId: 66n, owner: USER, shares: 9n }, OTHER);
    expect(requestIn([...created(5n, USER, 9n).slice(0, 2), foreign, asked(USER, 9n)])).toEqual({
      ...{ requestId: "5", shares: 9n },
    });
  });

  test("pays a request by redeeming its own shares for the owner", () => {
    const logs = [...paid(4n, OTHER, 1n), ...paid(5n, USER, 9n), ...paid(6n, USER, 7n)];
    expect(endIn("5", logs)).toEqual({ outcome: "paid", assets: 18n, shares: 9n });
    expect(endIn("6", logs)).toEqual({ outcome: "paid", assets: 14n, shares: 7n });
    expect(endIn("4", logs)).toBeNull();
    // A withdrawal without a known number.
    expect(endIn("0", logs)).toEqual({ outcome: "paid", assets: 32n, shares: 16n });
  });

  test("pays nobody else's request, and not by another contract's events", () => {
    const [made, gone] = processed(5n, USER, 9n);
    if (made === undefined || gone === undefined) throw new Error("no logs");
    const to = (of: { owner?: Address; receiver?: Address }, at = VAULT) =>
      withdrawn({ owner: QUEUE, assets: 18n, shares: 9n, ...of }, at);
    expect(endIn("5", [made, gone, to({})])).not.toBeNull();
    expect(endIn("5", [made, gone, to({ receiver: OTHER })])).toBeNull();
    expect(endIn("5", [made, gone, to({ owner: OTHER })])).toBeNull();
    expect(endIn("5", [made, gone, to({}, OTHER)])).toBeNull();
    expect(endIn("5", [to({}), made, gone])).toBeNull();
  });

  test("does not pay a request by processing it for a user in manual mode", () => {
    expect(endIn("5", [...processed(5n, USER, 9n), ...paid(6n, USER, 7n)])).toBeNull();
  });

  test("shows the user's own redemption, which names no request", () => {
    const logs = [withdrawn({ owner: USER, assets: 6n, shares: 3n }), moved(USER, OTHER, 1n)];
    expect(endIn("5", logs)).toEqual({ outcome: "paid", assets: 6n, shares: 3n, unnamed: true });
    expect(endIn("0", logs)).toEqual({ outcome: "paid", assets: 6n, shares: 3n });
    expect(endIn("5", [withdrawn({ owner: OTHER, assets: 6n, shares: 3n })])).toBeNull();
    const elsewhere = withdrawn({ owner: USER, receiver: OTHER, assets: 6n, shares: 3n });
    // Shares reach their owner before they are burned.
    expect(endIn("5", [moved(QUEUE, USER, 3n), elsewhere])).toMatchObject({ assets: 0n, announced: true });
  });

  test("returns a request, or a part of it", () => {
    const whole = [queue.removed({ requestId: 5n }), moved(QUEUE, USER, 9n)];
    const part = [queue.decreased({ requestId: 5n, shares: 4n }), moved(QUEUE, USER, 4n)];
    expect(endIn("5", [...whole, returned(USER, 9n)])).toEqual({ outcome: "cancelled", assets: 0n });
    expect(endIn("5", [...part, returned(USER, 4n)])).toEqual({
      ...{ outcome: "cancelled", assets: 0n, shares: 4n },
    });
    // The pool delegate's removal has no event of the pool.
    expect(endIn("5", whole)).toEqual({ outcome: "cancelled", assets: 0n });
    expect(endIn("6", [...whole, returned(USER, 9n)])).toBeNull();
    expect(endIn("0", [...whole, returned(USER, 9n)])).toMatchObject({ outcome: "cancelled", shares: 9n });
    expect(endIn("5", [queue.removed({ requestId: 5n }), moved(OTHER, USER, 9n)])).toBeNull();
    // Anyone's contract can emit the events of a queue and send a unit of shares.
    const forged = [queue.removed({ requestId: 5n }, OTHER), moved(OTHER, USER, 1n)];
    expect(endIn("5", forged)).toBeNull();
  });
});
