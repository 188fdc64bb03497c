import { describe, expect, test } from "vitest";
import { SeedRow } from "../../../scripts/db/seed-row.ts";
import { formatClaims, type ReportedRow } from "../../../scripts/registry/report-table.ts";

const address = (digit: string) => `0x${digit.repeat(40)}`;

function rowOf(change: Partial<ReportedRow>): ReportedRow {
  const own = change.address ?? address("1");
  const row = SeedRow.parse({
    ...{ chainId: 1, address: own, type: "custom", adapter: "silo", name: "Claimed vault" },
    ...{ assetAddress: address("a"), assetSymbol: "USDC", assetDecimals: 6, shareDecimals: 18 },
    ...{ shareToken: own, entryPoint: own, spender: own, pricer: own, acceptedAssets: [] },
  });
  return { ...row, ...change };
}

const proof = {
  ...{ ok: true, blockNumber: 123, at: "2026-11-22T22:49:47.071Z", reason: "" },
  ...{ amount: "1000000", shares: "998877000000", returned: "999999" },
};

describe("formatClaims()", () => {
  test("shows claims, proofs and refusals, refusals first, in lines of at most 100 characters", () => {
    const text = formatClaims([
      rowOf({ status: "active", adapter: "fluid", name: "Local Lending USDC", address: address("2"), proof }),
      rowOf({
        ...{ status: "refused", statusReason: `its asset on chain is ${address("b")}, not ${address("a")}` },
        claim: { adapter: "silo", asset: address("a"), shareToken: null },
        provenance: { source: "list", detail: "local-list" },
        namedBy: ["list:local-list", `register:${address("c")}`],
        proof: {
          ...proof,
          ok: false,
          amount: null,
          shares: null,
          returned: null,
          blockNumber: null,
          reason: "other",
        },
      }),
      rowOf({
        status: "candidate",
        address: address("3"),
        name: "A name that is longer than what is left of the line",
      }),
    ]);
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    expect(text).toMatchInlineSnapshot(`
      "refused    silo           0x1111111111111111111111111111111111111111  Claimed vault
                 reason  its asset on chain is 0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb, not
                         0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
                 claim   silo, asset 0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, of list local-list; named
                         by list:local-list, register:0xcccccccccccccccccccccccccccccccccccccccc
                 proof   failed 2026-11-22 22:49: other
      candidate  silo           0x3333333333333333333333333333333333333333  A name that is longer than wh…
      active     fluid          0x2222222222222222222222222222222222222222  Local Lending USDC
                 proof   passed 2026-11-22 22:49, block 123, 1 USDC gave 0.000000998877 shares, which
                         return 0.999999 USDC

      1 refused, 1 candidate, 0 paused, 0 unsupported, 1 active"
    `);
  });

  test("breaks words that are longer than a line", () => {
    const text = formatClaims([rowOf({ status: "refused", statusReason: "y".repeat(300) })]);
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    expect(text.replaceAll(/[^y]/g, "")).toHaveLength(300);
  });
});
