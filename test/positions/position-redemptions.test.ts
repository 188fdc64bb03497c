import { describe, expect, test } from "vitest";
import type { OpenRequest } from "../../src/db/queries/user-flow-queries.ts";
import type { PendingPosition } from "../../src/positions/position-pending-deposits.ts";
import {
  joinRequests,
  missingPricesQuery,
  pricedAhead,
  redemptionsQuery,
  toWireDepositRequest,
  toWireRedemption,
  type VaultRedemptions,
  withPrices,
} from "../../src/positions/position-redemptions.ts";
import type { HeldShares } from "../../src/positions/position-shares.ts";
import type { Vault } from "../../src/vaults/vault.ts";
import { type PendingExit, unknownPendingExit } from "../../src/vaults/vault-exits.ts";
import { TRACKING_ID, vault } from "../support/deposits/fixtures.ts";
import { answer } from "../support/vaults/answer.ts";

const lagoon: Vault = { ...vault, adapter: "lagoon" };
const OTHER = "0x0000000000000000000000000000000000000077";
const request = (own: Partial<PendingExit>): PendingExit => ({
  ...unknownPendingExit,
  ...{ token: vault.asset.address, shares: 10n, assets: 40n },
  ...own,
});
const redemptions = (of: Vault, requests: readonly PendingExit[]): VaultRedemptions => ({
  vault: of,
  requests,
  ...{ takenOut: 0n, minted: 0n, price: null },
});

const join = (held: readonly HeldShares[], redeemed: readonly VaultRedemptions[]) =>
  joinRequests(held, { redemptions: redeemed, deposits: [] });

describe("joinRequests()", () => {
  test("adds what is on the way out to what is held", () => {
    const joined = join(
      [{ vault: lagoon, shares: 5n, assets: 20n }],
      [redemptions(lagoon, [request({}), request({ assets: 1n })])],
    );
    expect(joined).toMatchObject([{ shares: 5n, assets: 61n, correction: 0n }]);
    expect(joined[0]?.requests).toHaveLength(2);
  });

  test("knows neither value nor gain while the requests cannot be read", () => {
    const unread = { ...redemptions(lagoon, []), incomplete: true };
    const joined = join([{ vault: lagoon, shares: 5n, assets: 20n }], [unread]);
    expect(joined).toMatchObject([{ shares: 5n, assets: null, correction: null, requests: [] }]);
  });

  test("does not count shares twice that stay in the wallet", () => {
    const joined = join(
      [{ vault: lagoon, shares: 5n, assets: 20n }],
      [redemptions(lagoon, [request({ inWallet: true })])],
    );
    expect(joined).toMatchObject([{ assets: 20n }]);
  });

  test("keeps a vault of which only the request is left", () => {
    expect(join([], [redemptions(lagoon, [request({})])])).toMatchObject([{ shares: 0n, assets: 40n }]);
    expect(join([], [redemptions(lagoon, [])])).toEqual([]);
  });

  test("does not know the value while open redemptions may be unknown", () => {
    const incomplete = { ...redemptions(lagoon, [request({})]), incomplete: true };
    const held = [{ vault: lagoon, shares: 5n, assets: 20n }];
    expect(join(held, [incomplete])).toMatchObject([{ shares: 5n, assets: null }]);
  });

  test("does not know the value while a request or the shares have none", () => {
    const unvalued = [redemptions(lagoon, [request({ assets: null })])];
    expect(join([], unvalued)).toMatchObject([{ assets: null }]);
    const held = [{ vault: lagoon, shares: 5n, assets: null }];
    expect(join(held, [redemptions(lagoon, [request({})])])).toMatchObject([{ assets: null }]);
  });

  test("counts a payment in another token by its value in the asset, and not by its amount", () => {
    const other = request({ token: OTHER, assets: 7n, value: 39n });
    expect(join([], [redemptions(lagoon, [other, request({})])])).toMatchObject([{ assets: 79n }]);
    const unvalued = request({ token: OTHER, assets: 7n });
    expect(join([], [redemptions(lagoon, [unvalued])])).toMatchObject([{ assets: null }]);
    const booked = request({ token: OTHER, assets: 7n, value: 39n, bookedOut: true });
    expect(join([], [redemptions(lagoon, [booked])])).toMatchObject([{ correction: 39n }]);
  });

  test("names what the vault has booked out unpaid", () => {
    const requests = [request({ bookedOut: true }), request({ assets: 7n })];
    expect(join([], [redemptions(lagoon, requests)])).toMatchObject([{ correction: 40n }]);
  });

  test("is right from the last time at which the vault booked something out", () => {
    const booked = (bookedAt: number | null) => request({ bookedOut: true, bookedAt });
    const requests = [booked(60), booked(90), booked(null), request({ bookedAt: 99 })];
    expect(join([], [redemptions(lagoon, requests)])).toMatchObject([{ correctFrom: 90 }]);
    const untimed = [redemptions(lagoon, [booked(null), request({})])];
    expect(join([], untimed)).toMatchObject([{ correctFrom: null }]);
  });

  test("deducts the fee of redemptions now, rounded down", () => {
    const gearbox: Vault = { ...vault, adapter: "gearbox" };
    const price = { gross: 1_000_000n, net: 990_000n };
    const held = [{ vault: gearbox, shares: 5n, assets: 101n }];
    expect(join(held, [{ vault: gearbox, requests: [], takenOut: 0n, minted: 0n, price }])).toMatchObject([
      { redeemable: 99n },
    ]);
    expect(join(held, [])).toMatchObject([{ redeemable: null }]);
  });

  test("redeems at par where redemptions is free, and nothing where the vault makes its holders wait", () => {
    const free: Vault = { ...vault, adapter: "metamorpho" };
    expect(join([{ vault: free, shares: 1n, assets: 9n }], [])).toMatchObject([{ redeemable: 9n }]);
    expect(join([{ vault: lagoon, shares: 1n, assets: 9n }], [])).toMatchObject([{ redeemable: null }]);
  });
});

