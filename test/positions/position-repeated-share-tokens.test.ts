import { getAddress } from "viem";
import { describe, expect, test } from "vitest";
import { vaultAddress, vaultOf } from "../../scripts/bench/vault-row.ts";
import type { ChainFlows } from "../../src/db/queries/user-flow-queries.ts";
import {
  depositedForToken,
  withoutRepeatedTokens,
} from "../../src/positions/position-repeated-share-tokens.ts";
import type { HeldShares } from "../../src/positions/position-shares.ts";
import type { Vault } from "../../src/vaults/vault.ts";

const HEAD_S = 1_700_000_000;
const OTHER_ASSET = getAddress(`0x${"bb".repeat(20)}`);
/** A vault of the token of vault 1, which is not an address of theirs. */
const vaultNo = (number: number, change: Partial<Vault> = {}): Vault => ({
  ...vaultOf({ number }),
  shareToken: getAddress(vaultAddress(100)),
  ...change,
});
const alone = vaultNo(9, { shareToken: getAddress(vaultAddress(9)) });
const hold = (vault: Vault): HeldShares => ({ vault, shares: 5n, assets: 7n });
const flows = (sums: Record<number, string | null>, unindexed: readonly number[] = []): ChainFlows => ({
  ...{ chainId: 31_337, indexedFrom: 1, indexedTo: 100, headTime: new Date(HEAD_S * 1_000) },
  sums: Object.fromEntries(Object.entries(sums).map(([number, sum]) => [vaultAddress(Number(number)), sum])),
  ...{ shares: {}, shareless: {}, unindexed: unindexed.map(vaultAddress) },
});
const kept = async (vaults: readonly Vault[], sums: Record<number, string | null>) =>
  (await withoutRepeatedTokens(vaults.map(hold), async () => flows(sums))).map(({ vault }) => vault.address);
const addresses = (...vaults: readonly Vault[]) => vaults.map(({ address }) => address);

describe("withoutRepeatedTokens()", () => {
  const closed = vaultNo(1, { status: "paused" });
  const [second, third] = [vaultNo(2), vaultNo(3)];

  test("keeps every vault of a token of its own, without a look at the flows", async () => {
    const asked = withoutRepeatedTokens([hold(alone), hold(second)], () =>
      Promise.reject(new Error("the flows were read")),
    );
    expect(await asked).toEqual([hold(alone), hold(second)]);
  });

  test("keeps one of the vaults with one token, in any letter case: an open one before a closed one", async () => {
    const lower = vaultNo(1, {
      status: "paused",
      shareToken: second.shareToken.toLowerCase() as Vault["shareToken"],
    });
    expect(await kept([lower, second, alone, third], {})).toEqual(addresses(second, alone));
  });

  test("keeps the vault into which the user has deposited, even if it is closed since", async () => {
    expect(await kept([closed, second, third], { 3: "1" })).toEqual(addresses(third));
    expect(await kept([closed, second], { 1: "1" })).toEqual(addresses(closed));
  });
});

describe("depositedForToken()", () => {
  const vaults = [vaultNo(1), vaultNo(2), alone];
  const ask = (
    sums: Record<number, string | null>,
    of: readonly Vault[] = vaults,
    unindexed: readonly number[] = [],
  ) => depositedForToken(flows(sums, unindexed), { vault: vaultNo(1), vaults: of, blockTimestamp: HEAD_S });

  test("is unknown while an order of the token is not indexed, of whichever vault", () => {
    expect(ask({ 1: "100" }, vaults, [1])).toBe(null);
    expect(ask({ 1: "100" }, vaults, [2])).toBe(null);
    expect(ask({ 1: "100" }, vaults, [9])).toBe(100n);
  });

  test("adds what went into and came out of all vaults with the token, and of no other", () => {
    expect(ask({ 1: "100", 2: "-30", 9: "1000" })).toBe(70n);
    expect(ask({ 2: "40" })).toBe(40n);
  });

  test("is unknown without a record, with an unknown sum, and with deposits in another asset", () => {
    expect(ask({ 9: "1" })).toBeNull();
    expect(ask({ 1: "1", 2: null })).toBeNull();
    const other = vaultNo(2, { asset: { ...vaultNo(2).asset, address: OTHER_ASSET } });
    expect(ask({ 1: "1", 2: "1" }, [vaultNo(1), other])).toBeNull();
    expect(ask({ 1: "1" }, [vaultNo(1), other])).toBe(1n);
  });
});
