import type { Address } from "viem";
import { describe, expect, test } from "vitest";
import { sourceFingerprint } from "../../../../src/flows/flow-sources.ts";
import { mellowLrt } from "../../../../src/vaults/families/mellow/mellow-lrt-family.ts";
import { OTHER, USER, VAULT, vault } from "../../../support/deposits/fixtures.ts";
import { playPosition } from "../../../support/positions/played-position.ts";
import { answer, eventLog } from "../../../support/vaults/answer.ts";

const QUEUE: Address = "0x1111111111111111111111111111111111111111";
const lrt = { ...vault, adapter: "mellow_lrt", params: { withdrawal_queues: QUEUE } };
const instant = { ...lrt, params: { exit: "instant" } };

const deposited = (assets: bigint) =>
  eventLog(
    VAULT,
    "event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)",
    { ...{ sender: USER, owner: USER, assets, shares: assets } },
  );
const redeemed = (assets: bigint, { receiver = USER, owner = USER } = {}) =>
  eventLog(
    VAULT,
    "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
    { sender: owner, receiver, owner, assets, shares: assets },
  );
const queued = (amount: bigint, { account = USER, queue = QUEUE } = {}) =>
  eventLog(
    queue,
    "event WithdrawalRequested(address indexed account, uint256 indexed epoch, uint256 amount)",
    {
      ...{ account, epoch: 3n, amount },
    },
  );
const eigenQueued = (assets: bigint) =>
  eventLog(
    QUEUE,
    "event Request(address indexed account, uint256 indexed withdrawalIndex, uint256 assets, bool isSelfRequested)",
    { account: USER, withdrawalIndex: 3n, assets, isSelfRequested: true },
  );
const claimed = (amount: bigint, { account = USER, recipient = USER } = {}) =>
  eventLog(QUEUE, "event Claimed(address indexed account, address indexed recipient, uint256 amount)", {
    ...{ account, recipient, amount },
  });
const transferred = (shares: bigint, { from, to }: { from: Address; to: Address }) =>
  eventLog(
    QUEUE,
    "event Transfer(address indexed from, address indexed to, uint256 indexed epoch, uint256 shares)",
    { from, to, epoch: 3n, shares },
  );

/** An epoch in which a withdrawal share at Symbiotic is worth a unit. */
const unslashed = {
  staked: OTHER,
  total: { isClaimed: false, sharesToClaim: 90n, claimableAssets: 0n },
  assets: 90n,
};
/** Answers of the vault's and the queue's views. */
const views = (pending: bigint, claimable = 0n) => ({
  ...{ queue: QUEUE, symbiotic: OTHER, epoch: 7n, pending, claimable, ...unslashed },
});

/** The position of a user whose other shares are worth 60 or nothing. */
const positionAfter = (
  logs: readonly ReturnType<typeof eventLog>[],
  { left, held = 60n, own = {} }: { left: Record<string, unknown>; held?: bigint; own?: object },
) => playPosition({ ...lrt, ...own }, { logs, held: { shares: held, assets: held }, views: left });

const sent = [deposited(100n), redeemed(40n), queued(30n)];

