import { expect, test } from "vitest";
import { midasExits } from "../../../../src/vaults/families/midas/midas-exits.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import { USDC, USER, vault } from "../../../support/deposits/fixtures.ts";
import { answer } from "../../../support/vaults/answer.ts";

const ONE = 10n ** 18n;
const own: Vault = {
  ...{ ...vault, adapter: "midas" },
  params: { asset_rate: "stable", redemption_vault: "0x2222222222222222222222222222222222222222" },
};
const byFeed: Vault = { ...own, params: { ...own.params, asset_rate: "feed" } };

const PAID = [USER, USDC, 1, 5n * ONE, ONE, ONE];
const at = (status: number) => [USER, USDC, status, 5n * ONE, 5n * ONE, ONE];
const deposit = (assets: bigint | null, id = "7") => ({
  ...{ kind: "deposit" as const, requestId: `deposit:${id}`, assets },
});
const taken = (flows: readonly object[], table: Record<string, unknown>, of = own) => {
  const query = midasExits.takenOut?.(of, { user: USER, flows: flows as never });
  return query === undefined ? undefined : answer(query, table);
};

test("a deposit request counts once it is approved, and never if it is rejected", () => {
  expect(taken([deposit(4n)], { 7: at(0) })).toBe(0n);
  expect(taken([deposit(4n)], { 7: at(1) })).toBe(-4n);
  expect(taken([deposit(4n)], { 7: at(2) })).toBe(0n);
  expect(taken([deposit(4n), deposit(3n, "8")], { 7: at(1), 8: at(1) })).toBe(-7n);
});

test("a deposit request of unknown amount counts by its value if the asset's price is fixed", () => {
  expect(taken([deposit(null)], { 7: at(1) })).toBe(-5_000_000n);
  expect(taken([deposit(null)], { 7: at(1) }, byFeed)).toBeNull();
  expect(taken([deposit(null)], { 7: at(0) }, byFeed)).toBe(0n);
  expect(taken([deposit(4n)], {})).toBeNull();
});

test("a deposit request has minted mTokens at the price of its approval", () => {
  const minted = (flows: readonly object[], table: Record<string, unknown>) => {
    const query = midasExits.mintedShares?.(own, flows as never);
    return query === undefined ? undefined : answer(query, table);
  };
  // The value is 5 dollars, of which a fee takes 1; an mToken costs 2 dollars.
  const priced = (status: number) => [USER, USDC, status, 5n * ONE, 4n * ONE, 2n * ONE];
  expect(minted([deposit(4n)], { 7: priced(1) })).toBe(2n * ONE);
  expect(minted([deposit(4n), deposit(4n, "8")], { 7: priced(1), 8: priced(1) })).toBe(4n * ONE);
  expect(minted([deposit(4n), deposit(4n, "8")], { 7: priced(0), 8: priced(2) })).toBe(0n);
  expect(minted([{ kind: "withdrawal", requestId: "7", assets: null }], { 7: priced(1) })).toBe(0n);
  expect(minted([deposit(4n)], {})).toBeNull();
  expect(minted([deposit(4n)], { 7: [USER, USDC, 1, ONE, ONE, 0n] })).toBeNull();
});

test("a redemption request with the number of a deposit request is another request", () => {
  const redemption = { kind: "withdrawal", requestId: "7", assets: null };
  const table = { "out/7": PAID, "in/7": at(1) };
  expect(taken([deposit(4_000_000n), redemption], table)).toBe(1_000_000n);
  expect(taken([deposit(4_000_000n), redemption], { "out/7": PAID })).toBeNull();
  expect(taken([deposit(4_000_000n), redemption], { "in/7": at(1) })).toBeNull();
});
