import { describe, expect, test } from "vitest";
import { DAY_MS } from "../../src/lib/durations.ts";
import { type AdmissionFacts, admissionObstacle } from "../../src/registry/admission-gate.ts";

const NOW = Date.parse("2026-03-01T00:00:00.000Z");
const ASSET = `0x${"Aa".repeat(20)}`;
const setting = { assets: [`1:${ASSET}`], min_tvl_usd: 1_000, min_age_days: 30, registers: [] };
const admitted: AdmissionFacts = {
  chainId: 1,
  asset: ASSET.toLowerCase(),
  adapter: "euler",
  provenance: { source: "factory", detail: "Euler" },
  namedBy: ["register:0x1"],
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
const ask = (change: Partial<AdmissionFacts>, own = setting) =>
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
    ["no register", { namedBy: [] }, "no register names it any more"],
    ["only an open factory", { curated: false }, "no curated register or list names it"],
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
});