const waiting: PendingPosition = {
  ...{ vault: lagoon, claim: null },
  ...{ pendingAssets: 100n, claimableShares: 0n, claimableAssets: 0n },
};

describe("joinRequests() of deposit requests", () => {
  const of = (held: readonly HeldShares[], deposits: readonly PendingPosition[]) =>
    joinRequests(held, { redemptions: [], deposits });

  test("keeps a vault of which only a deposit request is known, and adds no value", () => {
    expect(of([], [waiting])).toMatchObject([
      { vault: lagoon, shares: 0n, assets: 0n, correction: 0n, correctFrom: null, requests: [] },
    ]);
    const held = { vault: lagoon, shares: 5n, assets: 20n };
    expect(of([held], [waiting])).toMatchObject([{ shares: 5n, assets: 20n, correction: 0n }]);
  });

  test("shows a vault with requests of both directions once", () => {
    const both = { redemptions: [redemptions(lagoon, [request({})])], deposits: [waiting] };
    expect(joinRequests([], both)).toMatchObject([{ shares: 0n, assets: 40n }]);
  });

  test("deducts what the flows count as deposited before the shares are claimed", () => {
    const booked = { ...waiting, booked: { assets: 100n, at: 90 } };
    expect(of([], [booked])).toMatchObject([{ correction: -100n, correctFrom: 90 }]);
    const unread = { ...waiting, booked: { assets: null, at: 0 } };
    expect(of([], [unread])).toMatchObject([{ correction: null }]);
    const out = [redemptions(lagoon, [request({ bookedOut: true, bookedAt: 95 })])];
    expect(joinRequests([], { redemptions: out, deposits: [booked] })).toMatchObject([
      { correction: -60n, correctFrom: 95 },
    ]);
  });

  test("knows no deposits of vaults whose positions have one share token", () => {
    const other: Vault = { ...lagoon, vaultId: "1:0x01" };
    const held = { vault: lagoon, shares: 5n, assets: 20n };
    expect(of([held], [{ ...waiting, vault: other }])).toMatchObject([
      { vault: lagoon, correction: null },
      { vault: other, correction: null },
    ]);
  });
});

describe("toWireDepositRequest()", () => {
  test("shows the assets, and no shares before the vault has settled", () => {
    expect(toWireDepositRequest(waiting, [])).toMatchObject({
      ...{ kind: "deposit", request_id: "0", state: "pending", shares: null, assets: "100" },
      ...{ claimable: "0", tracking_id: null },
    });
  });

  test("shows settled shares with the assets that were deposited for them", () => {
    const settled = { ...waiting, pendingAssets: 0n, claimableShares: 7n, claimableAssets: 90n };
    expect(toWireDepositRequest(settled, [])).toMatchObject({
      ...{ state: "claimable", shares: "7", assets: "90", claimable: "7" },
    });
    const unnamed = { ...settled, claimableAssets: null };
    expect(toWireDepositRequest(unnamed, [])).toMatchObject({ assets: null });
    const booked = { ...unnamed, booked: { assets: 91n, at: 1 } };
    expect(toWireDepositRequest(booked, [])).toMatchObject({ assets: "91" });
  });

  test("shows settled assets as claimable while the vault does not tell their shares", () => {
    const settled = { ...waiting, pendingAssets: 0n, claimableShares: null, claimableAssets: 90n };
    expect(toWireDepositRequest(settled, [])).toMatchObject({
      state: "claimable",
      shares: null,
      assets: "90",
    });
  });

  test("does not guess what it does not know", () => {
    const unknown = { ...waiting, pendingAssets: null };
    expect(toWireDepositRequest(unknown, [])).toMatchObject({ state: "pending", assets: null, shares: null });
  });
});

