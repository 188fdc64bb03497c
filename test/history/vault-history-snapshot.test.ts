import { encodeAbiParameters } from "viem";
import { describe, expect, test } from "vitest";
import { snapshotQuery } from "../../src/history/vault-history-snapshot.ts";
import { OTHER, vault } from "../support/deposits/fixtures.ts";

const word = (value: bigint) => encodeAbiParameters([{ type: "uint256" }], [value]);

/** Returns the liquidity of a snapshot of a vault whose largest shareholder may withdraw `able` of what it holds. */
function liquidityOf(params: Readonly<Record<string, string>>, { held, able } = { held: 100n, able: 5n }) {
  const query = snapshotQuery({ ...vault, params }, { holder: OTHER, nowMs: 0 });
  const results = Object.entries(query.reads).map(([name, { decode }]) => {
    const value = name.endsWith("held") ? held : name.endsWith("able") ? able : null;
    return [
      name,
      value === null
        ? ({ ok: false, revert: null } as const)
        : ({ ok: true, value: decode(word(value)) } as const),
    ];
  });
  return query.interpret(Object.fromEntries(results)).views.liquidity;
}

describe("snapshotQuery() of a generic vault", () => {
  test("shows what the largest shareholder can withdraw, if withdrawals are instant", () => {
    expect(liquidityOf({})).toBe(5n);
  });

  test("takes what a vault's own rounding leaves of a holding for no limit", () => {
    expect(liquidityOf({}, { held: 1_000_000n, able: 999_999n })).toBeNull();
    expect(liquidityOf({}, { held: 1_000_000n, able: 999_000n })).toBeNull();
    expect(liquidityOf({}, { held: 1_000_000n, able: 998_999n })).toBe(998_999n);
    expect(liquidityOf({}, { held: 1n, able: 0n })).toBe(0n);
  });

  test.each(["cooldown", "maple"])(
    "shows no liquidity if its exit is %s, which limits every holder",
    (exit) => {
      expect(liquidityOf({ exit })).toBeNull();
    },
  );
});
