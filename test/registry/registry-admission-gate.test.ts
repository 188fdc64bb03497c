import { describe, expect, test } from "vitest";
import type { DiscoverySetting } from "../../src/config/discovery-setting.ts";
import { DAY_MS } from "../../src/lib/durations.ts";
import {
  type AdmissionCode,
  type AdmissionFacts,
  admissionObstacle,
  codeObstacle,
} from "../../src/registry/registry-admission-gate.ts";

const NOW = Date.parse("2026-03-01T00:00:00.000Z");
const ASSET = `0x${"Aa".repeat(20)}`;
const VAULT = `0x${"cC".repeat(20)}`;
const setting: DiscoverySetting = {
  ...{ assets: [`1:${ASSET}`], min_tvl_usd: 1_000, min_age_days: 30, registers: [] },
  ...{ code: [], blocked: [], owners: [], min_timelock_s: 1 },
};
const admitted: AdmissionFacts = {
  chainId: 1,
  address: VAULT.toLowerCase(),
  asset: ASSET.toLowerCase(),
  adapter: "euler",
  provenance: { source: "factory", detail: "Euler" },
  isNamed: true,
  curated: true,
  seenAt: NOW - 30 * DAY_MS,
  tvlUsd: 1_000n * 10n ** 18n,
  proof: {
    ok: true,
    blockNumber: 1,
    at: "2026-03-01T00:00:00.000Z",
    amount: "1000000",
    shares: "1",
    returned: "995000",
    reason: "",
  },
};
const ask = (change: Partial<AdmissionFacts>, own: DiscoverySetting = setting) =>
  admissionObstacle({ ...admitted, ...change }, { setting: own, now: NOW });

describe("admissionObstacle()", () => {
  test("admits a vault that meets every condition exactly", () => {
    expect(ask({})).toBeNull();
  });

  test("admits nothing without a list of assets", () => {
    expect(ask({}, { ...setting, assets: [] })).toBe("its asset is not on the operator's list");
  });

  const returned = (amount: string | null) => ({ proof: { ...admitted.proof, returned: amount } });
  test.each([
    ["an asset of another chain", { chainId: 10 }, "its asset is not on the operator's list"],
    ["another asset", { asset: `0x${"bb".repeat(20)}` }, "its asset is not on the operator's list"],
    ["generic code", { adapter: "erc4626" }, "its contract code belongs to no known family"],
    [
      "no register",
      { isNamed: false },
      "no vault factory or public list of vaults includes the vault any more",
    ],
    [
      "only an open factory",
      { curated: false },
      "neither a factory that its protocol governs nor a public list of vaults includes the vault",
    ],
    ["an age below 30 days", { seenAt: admitted.seenAt + 1 }, "it has been known for less than 30 days"],
    ["assets of unknown value", { tvlUsd: null }, "the value of its assets is unknown"],
    [
      "assets below the minimum",
      { tvlUsd: 1_000n * 10n ** 18n - 1n },
      "its total assets are below the operator's minimum",
    ],
    ["no way back", returned(null), "a deposit does not come back at once"],
    ["a way back below 99.5%", returned("994999"), "a deposit does not come back whole"],
  ])("holds back a vault with %s", (_what, change, obstacle) => {
    expect(ask(change)).toBe(obstacle);
  });

  test.each([
    ["vault", `1:${VAULT}`, "the operator of this service excludes the vault or its asset"],
    ["asset", `1:${ASSET.toLowerCase()}`, "the operator of this service excludes the vault or its asset"],
    ["vault of another chain", `10:${VAULT}`, null],
  ])("holds back a blocked %s", (_what, entry, obstacle) => {
    expect(ask({}, { ...setting, blocked: [entry] })).toBe(obstacle);
  });
});