describe("toWireRedemption()", () => {
  const row: OpenRequest = {
    ...{ trackingId: TRACKING_ID, direction: "withdrawal", requestId: "0", shares: 10n },
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
      token: { ...vault.asset },
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

  test("names the token that is paid, also one that the vault no longer lists", () => {
    const shown = toWireRedemption(lagoon, { request: request({ token: OTHER }), open: [] });
    expect(shown.token).toEqual({ address: OTHER, symbol: "", decimals: null });
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
    return { ...vault, adapter: "gearbox", address, shareToken: address, vaultId: `8453:${address}` };
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
    const missing = missingPricesQuery(held, { priced: new Set([addressOf(first)]), now: 0 });
    expect(Object.keys(missing?.reads ?? {}).every((name) => name.startsWith(second.vaultId))).toBe(true);
    const priced = new Set(held.map(({ vault: one }) => addressOf(one)));
    expect(missingPricesQuery(held, { priced, now: 0 })).toBe(null);
    expect(missingPricesQuery([], { priced: new Set(), now: 0 })).toBe(null);
    // Its price is not read, so no request is sent.
    const waiting: Vault = { ...first, adapter: "erc4626", params: { exit: "cooldown" } };
    expect(missingPricesQuery([heldOf(waiting)], { priced: new Set(), now: 0 })).toBe(null);
  });

  test("are read afterwards if they take a second batch, and only for held vaults", () => {
    const queued: Vault = { ...first, adapter: "mellow", params: { sync_redeem_queue: OTHER } };
    const priced = new Set([addressOf(queued), addressOf(second)]);
    const rest = { open: [], requestFlows: [], unlisted: new Set<string>(), priced, now: 0 };
    const ahead = redemptionsQuery({ user: OTHER, vaults: [queued, second], ...rest });
    expect(ahead?.next?.({}) ?? null).toBe(null);
    const held = [heldOf(queued)];
    const missing = missingPricesQuery([...held, heldOf(second)], { priced, now: 0 });
    if (missing === null) throw new Error("no price is missing");
    const report = { priceD18: 10n ** 18n, timestamp: 1, isSuspicious: false };
    const known = { asset: queued.asset.address, feeManager: OTHER, report, params: [10_000n, 60], fee: 0 };
    const prices = answer(missing, known);
    expect(Object.keys(prices)).toEqual([queued.vaultId]);
    expect(join(held, withPrices([], { held, prices }))).toMatchObject([{ redeemable: 99n }]);
    expect(join(held, [])).toMatchObject([{ redeemable: null }]);
  });

  test("give the proceeds of redeeming as if they had been read at once", () => {
    const held = [heldOf(first), heldOf(second)];
    const prices = { [second.vaultId]: { gross: 100n, net: 99n } };
    const known = { ...redemptions(first, []), price: { gross: 100n, net: 98n } };
    const joined = join(held, withPrices([known], { held, prices }));
    expect(joined).toMatchObject([{ redeemable: 98n }, { redeemable: 99n, correction: 0n }]);
  });
});

describe("a vault whose decimals overflow every read", () => {
  const own = (address: string, change: Partial<Vault>): Vault => ({
    ...{ ...vault, vaultId: `31337:${address}`, address: address as Vault["address"], adapter: "ipor" },
    ...change,
  });
  const good = own("0x00000000000000000000000000000000000000a1", {});
  const params = { withdraw_manager: OTHER };
  const bad = own("0x00000000000000000000000000000000000000b2", { shareDecimals: 77, params });

  test("does not hide the redemptions and prices of others", () => {
    const query = redemptionsQuery({
      ...{ user: OTHER, vaults: [bad, good], open: [], requestFlows: [], now: 1_700_000_000_000 },
      ...{ unlisted: new Set<string>(), priced: new Set([bad.address, good.address]) },
    });
    if (query === null) throw new Error("no vault has redemptions");
    expect(answer(query, { gross: 10n, net: 9n })).toMatchObject([
      { vault: bad, incomplete: true, requests: [], price: null },
      { vault: good, incomplete: false, requests: [], price: { gross: 10n, net: 9n } },
    ]);
  });

  test("leaves only requests incomplete that are found by ids which the database lacks", () => {
    const veda = own("0x00000000000000000000000000000000000000c3", {
      adapter: "veda",
      params: { queue: OTHER },
    });
    const incomplete = (unlisted: ReadonlySet<string> | "all") => {
      const query = redemptionsQuery({
        ...{ user: OTHER, vaults: [veda, lagoon], open: [], requestFlows: [], now: 1_700_000_000_000 },
        ...{ unlisted, priced: new Set<string>() },
      });
      return query === null ? null : answer(query, {}).map((one) => one.incomplete);
    };
    expect(incomplete(new Set())).toEqual([false, true]);
    expect(incomplete("all")).toEqual([true, true]);
  });

  test("does not hide the later prices of others", () => {
    const held = [bad, good].map((one): HeldShares => ({ vault: one, shares: 1n, assets: 1n }));
    const query = missingPricesQuery(held, { priced: new Set(), now: 0 });
    if (query === null) throw new Error("no price is missing");
    expect(answer(query, { gross: 10n, net: 9n })).toEqual({ [good.vaultId]: { gross: 10n, net: 9n } });
  });
});
