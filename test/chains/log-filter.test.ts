import { describe, expect, test } from "vitest";
import {
  longestLists,
  splitFilter,
  toFewLogFilters,
  toLogFilters,
  toTopicLists,
} from "../../src/chains/log-filter.ts";

describe("splitFilter()", () => {
  test("leaves a filter within the limits as it is", () => {
    const filter = { addresses: ["0xa"], topics: [["0x1"], null, ["0x2", "0x3"]] };
    expect(splitFilter(filter, { addresses: 1, topics: 2 })).toEqual([filter]);
  });

  test("splits addresses and the topic list of every position, each combination once", () => {
    const filter = {
      addresses: ["0xa", "0xb", "0xc"],
      topics: [["0x1", "0x2"], null, ["0x3", "0x4", "0x5"]],
    };
    const parts = splitFilter(filter, { addresses: 2, topics: 2 });
    expect(parts).toHaveLength(4);
    const combinations = parts.flatMap(({ addresses, topics: [first, second, third] }) => {
      expect(second).toBe(null);
      return addresses.flatMap((address) =>
        (first ?? []).flatMap((a) => (third ?? []).map((c) => `${address} ${a} ${c}`)),
      );
    });
    expect(new Set(combinations).size).toBe(18);
    expect(combinations).toHaveLength(18);
    expect(longestLists(parts)).toEqual({ addresses: 2, topics: 2 });
  });

  test("asks nothing for a filter without addresses or with an empty topic list, which nodes take for any", () => {
    expect(splitFilter({ addresses: [], topics: [["0x1"]] }, { addresses: 5, topics: 5 })).toEqual([]);
    expect(splitFilter({ addresses: ["0xa"], topics: [[]] }, { addresses: 5, topics: 5 })).toEqual([]);
  });
});

test("toLogFilters() adds the filter of further events, split by itself", () => {
  const further = { addresses: ["0xb", "0xc"], topics: [["0x2"], null, ["0x3", "0x4"]] };
  const subscription = { topics: ["0x1"], topicsBy: new Map([["0xa", new Set(["0x1"])]]), further };
  const own = { addresses: ["0xa"], topics: [["0x1"]] };
  expect(toLogFilters(subscription, { addresses: 2, topics: 2 })).toEqual([own, further]);
  const split = toLogFilters(subscription, { addresses: 1, topics: 2 });
  const [first, second] = further.addresses.map((address) => ({ ...further, addresses: [address] }));
  expect(split).toEqual([own, first, second]);
});

describe("toFewLogFilters()", () => {
  const topics = Array.from({ length: 28 }, (_, index) => `0x${index}`);
  const subscription = { topics, topicsBy: new Map(topics.map((topic) => [`${topic}a`, new Set([topic])])) };

  test("leaves the topics out where a list takes four: one filter instead of seven", () => {
    const limits = { addresses: 500, topics: 4 };
    expect(toLogFilters(subscription, limits)).toHaveLength(7);
    const all = topics.map((topic) => `${topic}a`);
    expect(toFewLogFilters(subscription, limits)).toEqual([{ addresses: all, topics: [] }]);
    const [first, second, ...rest] = toFewLogFilters(subscription, { ...limits, addresses: 20 });
    expect([...(first?.addresses ?? []), ...(second?.addresses ?? [])]).toEqual(all);
    expect(rest).toEqual([]);
  });

  test("names the topics where they fit, or lists are long", () => {
    const few = { topics: ["0x1"], topicsBy: new Map([["0xa", new Set(["0x1"])]]) };
    for (const [wanted, limits] of [
      [few, { addresses: 500, topics: 4 }],
      [subscription, { addresses: 500, topics: 100 }],
      [subscription, { addresses: 500, topics: 20 }],
    ] as const)
      expect(toFewLogFilters(wanted, limits)).toEqual(toLogFilters(wanted, limits));
  });
});

test("toTopicLists() makes each position a lower-case list, null where any topic matches", () => {
  expect(toTopicLists(["0xAB", null, ["0xC", "0xd"], undefined])).toEqual([
    ["0xab"],
    null,
    ["0xc", "0xd"],
    null,
  ]);
});