describe("codeObstacle()", () => {
  const KEY = "0x00000000000000000000000000000000000A11cE";
  const FIXED = `code:0x${"12".repeat(32)}`;
  const PROXY = "implementation:0x00000000000000000000000000000000000C0DE0";
  const safe: AdmissionCode = {
    ...{ chainId: 1, code: FIXED, reviewed: new Set<string>(), fromFactory: true, keys: [], timelockS: 1n },
    ...{ delegates: false, agreed: true },
  };
  const judge = (change: Partial<AdmissionCode>, own: Record<string, unknown> = {}) =>
    codeObstacle({ ...safe, ...change }, { ...setting, ...own });

  test("admits code that a factory of the family made and nobody can replace", () => {
    expect(judge({})).toBeNull();
    expect(judge({ code: "clone:0x00000000000000000000000000000000000C0DE0", timelockS: null })).toBeNull();
  });

  test("admits other code only if it was reviewed or pinned on this chain", () => {
    expect(judge({ fromFactory: false })).toBe(
      `no factory of its family made it, and nobody pinned ${FIXED}`,
    );
    expect(judge({ code: PROXY })).toBe(`its code can be replaced, and nobody pinned ${PROXY}`);
    expect(judge({ code: "beacon:0x1/0x2" })).toContain("its code can be replaced");
    expect(judge({ code: PROXY, reviewed: new Set([PROXY]) })).toBeNull();
    expect(judge({ code: PROXY }, { code: [`1:${PROXY}`] })).toBeNull();
    expect(judge({ code: PROXY }, { code: [`10:${PROXY}`] })).toContain("nobody pinned");
    expect(judge({ code: null })).toBe("its code could not be read");
  });

  test("compares the implementation alone of a proxy that a factory of the family created", () => {
    const [hash, other] = [`0x${"ab".repeat(32)}`, `0x${"cd".repeat(32)}`];
    for (const named of [PROXY, `beacon:${KEY}/${KEY}`]) {
      const reviewed = new Set([`${named}/${other}`]);
      const code = `${named}/${hash}`;
      expect(judge({ code, reviewed })).toBeNull();
      expect(judge({ code }, { code: [`1:${named}/${other}`] })).toBeNull();
      expect(judge({ code }, { code: [`10:${named}/${other}`] })).toContain("nobody pinned");
      // Any contract can write a proxy's slots: without a factory, its own code must be the same.
      expect(judge({ code, reviewed, fromFactory: false })).toContain("nobody pinned");
      const upgraded = new Set([`${named.replace(/.$/, "7")}/${hash}`]);
      expect(judge({ code, reviewed: upgraded })).toContain("nobody pinned");
    }
    expect(judge({ code: FIXED.replace("12", "34"), delegates: true, reviewed: new Set([FIXED]) })).toContain(
      "can be replaced",
    );
  });

  test("holds back a factory's proxy whose beacon did not return its implementation", () => {
    const code = `beacon:${KEY}/unknown/0x${"ab".repeat(32)}`;
    expect(judge({ code })).toContain("its code can be replaced");
    expect(judge({ code, reviewed: new Set([code]) })).toContain("its code can be replaced");
  });

  test("holds back a vault that a public list alone names", () => {
    expect(judge({ agreed: false })).toBe("one public list alone vouches for it");
  });

  test("admits code that may run other code only if the operator pinned it", () => {
    const CLONE = "clone:0x00000000000000000000000000000000000C0DE0";
    // A beacon that does not return its implementation can be upgraded without a change of this identifier.
    const UNREAD = "beacon:0x00000000000000000000000000000000000C0DE0/unknown/0x12";
    for (const code of [FIXED, CLONE, UNREAD]) {
      expect(judge({ code, delegates: true })).toBe(`its code can be replaced, and nobody pinned ${code}`);
      // Another proxy with the same code may have another implementation.
      expect(judge({ code, delegates: true, reviewed: new Set([code]) })).toContain("can be replaced");
      expect(judge({ code, delegates: true }, { code: [`1:${code}`] })).toBeNull();
    }
    for (const code of [FIXED, CLONE])
      expect(judge({ code, reviewed: new Set([code]), fromFactory: false })).toBeNull();
    expect(judge({ code: PROXY, delegates: true, reviewed: new Set([PROXY]) })).toBeNull();
  });

  test("holds back a vault that one key governs, unless the operator knows the key", () => {
    expect(judge({ keys: [KEY] })).toBe(`one key governs it: ${KEY}`);
    expect(judge({ keys: [KEY] }, { owners: [`1:${KEY.toLowerCase()}`] })).toBeNull();
    expect(judge({ keys: [KEY] }, { owners: [`10:${KEY}`] })).toContain("one key");
    expect(judge({ keys: "unread" })).toBe("who governs it could not be read");
  });

  test("holds back a vault whose changes take effect at once", () => {
    expect(judge({ timelockS: 0n })).toBe("its changes wait 0 seconds, less than the operator's minimum");
    expect(judge({ timelockS: 0n }, { min_timelock_s: 0 })).toBeNull();
    expect(judge({ timelockS: "unread" }, { min_timelock_s: 0 })).toBe(
      "the timelock of its changes could not be read",
    );
  });
});
