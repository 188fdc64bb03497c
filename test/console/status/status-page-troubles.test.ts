import { expect, test } from "vitest";
import { findTroubles } from "../../../src/console/status/status-page-troubles.ts";

type Health = Parameters<typeof findTroubles>[0];
const chain = {
  ...{ chainId: 1, head: 10, nodes: 2 },
  index: { block: 10, lagBlocks: 0, code: null },
  deposits: { block: 10, lagS: 5, missingBlocks: 0, roundAt: null, code: null },
};
const healthy = {
  dependencies: [{ name: "database", ok: true, latencyMs: 1, code: null }],
  chains: [chain],
  jobs: [{ name: "index_flows", startedAt: null, endedAt: null, ok: true, code: null }],
} as unknown as Health;

test("findTroubles() is silent while everything works", () => {
  expect(findTroubles(healthy, [])).toEqual([]);
});

test("findTroubles() is silent about chains that are not read because no deposit is under way", () => {
  const chains = [{ ...chain, deposits: { ...chain.deposits, lagS: 600 } }];
  const idle = { ...healthy, chains, deposits: { underWay: 0, due: 0, oldestDueS: null } };
  expect(findTroubles(idle as unknown as Health, [])).toEqual([]);
  const busy = { ...idle, deposits: { ...idle.deposits, underWay: 1 } };
  expect(findTroubles(busy as unknown as Health, [])).toEqual([
    "Chain 1: deposits are found 10 minutes late.",
  ]);
});

test("findTroubles() says what users notice", () => {
  const broken = {
    ...healthy,
    dependencies: [
      { name: "redis", ok: false, latencyMs: 1, code: "timeout" },
      { name: "chain:1", ok: false, latencyMs: 1, code: "timeout" },
    ],
    chains: [{ ...chain, deposits: { ...chain.deposits, lagS: 600 } }],
    jobs: [{ name: "index_flows", startedAt: null, endedAt: null, ok: false, code: "internal" }],
  } as unknown as Health;
  expect(findTroubles(broken, [])).toEqual([
    "The cache does not answer: signing in is not possible, reads are slower.",
    "Chain 1 does not answer: figures of its vaults may be old.",
    "Chain 1: deposits are found 10 minutes late.",
    "The last run of these jobs failed: index deposits and withdrawals.",
  ]);
});
