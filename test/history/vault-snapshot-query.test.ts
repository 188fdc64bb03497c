import { encodeAbiParameters, type Hex } from "viem";
import { expect, test } from "vitest";
import { vaultOf } from "../../scripts/bench/vault-row.ts";
import type { ReadResult } from "../../src/chains/chain-query.ts";
import { feesQuery } from "../../src/history/vault-snapshot-query.ts";

const words = (...values: readonly bigint[]): Hex =>
  encodeAbiParameters(
    values.map(() => ({ type: "uint256" })),
    values,
  );

/** What a vault of an adapter is told to charge, when its views answer so, by name of the read. */
function feesOf(adapter: string, answers: Readonly<Record<string, Hex>>) {
  const { reads, interpret } = feesQuery(vaultOf({ number: 1, adapter }));
  const results = Object.entries(reads).map(([name, { decode }]): [string, ReadResult<unknown>] => {
    const answer = answers[name];
    return [name, answer === undefined ? { ok: false, revert: null } : { ok: true, value: decode(answer) }];
  });
  return interpret(Object.fromEntries(results));
}

test("feesQuery() reads both fees of Morpho Vault V2", () => {
  const answers = { performance: words(10n ** 17n), management: words(3n) };
  expect(feesOf("morpho_v2", answers)).toEqual({ performance_fee: `${10n ** 17n}`, management_fee: "3" });
  expect(feesOf("morpho_v2", { management: words(3n) })).toEqual({ management_fee: "3" });
});

test("feesQuery() reads both fees of Lagoon from one view, in both versions", () => {
  const expected = { management_fee: "100", performance_fee: "1500" };
  expect(feesOf("lagoon", { rates: words(100n, 1500n) })).toEqual(expected);
  expect(feesOf("lagoon", { rates: words(100n, 1500n, 5n, 6n, 7n) })).toEqual(expected);
});

test("feesQuery() reads IPOR fees without the collection time", () => {
  const at = (seconds: bigint) =>
    feesOf("ipor", { performance: words(1n, 1000n), management: words(1n, 200n, seconds) });
  expect(at(5n)).toEqual({ performance_fee: "1000", management_fee: "200" });
  expect(at(6n)).toEqual(at(5n));
});

test("feesQuery() reads nothing for other adapters", () => {
  expect(feesQuery(vaultOf({ number: 1 })).reads).toEqual({});
});
