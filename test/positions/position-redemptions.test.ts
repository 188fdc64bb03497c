import { describe, expect, test } from "vitest";
import type { OpenRequest } from "../../src/db/queries/user-flow-queries.ts";
import {
  joinRequests,
  missingPricesQuery,
  pricedAhead,
  toWireRedemption,
  type VaultRedemptions,
  withPrices,
} from "../../src/positions/position-redemptions.ts";
import type { Vault } from "../../src/vaults/vault.ts";
import { type PendingExit, unknownPendingExit } from "../../src/vaults/vault-exits.ts";
import { TRACKING_ID, vault } from "../support/deposits/fixtures.ts";

const lagoon: Vault = { ...vault, adapter: "lagoon" };
const request = (own: Partial<PendingExit>): PendingExit => ({
  ...unknownPendingExit,
  ...{ token: vault.asset.address, shares: 10n, assets: 40n },
  ...own,
});
const redemptions = (of: Vault, requests: readonly PendingExit[]): VaultRedemptions => ({
  vault: of,
  requests,
  takenOut: 0n,
  price: null,
});

describe("joinRequests()", () => {
  test("adds what is on the way out to what is held", () => {
    const joined = joinRequests(
      [{ vault: lagoon, shares: 5n, assets: 20n }],
      [redemptions(lagoon, [request({}), request({ assets: 1n })])],
    );
    expect(joined).toMatchObject([{ shares: 5n, assets: 61n, correction: 0n }]);
    expect(joined[0]?.requests).toHaveLength(2);
  });

  test("does not count shares twice that stay in the wallet", () => {
    const joined = joinRequests(
      [{ vault: lagoon, shares: 5n, assets: 20n }],
      [redemptions(lagoon, [request({ inWallet: true })])],
    );
    expect(joined).toMatchObject([{ assets: 20n }]);
  });

  test("keeps a vault of which only the request is left", () => {
    expect(joinRequests([], [redemptions(lagoon, [request({})])])).toMatchObject([
      { shares: 0n, assets: 40n },
    ]);
    expect(joinRequests([], [redemptions(lagoon, [])])).toEqual([]);
  });

  test("does not know the value while a request or the shares have none", () => {
    const unvalued = [redemptions(lagoon, [request({ assets: null })])];
    expect(joinRequests([], unvalued)).toMatchObject([{ assets: null }]);
    const held = [{ vault: lagoon, shares: 5n, assets: null }];
    expect(joinRequests(held, [redemptions(lagoon, [request({})])])).toMatchObject([{ assets: null }]);
  });

  test("names what the vault has booked out unpaid", () => {
    const requests = [request({ bookedOut: true }), request({ assets: 7n })];
    expect(joinRequests([], [redemptions(lagoon, requests)])).toMatchObject([{ correction: 40n }]);
  });

  test("is right from the last time at which the vault booked something out", () => {
    const booked = (bookedAt: number | null) => request({ bookedOut: true, bookedAt });
    const requests = [booked(60), booked(90), booked(null), request({ bookedAt: 99 })];
    expect(joinRequests([], [redemptions(lagoon, requests)])).toMatchObject([{ correctFrom: 90 }]);
    const untimed = [redemptions(lagoon, [booked(null), request({})])];
    expect(joinRequests([], untimed)).toMatchObject([{ correctFrom: null }]);
  });

  test("deducts the fee of redemptions now, rounded down", () => {
    const gearbox: Vault = { ...vault, adapter: "gearbox" };
    const price = { gross: 1_000_000n, net: 990_000n };
    const held = [{ vault: gearbox, shares: 5n, assets: 101n }];
    expect(joinRequests(held, [{ vault: gearbox, requests: [], takenOut: 0n, price }])).toMatchObject([
      { redeemable: 99n },
    ]);
    expect(joinRequests(held, [])).toMatchObject([{ redeemable: null }]);
  });

  test("redeems at par where redemptions is free, and nothing where the vault makes its holders wait", () => {
    const free: Vault = { ...vault, adapter: "metamorpho" };
    expect(joinRequests([{ vault: free, shares: 1n, assets: 9n }], [])).toMatchObject([{ redeemable: 9n }]);
    expect(joinRequests([{ vault: lagoon, shares: 1n, assets: 9n }], [])).toMatchObject([
      { redeemable: null },
    ]);
  });
});

