import { encodeAbiParameters, type Hex } from "viem";
import { expect, test } from "vitest";
import { vaultOf } from "../../scripts/bench/vault-row.ts";
import type { ReadResult } from "../../src/chains/chain-reads.ts";
import { families, findFamily } from "../../src/vaults/families/vault-families.ts";
import { answer } from "../support/vaults/answer.ts";

const words = (...values: readonly bigint[]): Hex =>
  encodeAbiParameters(
    values.map(() => ({ type: "uint256" })),
    values,
  );

/** Returns the fees of a vault whose view functions return `answers`, by name of the read. */
function feesOf(adapter: string, answers: Readonly<Record<string, Hex>>) {
  const query = findFamily(adapter)?.feeRatesQuery?.(vaultOf({ number: 1, adapter }));
  if (query === undefined) throw new Error(`${adapter} has no fee views`);
  const { reads, interpret } = query;
  const results = Object.entries(reads).map(([name, { decode }]): [string, ReadResult<unknown>] => {
    const answer = answers[name];
    return [name, answer === undefined ? { ok: false, revert: null } : { ok: true, value: decode(answer) }];
  });
  return interpret(Object.fromEntries(results));
}

test("feeRatesQuery() reads both fees of Morpho Vault V2", () => {
  const answers = { performance: words(10n ** 17n), management: words(3n) };
  expect(feesOf("morpho_v2", answers)).toEqual({ performance_fee: `${10n ** 17n}`, management_fee: "3" });
  expect(feesOf("morpho_v2", { management: words(3n) })).toEqual({ management_fee: "3" });
});

test("feeRatesQuery() reads both fees of Lagoon from one view, in both versions", () => {
  const expected = { management_fee: "100", performance_fee: "1500" };
  expect(feesOf("lagoon", { rates: words(100n, 1500n) })).toEqual(expected);
  expect(feesOf("lagoon", { rates: words(100n, 1500n, 5n, 6n, 7n) })).toEqual(expected);
});

test("feeRatesQuery() reads IPOR fees without the collection time", () => {
  const at = (seconds: bigint) =>
    feesOf("ipor", { performance: words(1n, 1000n), management: words(1n, 200n, seconds) });
  expect(at(5n)).toEqual({ performance_fee: "1000", management_fee: "200" });
  expect(at(6n)).toEqual(at(5n));
});

test("only Morpho Vault V2, Lagoon and IPOR have view functions for both fees", () => {
  const named = families.filter(({ feeRatesQuery }) => feeRatesQuery !== undefined);
  expect(named.map(({ adapter }) => adapter.name).sort()).toEqual(["ipor", "lagoon", "morpho_v2"]);
});

test("only ERC-4626 and MetaMorpho vaults are taken to pay withdrawals immediately", () => {
  const named = families.filter(({ instantWithdrawals }) => instantWithdrawals === true);
  expect(named.map(({ adapter }) => adapter.name).sort()).toEqual(["erc4626", "metamorpho"]);
});

const accountant = (management: number, performance: number) =>
  [0, 0n, 0n, 0n, 0n, 0, 0, 0n, false, 0, management, performance] as const;

test.each<[adapter: string, answers: Readonly<Record<string, unknown>>, yearly: number | null]>([
  ["morpho_v2", { performance: 0n, management: 1_585_489_599n }, 0.05],
  ["lagoon", { rates: [2_500, 1_000] }, 0.25],
  ["ipor", { performance: ["0x", 0], management: ["0x", 200, 5] }, 0.02],
  ["veda", { state: accountant(1_000, 2_000) }, 0.1],
  ["mellow", { manager: "0x01", fee: 300_000 }, 0.3],
  ["erc4626", { managementFee: 10n ** 18n }, 1],
  ["erc4626", { managementFee: 10n ** 18n - 1n, performanceFee: 10n ** 18n }, null],
  ["lagoon", {}, null],
])(
  "yearlyFeeQuery() reads %s's management fee as a fraction of a year: %o is %s",
  (adapter, answers, yearly) => {
    const query = findFamily(adapter)?.yearlyFeeQuery?.(vaultOf({ number: 1, adapter }));
    if (query === undefined) throw new Error(`${adapter} has no management fee`);
    const fee = answer(query, answers);
    expect(fee === null ? null : Number(fee.toFixed(6))).toBe(yearly);
  },
);