describe("what a user has made in a vault that queues redemptions", () => {
  test("is nothing while the queue still holds what it took", async () => {
    expect(await positionAfter(sent, { left: views(30n) })).toMatchObject({
      ...{ current: 90n, deposited: 90n, earned: 0n },
    });
  });

  test("is the loss of a slashing of what is queued", async () => {
    expect(await positionAfter(sent, { left: views(24n) })).toMatchObject({
      ...{ current: 84n, deposited: 90n, earned: -6n },
    });
    expect(await positionAfter(sent, { left: views(10n, 14n) })).toMatchObject({ earned: -6n });
  });

  test("stays that loss once parts and the rest are claimed", async () => {
    const part = [...sent, claimed(14n)];
    expect(await positionAfter(part, { left: views(10n) })).toMatchObject({ deposited: 76n, earned: -6n });
    const all = [...part, claimed(10n, { recipient: OTHER })];
    expect(await positionAfter(all, { left: views(0n) })).toMatchObject({
      ...{ current: 60n, deposited: 66n, earned: -6n },
    });
  });

  test("counts it at EigenLayer's queues too", async () => {
    const logs = [deposited(100n), redeemed(40n), eigenQueued(40n)];
    expect(await positionAfter(logs, { left: views(30n) })).toMatchObject({ deposited: 100n, earned: -10n });
  });

  test("does not contain what others have queued for or transferred to the user", async () => {
    const given = [
      ...sent,
      redeemed(5n, { receiver: USER, owner: OTHER }),
      queued(5n),
      transferred(7n, { from: OTHER, to: USER }),
    ];
    expect(await positionAfter(given, { left: views(42n) })).toMatchObject({ earned: 0n });
    expect(await positionAfter(given, { left: views(34n) })).toMatchObject({ earned: -1n });
  });

  test("does not contain what the vault claims or others have queued", async () => {
    const logs = [...sent, claimed(8n, { account: VAULT }), queued(9n, { account: OTHER })];
    expect(await positionAfter(logs, { left: views(30n) })).toMatchObject({ deposited: 90n, earned: 0n });
  });

  test("contains the requests that the vault itself transferred, by their worth at that time", async () => {
    const logs = [deposited(100n), redeemed(40n), transferred(40n, { from: VAULT, to: USER })];
    const total = { isClaimed: false, sharesToClaim: 50n, claimableAssets: 0n };
    const left = { ...views(30n), staked: OTHER, total, assets: 50n };
    expect(await positionAfter(logs, { left })).toMatchObject({ deposited: 100n, earned: -10n });
    const slashed = { ...left, assets: 40n };
    expect(await positionAfter(logs, { left: slashed })).toMatchObject({ deposited: 92n, earned: -2n });
    const unread = { ...views(30n), staked: undefined };
    expect(await positionAfter(logs, { left: unread })).toMatchObject({ deposited: null, earned: null });
  });

  test("contains a request in a slashed epoch by its assets, not by the shares that Symbiotic mints for them", async () => {
    const logs = [deposited(160n), redeemed(100n), queued(200n)];
    const total = { isClaimed: false, sharesToClaim: 300n, claimableAssets: 0n };
    const left = { ...views(100n), total, assets: 150n };
    expect(await positionAfter(logs, { left })).toMatchObject({ current: 160n, deposited: 160n, earned: 0n });
    const unread = { ...left, assets: undefined };
    expect(await positionAfter(logs, { left: unread })).toMatchObject({ deposited: null, earned: null });
  });

  test("contains the withdrawals that the vault transferred at EigenLayer, by the strategy's shares", async () => {
    const logs = [deposited(100n), redeemed(40n), transferred(20n, { from: VAULT, to: USER })];
    const data = {
      ...{ staker: VAULT, delegatedTo: OTHER, withdrawer: VAULT, nonce: 1n, startBlock: 5 },
      ...{ strategies: [OTHER], scaledShares: [60n] },
    };
    const queuedAt = (isPaid: boolean, assets: bigint, total: bigint) => [data, isPaid, assets, total, 0n];
    const eigen = {
      ...{ ...views(40n), staked: undefined, total: undefined, epoch: undefined, transfers: [0n, [], []] },
      ...{ isolated: OTHER, strategy: OTHER, "withdrawal 3": queuedAt(false, 0n, 60n) },
      ...{ "shares 0": 19n, underlying: 40n },
    };
    expect(await positionAfter(logs, { left: eigen })).toMatchObject({ deposited: 100n, earned: 0n });
    const slashed = { ...eigen, pending: 30n };
    expect(await positionAfter(logs, { left: slashed })).toMatchObject({ deposited: 100n, earned: -10n });
    const paid = { ...eigen, "withdrawal 3": queuedAt(true, 120n, 60n), underlying: undefined };
    expect(await positionAfter(logs, { left: paid })).toMatchObject({ deposited: 100n, earned: 0n });
    for (const unread of [{ underlying: undefined }, { "withdrawal 3": queuedAt(true, 0n, 0n) }]) {
      const left = { ...eigen, ...unread };
      expect(await positionAfter(logs, { left })).toMatchObject({ deposited: null, earned: null });
    }
  });

  test("is not known of a user who transferred queued assets away, or whose queue cannot be read", async () => {
    const logs = [...sent, transferred(30n, { from: USER, to: OTHER })];
    expect(await positionAfter(logs, { left: views(0n) })).toMatchObject({ deposited: null, earned: null });
    expect(await positionAfter(sent, { left: {} })).toMatchObject({ deposited: null, earned: null });
  });

  test("is as before without known queues", async () => {
    const own = { params: {} };
    expect(await positionAfter(sent, { left: views(24n), own })).toMatchObject({ earned: 0n });
  });

  test("notices shares that were sent away", async () => {
    const moved = await positionAfter(sent, { left: views(30n), held: 50n });
    expect(moved).toMatchObject({ basis: "transferred", earned: null });
  });
});

test("a vault without queues is read as any ERC-4626 vault", () => {
  expect(sourceFingerprint(instant)).not.toContain("requests");
  expect(mellowLrt.flows(lrt).decode(queued(1n, { queue: OTHER }))).toBeNull();
  expect(mellowLrt.flows(instant).decode(queued(1n))).toBeNull();
});

test("the worth of transferred requests is unknown at an empty epoch", () => {
  const flow = mellowLrt.flows(lrt).decode(transferred(1n, { from: VAULT, to: USER }));
  const total = { isClaimed: false, sharesToClaim: 0n, claimableAssets: 0n };
  expect(flow?.conversion && answer(flow.conversion, { staked: OTHER, total })).toBeNull();
});
