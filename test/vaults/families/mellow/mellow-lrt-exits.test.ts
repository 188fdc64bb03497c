import { type Address, decodeFunctionData, type Hex, type Log, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import { mellowLrt } from "../../../../src/vaults/families/mellow/mellow-lrt-family.ts";
import type { PendingExit, VaultExits } from "../../../../src/vaults/vault-exits.ts";
import { NOW, OTHER, USDC, USER, VAULT, vault } from "../../../support/deposits/fixtures.ts";
import { transferLog } from "../../../support/deposits/logs.ts";
import { answer, eventLog } from "../../../support/vaults/answer.ts";

const QUEUE: Address = "0x1111111111111111111111111111111111111111";
const SECOND: Address = "0x2222222222222222222222222222222222222222";
const COLLATERAL: Address = "0x3333333333333333333333333333333333333333";
const SYMBIOTIC = 0;
const EIGEN = 1;
const ERC4626 = 2;
const NONE: Address = "0x0000000000000000000000000000000000000000";

const exits = mellowLrt.exits as Required<VaultExits>;
const known = { ...vault, adapter: "mellow_lrt", params: { withdrawal_queues: `${QUEUE},${SECOND}` } };

const logOf = (...of: Parameters<typeof eventLog>) => eventLog(...of) as unknown as Log;
const claimed = (queue: Address, [account, recipient]: readonly [Address, Address]) =>
  logOf(queue, "event Claimed(address indexed account, address indexed recipient, uint256 amount)", {
    ...{ account, recipient, amount: 9n },
  });
const requested = (queue: Address, account: Address) =>
  logOf(queue, "event WithdrawalRequested(address indexed account, uint256 indexed epoch, uint256 amount)", {
    ...{ account, epoch: 3n, amount: 9n },
  });
const paid = (from: Address, value: bigint) => transferLog({ token: USDC, from, value });

describe("a claim of queued assets", () => {
  const endIn = (logs: Log[], { of = known, requestLogs = [] }: { of?: typeof vault; requestLogs?: Log[] }) =>
    exits.findSettlement(of, { user: USER, requestId: "0", logs, requestLogs });
  const own = claimed(QUEUE, [USER, USER]);

  test("is found at the vault's queue, with what that queue paid", () => {
    const seen = endIn([own, paid(QUEUE, 9n), paid(OTHER, 5n)], {});
    expect(seen).toEqual({ outcome: "paid", assets: 9n, inParts: true });
    const both = [own, paid(QUEUE, 9n), claimed(SECOND, [USER, USER]), paid(SECOND, 4n)];
    expect(endIn(both, {})).toMatchObject({ assets: 13n });
  });

  test("is not a stranger's in the user's favour, nor one that pays another account", () => {
    for (const recipient of [USER, OTHER])
      expect(endIn([claimed(QUEUE, [OTHER, recipient]), paid(QUEUE, 9n)], {})).toBeNull();
    expect(endIn([claimed(QUEUE, [USER, OTHER]), paid(OTHER, 9n)], {})).toBeNull();
  });

  test("is found without queues in the registry entry by the queue that took the request", () => {
    const logs = [own, paid(QUEUE, 9n)];
    expect(endIn(logs, { of: vault })).toBeNull();
    expect(endIn(logs, { of: vault, requestLogs: [requested(SECOND, USER)] })).toBeNull();
    expect(endIn(logs, { of: vault, requestLogs: [requested(QUEUE, OTHER)] })).toBeNull();
    expect(endIn(logs, { of: vault, requestLogs: [requested(QUEUE, USER)] })).toMatchObject({ assets: 9n });
  });

  test.each([
    [
      "event Request(address indexed account, uint256 indexed index, uint256 assets, bool isSelfRequested)",
      { account: USER, index: 1n, assets: 9n, isSelfRequested: true },
    ],
    [
      "event Transfer(address indexed from, address indexed to, uint256 indexed epoch, uint256 amount)",
      { from: VAULT, to: USER, epoch: 1n, amount: 9n },
    ],
  ])("is found at a queue that emitted %s", (event, values) => {
    const requestLogs = [logOf(QUEUE, event, values)];
    expect(endIn([own, paid(QUEUE, 9n)], { of: vault, requestLogs })).toMatchObject({ outcome: "paid" });
  });

  test("is none of the vault itself, which only forwards it", () => {
    expect(endIn([claimed(VAULT, [USER, USER]), paid(VAULT, 9n)], {})).toBeNull();
  });
});

/** Answers of a queue's views. `transferred`: ids of transferred withdrawals; null at a Symbiotic queue. */
function queueAt(
  queue: Address,
  held: readonly [bigint, bigint],
  transferred: readonly bigint[] | null = null,
) {
  const epoch = transferred === null ? { epoch: 7n } : { transfers: [0n, [], transferred] };
  const views = { pending: held[0], claimable: held[1], ...epoch };
  return Object.fromEntries(Object.entries(views).map(([name, value]) => [`${queue}/${name}`, value]));
}

/** Answers of a MultiVault's views. */
function multiVault(subvaults: readonly (readonly [number, Address])[]) {
  const listed = subvaults.map(([protocol, withdrawalQueue]) => ({
    protocol,
    vault: OTHER,
    withdrawalQueue,
  }));
  return {
    ...{ count: BigInt(subvaults.length), collateral: COLLATERAL },
    ...Object.fromEntries(listed.map((subvault, index) => [`${index}`, subvault])),
  };
}
const symbiotic = { queue: QUEUE, symbiotic: COLLATERAL };
const dvv = { wsteth: USDC, asset: USDC, compat: 0n };

describe("open requests", () => {
  const openAt = (table: Record<string, unknown>, params: Record<string, string> = {}) =>
    answer(exits.pending({ ...vault, params }, { user: USER, requestIds: [], now: NOW }), scoped(table));
  /** A read is found by the queue and its name, wherever the query of the queue is nested. */
  function scoped(table: Record<string, unknown>) {
    const prefixes = ["first/", "", "more/"];
    return Object.fromEntries(
      Object.entries(table).flatMap(([name, value]) => prefixes.map((prefix) => [`${prefix}${name}`, value])),
    );
  }

  test("are those in the queue of a Symbiotic vault", () => {
    const open = openAt({ ...symbiotic, ...queueAt(QUEUE, [5n, 4n]) });
    expect(open).toMatchObject([
      { requestId: "0", assets: 9n, claimableAssets: 4n, state: "claimable", priced: false, bookedOut: true },
    ]);
    expect(openAt({ ...symbiotic, ...queueAt(QUEUE, [0n, 0n]) })).toEqual([]);
  });

  test("are the sum over the queues of a MultiVault, and claimed where most is ready", () => {
    const subvaults = multiVault([
      [SYMBIOTIC, QUEUE],
      [ERC4626, NONE],
      [SYMBIOTIC, SECOND],
    ]);
    const open = openAt({ ...subvaults, ...queueAt(QUEUE, [5n, 1n]), ...queueAt(SECOND, [0n, 3n]) });
    expect(open).toMatchObject([{ assets: 9n, claimableAssets: 3n, state: "claimable" }]);
    expect(claimOf(open?.[0])).toEqual([SECOND, [USER, USER, 3n]]);
    const waiting = openAt({ ...subvaults, ...queueAt(QUEUE, [5n, 0n]), ...queueAt(SECOND, [0n, 0n]) });
    expect(waiting).toMatchObject([{ assets: 5n, state: "pending", claimableAssets: 0n }]);
    expect(claimOf(waiting?.[0])).toBeNull();
  });

  test("include those in a queue that the vault no longer names", () => {
    const table = { ...symbiotic, ...queueAt(QUEUE, [0n, 0n]), ...queueAt(SECOND, [0n, 3n]) };
    expect(openAt(table)).toEqual([]);
    const open = openAt(table, { withdrawal_queues: SECOND });
    expect(claimOf(open?.[0])).toEqual([SECOND, [USER, USER, 3n]]);
  });

  test("have no known worth where EigenLayer holds unread withdrawals that the user has not accepted", () => {
    const eigen = multiVault([[EIGEN, QUEUE]]);
    expect(openAt({ ...eigen, ...queueAt(QUEUE, [0n, 0n], []) })).toEqual([]);
    expect(openAt({ ...eigen, ...queueAt(QUEUE, [0n, 0n], [4n]) })).toMatchObject([
      { assets: null, state: "pending", priced: false },
    ]);
  });

  describe("at an EigenLayer queue, with what others transferred to or requested for the user", () => {
    const strategy: Address = "0x4444444444444444444444444444444444444444";
    const queued = {
      ...{ staker: VAULT, delegatedTo: OTHER, withdrawer: VAULT, nonce: 1n, startBlock: 5 },
      ...{ strategies: [strategy], scaledShares: [40n] },
    };
    /** Withdrawals of the queue, in the order of their ids: claimed or not, assets, and the shares of all and the user. */
    type Withdrawal = readonly [claimed: boolean, assets: bigint, shares: bigint, own: bigint];
    function eigen(held: readonly [bigint, bigint], withdrawals: readonly Withdrawal[]) {
      const table = withdrawals.map((one, id) => [`withdrawal ${id}`, [queued, ...one]] as const);
      const ids = withdrawals.map((_, id) => BigInt(id));
      const views = { isolated: OTHER, strategy, ...Object.fromEntries(table) };
      return { ...multiVault([[EIGEN, QUEUE]]), ...queueAt(QUEUE, held, ids), ...views };
    }

    test("are worth that too: one unit as a gift hides nothing", () => {
      const gift = { ...eigen([5n, 4n], [[false, 0n, 40n, 1n]]), "shares 0": 1n, underlying: 1n };
      const [open] = openAt(gift) ?? [];
      expect(open).toMatchObject({ assets: 10n, claimableAssets: 4n, state: "claimable", priced: false });
      expect(claimOf(open)).toEqual([QUEUE, [USER, USER, 4n]]);
      expect(openAt({ ...gift, ...queueAt(QUEUE, [0n, 0n], [0n]) })).toMatchObject([
        { assets: 1n, claimableAssets: 0n, state: "pending", priced: false },
      ]);
    });

    test("are worth the user's part of a withdrawal that the queue has claimed", () => {
      const given: readonly Withdrawal[] = [
        [true, 90n, 30n, 10n],
        [false, 0n, 40n, 7n],
        [true, 8n, 3n, 2n],
      ];
      expect(openAt({ ...eigen([5n, 0n], given), "shares 1": 6n, underlying: 12n })).toMatchObject([
        { assets: 52n, state: "pending" },
      ]);
    });

    test("have no known worth if a listed one is gone: it was accepted between two reads", () => {
      const gone = eigen([0n, 0n], [[false, 0n, 0n, 0n]]);
      expect(openAt(gone)).toMatchObject([{ assets: null, state: "pending", priced: false }]);
      const accepted = eigen([0n, 0n], [[false, 0n, 40n, 0n]]);
      expect(openAt(accepted)).toMatchObject([{ assets: null, state: "pending", priced: false }]);
    });

    test("have no known worth if a part of it is unread or there are too many", () => {
      const given: Withdrawal = [false, 0n, 40n, 1n];
      for (const table of [
        { ...eigen([5n, 4n], [given, given]), "shares 0": 1n, underlying: 1n },
        { ...eigen([5n, 4n], [given]), "shares 0": 1n },
        { ...eigen([5n, 4n], [given]), "withdrawal 0": undefined },
        eigen([5n, 4n], Array<Withdrawal>(121).fill([true, 1n, 1n, 1n])),
      ])
        expect(openAt(table)).toMatchObject([{ assets: null, claimableAssets: 4n, state: "claimable" }]);
      const many = eigen([5n, 4n], Array<Withdrawal>(120).fill([true, 1n, 1n, 1n]));
      expect(openAt(many)).toMatchObject([{ assets: 129n }]);
    });
  });

  test("are none at DVV, which proves by its own views that it has no queue", () => {
    expect(openAt(dvv)).toEqual([]);
  });

  test.each<[string, Record<string, unknown>]>([
    ["the vault names neither queues nor subvaults", {}],
    ["DVV's token is not the asset", { ...dvv, wsteth: OTHER }],
    ["it may be DVV, but its own view does not answer", { ...dvv, compat: undefined }],
    ["the queue is the zero address", { ...symbiotic, queue: NONE }],
    ["the queue does not answer", { ...symbiotic }],
    [
      "the queue shows no epoch and no transfers",
      { ...symbiotic, ...queueAt(QUEUE, [0n, 0n]), [`${QUEUE}/epoch`]: undefined },
    ],
    [
      "a subvault does not answer",
      { ...multiVault([[SYMBIOTIC, QUEUE]]), ...queueAt(QUEUE, [0n, 0n]), count: 2n },
    ],
    [
      "there are too many subvaults",
      { ...multiVault([[SYMBIOTIC, QUEUE]]), ...queueAt(QUEUE, [0n, 0n]), count: 33n },
    ],
  ])("are unknown if %s", (_name, table) => {
    expect(openAt(table)).toBeNull();
  });

  test("are found behind more subvaults than the first batch reads", () => {
    const queues = [1, 2, 3, 4, 5, 6].map((digit) => `0x${String(digit).repeat(40)}` as Address);
    const held = Object.assign({}, ...queues.map((queue) => queueAt(queue, [1n, 0n])));
    const subvaults = multiVault(queues.map((queue) => [SYMBIOTIC, queue] as const));
    expect(openAt({ ...subvaults, ...held })).toMatchObject([{ assets: 6n }]);
  });
});

function claimOf(request: PendingExit | undefined) {
  if (request === undefined) throw new Error("no request");
  const call = exits.claim(vault, { user: USER, request });
  const abi = parseAbi(["function claim(address account, address recipient, uint256 maxAmount)"]);
  return call === null ? null : [call.target, decodeFunctionData({ abi, data: call.data as Hex }).args];
}

describe("the conditions of a withdrawal", () => {
  const termsOf = (mode: "instant" | "request", table: Record<string, unknown>) =>
    answer(
      exits.terms(vault, {
        ...{ mode, token: vault.asset, shares: 10n, owner: USER, caller: USER, receiver: USER, now: NOW },
      }),
      { "views/preview": 100n, held: 10n, liquid: 30n, kept: 12n, ...table },
    );

  test("count the collateral, which the vault pays too", () => {
    expect(termsOf("instant", symbiotic)).toMatchObject({ availableAssets: 42n, refusal: null });
    expect(termsOf("request", symbiotic)).toMatchObject({ paidNow: 42n, refusal: null });
    expect(termsOf("instant", dvv)).toMatchObject({ availableAssets: 30n });
  });

  test("know no liquidity that they cannot count", () => {
    const pays = multiVault([
      [SYMBIOTIC, QUEUE],
      [ERC4626, NONE],
    ]);
    for (const table of [pays, {}, { ...symbiotic, kept: undefined }, { ...symbiotic, liquid: undefined }]) {
      expect(termsOf("instant", table)).toMatchObject({ availableAssets: null, refusal: null });
      expect(termsOf("request", table)).toMatchObject({ paidNow: null });
    }
  });

  test.each<[string, Record<string, unknown>, string | null]>([
    ["a Symbiotic vault", symbiotic, null],
    ["a MultiVault of Symbiotic", multiVault([[SYMBIOTIC, QUEUE]]), null],
    [
      "a MultiVault of EigenLayer",
      multiVault([
        [SYMBIOTIC, QUEUE],
        [EIGEN, SECOND],
      ]),
      "mode_unsupported",
    ],
    ["a MultiVault of a later protocol", multiVault([[3, QUEUE]]), "mode_unsupported"],
    ["a MultiVault without a queue", multiVault([[ERC4626, NONE]]), "mode_unsupported"],
    ["DVV", dvv, "mode_unsupported"],
    ["a vault that shows no queues", {}, "mode_unsupported"],
  ])("take a request at %s: %s", (_name, table, refusal) => {
    expect(termsOf("request", table)).toMatchObject({ refusal });
    expect(termsOf("instant", table)).toMatchObject({ refusal: null });
  });
});

test("a vault that pays everything at once has that mode only", () => {
  expect(exits.modes(vault)).toEqual(["instant", "request"]);
  expect(exits.modes({ ...vault, params: { exit: "instant" } })).toEqual(["instant"]);
  expect(() => mellowLrt.checkParams?.({ ...vault, params: { exit: "later" } })).toThrow(/exit/);
  expect(() => mellowLrt.checkParams?.({ ...vault, params: { withdrawal_queues: "x" } })).toThrow(/queues/);
  expect(mellowLrt.checkParams?.(known)).toBeUndefined();
});

test("requests are never cancelled", () => {
  expect(mellowLrt.exits?.cancel).toBeUndefined();
});