describe("toWireRedemption()", () => {
  const row: OpenRequest = {
    ...{ trackingId: TRACKING_ID, direction: "withdrawal", requestId: "0" },
    ...{ chainId: vault.chainId, vaultAddress: vault.address.toLowerCase() },
  };

  test("gives times and the withdrawal that it belongs to", () => {
    const shown = toWireRedemption(lagoon, {
      request: request({
        since: 1_700_000_000,
        earliest: 1_700_000_060,
        claimableAssets: 40n,
        state: "claimable",
      }),
      open: [row],
    });
    expect(shown).toEqual({
      request_id: "0",
      kind: "redeem",
      shares: "10",
      assets: "40",
      state: "claimable",
      since: "2023-11-14T22:13:20.000Z",
      earliest: "2023-11-14T22:14:20.000Z",
      expires_at: null,
      claimable: "40",
      cancellable: false,
      in_wallet: false,
      tracking_id: TRACKING_ID,
    });
  });

  test("claims no withdrawal of another vault, another request or a deposit", () => {
    const others: OpenRequest[] = [
      { ...row, requestId: "1" },
      { ...row, direction: "deposit" },
      { ...row, vaultAddress: "0x0000000000000000000000000000000000000001" },
      { ...row, chainId: 1 },
    ];
    expect(toWireRedemption(lagoon, { request: request({}), open: others }).tracking_id).toBe(null);
  });

  test("shows a request whose window passed outside the wallet as pending", () => {
    expect(toWireRedemption(lagoon, { request: request({ state: "expired" }), open: [] }).state).toBe(
      "pending",
    );
  });
});

describe("prices of redeeming", () => {
  const vaultNumber = (index: number): Vault => {
    const address = `0x${index.toString(16).padStart(40, "0")}` as const;
    return { ...vault, adapter: "gearbox", address, vaultId: `8453:${address}` };
  };
  const many = Array.from({ length: 141 }, (_, index) => vaultNumber(index + 1));
  const [first = vault, second = vault] = many;
  const addressOf = (one: Vault) => one.address.toLowerCase();
  const heldOf = (one: Vault) => ({ vault: one, shares: 5n, assets: 100n });

  test("are read for all vaults of a chain that has few", () => {
    expect(pricedAhead(many.slice(1), undefined).size).toBe(140);
  });

  test("are read for the vaults of the user's flows on a chain that has many", () => {
    expect(pricedAhead(many, undefined).size).toBe(0);
    expect(pricedAhead(many, { sums: { [addressOf(first)]: "7" } })).toEqual(new Set([addressOf(first)]));
  });

  test("are read afterwards for held vaults only, and only if they were not", () => {
    const held = [heldOf(first), heldOf(second)];
    const missing = missingPricesQuery(held, new Set([addressOf(first)]));
    expect(Object.keys(missing?.reads ?? {}).every((name) => name.startsWith(second.vaultId))).toBe(true);
    expect(missingPricesQuery(held, new Set(held.map(({ vault: one }) => addressOf(one))))).toBe(null);
    expect(missingPricesQuery([], new Set())).toBe(null);
  });

  test("give the proceeds of redeeming as if they had been read at once", () => {
    const held = [heldOf(first), heldOf(second)];
    const prices = { [second.vaultId]: { gross: 100n, net: 99n } };
    const known = { ...redemptions(first, []), price: { gross: 100n, net: 98n } };
    const joined = joinRequests(held, withPrices([known], { held, prices }));
    expect(joined).toMatchObject([{ redeemable: 98n }, { redeemable: 99n, correction: 0n }]);
  });
});
