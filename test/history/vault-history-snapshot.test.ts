import { encodeAbiParameters } from "viem";
import { describe, expect, test } from "vitest";
import { snapshotQuery } from "../../src/history/vault-history-snapshot.ts";
import { OTHER, vault } from "../support/deposits/fixtures.ts";

const word = (value: bigint) => encodeAbiParameters([{ type: "uint256" }], [value]);

/** Returns the liquidity of a snapshot of a vault whose largest shareholder holds 100 and may withdraw 5 of them. */
function liquidityOf(params: Readonly<Record<string, string>>): bigint | null {
  const query = snapshotQuery({ ...vault, params }, { holder: OTHER, nowMs: 0 });
  const results = Object.entries(query.reads).map(([name, { decode }]) => {
    const value = name.endsWith("held") ? 100n : name.endsWith("able") ? 5n : null;
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

  test.each(["cooldown", "maple"])(
    "shows no liquidity if its exit is %s, which limits every holder",
    (exit) => {
      expect(liquidityOf({ exit })).toBeNull();
    },
  );
});
