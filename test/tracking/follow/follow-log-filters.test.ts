import { type Address, type Hex, pad, zeroAddress } from "viem";
import { expect, test } from "vitest";
import type { WatchedDeposit, WatchedTarget, WatchList } from "../../../src/db/queries/follow-queries.ts";
import type { TransferEvent } from "../../../src/providers/provider.ts";
import { executedOrderTopics } from "../../../src/router/router-codec.ts";
import {
  depositLogFilters,
  routerEmitter,
  transferTopic,
} from "../../../src/tracking/follow/follow-log-filters.ts";

const address = (number: number): Address => `0x${number.toString(16).padStart(40, "0")}`;
const word = (of: string): string => pad(of as Hex);
const [TOKEN, POOL, DIAMOND, ENTRY] = [address(0xa1), address(0xa2), address(0xa3), address(0xa4)];
const SENT: Hex = `0x${"5e".repeat(32)}`;
const FILLED: Hex = `0x${"f1".repeat(32)}`;
const router = { addresses: [routerEmitter], topics: executedOrderTopics() };

const target = (of: Partial<WatchedTarget>): WatchedTarget => ({
  ...{ sourceTo: routerEmitter, fromToken: TOKEN, provider: null },
  ...of,
});
const bySwap = target({ sourceTo: DIAMOND, provider: "lifi" });
const users = (count: number): string[] => Array.from({ length: count }, (_, index) => address(index + 1));
const events: readonly TransferEvent[] = [
  { side: "source", contracts: [POOL], topic: SENT, userTopic: 3, nativeOnly: false },
  { side: "destination", contracts: [POOL], topic: FILLED, userTopic: null, nativeOnly: true },
];
const filters = (watch: Partial<WatchList>, known: readonly TransferEvent[] = []) =>
  depositLogFilters({
    watch: { targets: [], users: [], underWay: [], requestContracts: [], ...watch },
    events: known,
    maxTopics: 4,
  });

test("depositLogFilters() reads only the Router for deposits through it, however many there are", () => {
  expect(filters({ targets: [target({})], users: null })).toEqual([router]);
});

test("depositLogFilters() names the payers while they are few, and the called contracts otherwise", () => {
  const [, few] = filters({ targets: [bySwap], users: users(3) });
  expect(few).toEqual({ addresses: [TOKEN], topics: [[transferTopic()], users(3).map(word)] });
  for (const many of [users(5), null]) {
    const [, other] = filters({ targets: [bySwap], users: many });
    expect(other).toEqual({ addresses: [TOKEN], topics: [[transferTopic()], null, [word(DIAMOND)]] });
  }
});

test("depositLogFilters() needs as many filters for any number of unsent deposits", () => {
  const targets = [bySwap, target({ sourceTo: ENTRY })];
  const counts = [1, 4, 5, 1_000].map((count) => filters({ targets, users: users(count) }, events).length);
  expect(new Set([...counts, filters({ targets, users: null }, events).length]).size).toBe(1);
});

test("depositLogFilters() reads a bridge's deposits by the depositor, if the users are few", () => {
  const few = filters({ targets: [bySwap], users: users(2) }, events);
  expect(few).toContainEqual({ addresses: [POOL], topics: [[SENT], null, null, users(2).map(word)] });
  expect(filters({ targets: [bySwap], users: null }, events)).toContainEqual({
    addresses: [POOL],
    topics: [[SENT]],
  });
});

test("depositLogFilters() reads all that a vault's own entry point emits", () => {
  expect(filters({ targets: [target({ sourceTo: ENTRY })] })).toEqual([
    router,
    { addresses: [ENTRY], topics: [null] },
  ]);
});

test("depositLogFilters() reads transfers of users of deposits under way, and fills of native currency", () => {
  const [user] = users(1);
  const moving: WatchedDeposit = {
    ...{ userAddress: user ?? "", moveToken: TOKEN, shareToken: ENTRY, fromToken: zeroAddress },
    direction: "deposit",
    exitToken: null,
    state: "bridging",
  };
  const words = [word(moving.userAddress)];
  const addresses = [TOKEN, ENTRY];
  expect(filters({ underWay: [moving] }, events)).toEqual([
    router,
    { addresses, topics: [[transferTopic()], words] },
    { addresses, topics: [[transferTopic()], null, words] },
  ]);
  const native = { ...moving, moveToken: zeroAddress };
  expect(filters({ underWay: [native] }, events)).toContainEqual({ addresses: [POOL], topics: [[FILLED]] });
});

test("depositLogFilters() reads an exchange's event for native payments to its own contract alone", () => {
  const swapped: TransferEvent = {
    ...{ side: "source", contracts: [DIAMOND], topic: SENT, userTopic: null, nativeOnly: true },
  };
  const read = { addresses: [DIAMOND], topics: [[SENT]] };
  const paid = { sourceTo: DIAMOND, provider: "lifi", fromToken: zeroAddress };
  expect(filters({ targets: [target(paid)] }, [swapped])).toContainEqual(read);
  expect(filters({ targets: [target({ ...paid, fromToken: TOKEN })] }, [swapped])).not.toContainEqual(read);
  expect(filters({ targets: [target({ ...paid, sourceTo: POOL })] }, [swapped])).not.toContainEqual(read);
});
