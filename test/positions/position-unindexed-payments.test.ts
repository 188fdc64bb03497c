import { concat, encodeAbiParameters, type Hex, numberToHex, slice, toFunctionSelector } from "viem";
import { describe, expect, test } from "vitest";
import type { ChainFlows, OpenRequest } from "../../src/db/queries/user-flow-queries.ts";
import type { PendingPosition } from "../../src/positions/position-pending-deposits.ts";
import type { PositionValue } from "../../src/positions/position-redemptions.ts";
import { findShareBasis } from "../../src/positions/position-share-reconciliation.ts";
import { requestDateOf } from "../../src/vaults/families/upshift/upshift-requests.ts";
import type { Vault } from "../../src/vaults/vault.ts";
import { unknownPendingExit } from "../../src/vaults/vault-exits.ts";
import { contractsClient } from "../support/chains/multicall.ts";
import { NOW, OTHER, USDC, USER, vault } from "../support/deposits/fixtures.ts";

const INDEXED_TO = 100;
const key = vault.address.toLowerCase();
const upshift: Vault = { ...vault, adapter: "upshift" };
const lrt: Vault = { ...vault, adapter: "mellow_lrt", params: { withdrawal_queues: OTHER } };
const core: Vault = { ...vault, adapter: "mellow", params: { queue: "async", redeem_queues: OTHER } };
const lagoon: Vault = { ...vault, adapter: "lagoon" };
const request = { ...unknownPendingExit, token: USDC };

const word = (value: bigint): Hex => numberToHex(value, { size: 32 });
const today = requestDateOf(NOW).split("-").map(BigInt) as [bigint, bigint, bigint];
const dated = encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }, { type: "uint256" }], today);
/** Answers of the contracts' views by their signatures. Others revert. */
const views = new Map<Hex, (data: Hex) => bigint | readonly bigint[]>(
  (
    [
      [
        "getBurnableAmountByReceiver(uint256,uint256,uint256,address)",
        (data: Hex) => (data.includes(dated.slice(2)) ? 30n : 0n),
      ],
      ["withdrawalQueue()", () => BigInt(OTHER)],
      ["symbioticCollateral()", () => BigInt(OTHER)],
      ["pendingAssetsOf(address)", () => 30n],
      ["claimableAssetsOf(address)", () => 0n],
      ["getCurrentEpoch()", () => 7n],
      ["requestOf(address)", () => [9n, 30n]],
      // An offset of an empty list, and its length.
      ["requestsOf(address,uint256,uint256)", () => [32n, 0n]],
      ["asset()", () => BigInt(USDC)],
      ["pendingRedeemRequest(uint256,address)", () => 10n],
      ["claimableRedeemRequest(uint256,address)", () => 20n],
      ["maxWithdraw(address)", () => 20n],
      ["convertToAssets(uint256)", () => 10n ** 6n],
      ["feeRates()", () => [0n, 0n, 0n, 0n, 0n]],
    ] as const
  ).map(([signature, answered]) => [toFunctionSelector(signature), answered]),
);

/** Compares a user's 50 shares, and some requests, with the index, at whose last block 30 were requested. */
async function basisOf(of: {
  at: Vault;
  requests: PositionValue["requests"];
  blockNumber?: number;
  unreadable?: true;
  flown?: boolean;
  /** Net deposits of the flows, the requests stored as open, and the time of the index's last block. */
  deposited?: bigint;
  /** Shares of the flows. */
  shares?: bigint;
  open?: readonly OpenRequest[];
  pending?: readonly PendingPosition[];
  headTime?: Date;
}) {
  const client = contractsClient(({ data }) => {
    const answered = of.unreadable ? undefined : views.get(slice(data, 0, 4));
    return answered === undefined
      ? { ok: false, data: "0x" }
      : { ok: true, data: concat([answered(data)].flat().map(word)) };
  });
  const own = of.flown === false ? {} : { [key]: (of.shares ?? 50n).toString() };
  const sums = of.flown === false ? {} : { [key]: (of.deposited ?? 50n).toString() };
  const flows: ChainFlows = {
    ...{
      chainId: vault.chainId,
      indexedFrom: 1,
      indexedTo: INDEXED_TO,
      headTime: of.headTime ?? new Date(NOW),
    },
    ...{ sums, shares: own, shareless: {}, unindexed: [] },
  };
  const value: PositionValue = {
    ...{ vault: of.at, shares: 50n, assets: 50n, redeemable: null },
    ...{ correction: 0n, correctFrom: null, requests: of.requests, minted: 0n },
  };
  const { basis } = await findShareBasis(client, {
    ...{ user: USER, values: [value], vaults: [of.at], flows, open: of.open ?? [], requestFlows: [] },
    pending: of.pending ?? [],
    blockNumber: of.blockNumber ?? INDEXED_TO + 1,
  });
  return { basis: basis.get(vault.vaultId) ?? "explained", calls: client.calls };
}

test.each([
  ["Upshift", upshift, { shares: 30n }, { shares: 29n }],
  ["Mellow LRT", lrt, { assets: 30n }, { assets: 27n }],
] as const)(
  "a payment at %s that changes no shares may not be indexed yet",
  async (_name, at, waiting, paid) => {
    expect(await basisOf({ at, requests: [{ ...request, ...waiting }] })).toMatchObject({
      basis: "explained",
    });
    expect(await basisOf({ at, requests: [{ ...request, ...paid }] })).toMatchObject({ basis: "unindexed" });
    expect(await basisOf({ at, requests: [] })).toMatchObject({ basis: "unindexed" });
    // At a node that is behind the index, an indexed payment still shows as a request.
    const early = { at, requests: [{ ...request, ...waiting }], blockNumber: INDEXED_TO - 1 };
    expect(await basisOf(early)).toMatchObject({ basis: "unindexed", calls: [] });
    const { basis, calls } = await basisOf({ at, requests: [], blockNumber: INDEXED_TO });
    expect([basis, calls]).toEqual(["explained", []]);
  },
);

test("the payment of a request that is stored nowhere may not be indexed yet", async () => {
  const left = { ...request, shares: 10n };
  // Of the 80 shares of the flows, 50 are in the wallet and 30 were in requests.
  const paid = { at: lagoon, requests: [left], shares: 80n };
  expect(await basisOf(paid)).toMatchObject({ basis: "unindexed" });
  expect(await basisOf({ ...paid, requests: [] })).toMatchObject({ basis: "unindexed" });
  // The shares that lack were sent away before.
  expect(await basisOf({ ...paid, requests: [{ ...left, shares: 30n }], shares: 90n })).toMatchObject({
    basis: "transferred",
  });
  expect(await basisOf({ ...paid, unreadable: true })).toMatchObject({ basis: "transferred" });
  expect(await basisOf({ ...paid, requests: [{ ...left, shares: 30n }] })).toMatchObject({
    ...{ basis: "explained", calls: [] },
  });
});

test("a request that another account made for the user may not be indexed yet", async () => {
  const more = [{ ...request, shares: 31n }];
  expect(await basisOf({ at: upshift, requests: more })).toMatchObject({ basis: "unindexed" });
});

describe("a deposit at Mellow that the flows count and the vault no longer holds", () => {
  const at = { at: core, requests: [] };
  const held = { vault: core, claim: null, pendingAssets: 30n, claimableShares: 0n, claimableAssets: null };

  test("may have been cancelled after the index's last block", async () => {
    expect(await basisOf({ ...at, pending: [] })).toMatchObject({ basis: "unindexed" });
    const waiting = [{ ...held, booked: { assets: 30n, at: 9 } }];
    expect(await basisOf({ ...at, pending: waiting })).toMatchObject({ basis: "explained" });
  });

  test("may be unknown to a node that is behind the index", async () => {
    const early = { ...at, pending: [], blockNumber: INDEXED_TO - 1 };
    expect(await basisOf(early)).toMatchObject({ basis: "unindexed", calls: [] });
    const unlisted = { ...early, at: { ...core, params: { queue: "async" } } };
    expect(await basisOf(unlisted)).toMatchObject({ basis: "unindexed", calls: [] });
  });
});

test("requests are read at the index's last block only", async () => {
  const { calls } = await basisOf({ at: upshift, requests: [] });
  expect(new Set(calls.map(({ params }) => params[1]))).toEqual(new Set([numberToHex(INDEXED_TO)]));
});

describe("where the block's requests cannot be read", () => {
  const unread = { at: upshift, requests: [], unreadable: true } as const;
  const stored: OpenRequest = {
    ...{ trackingId: null, direction: "withdrawal", chainId: vault.chainId, vaultAddress: key },
    ...{ requestId: "2023-11-14", shares: 30n },
  };
  const basisFor = async (more: Partial<Parameters<typeof basisOf>[0]>) =>
    (await basisOf({ ...unread, ...more })).basis;

  test("a stored or shown request may have been paid", async () => {
    expect(await basisFor({ open: [stored] })).toBe("unindexed");
    expect(await basisFor({ requests: [{ ...request, shares: 5n }] })).toBe("unindexed");
    const others = [
      { ...stored, direction: "deposit" as const },
      { ...stored, vaultAddress: OTHER.toLowerCase() },
    ];
    expect(await basisFor({ open: others })).toBe("explained");
  });

  test("a loss may be a payment, but not a gain or what rounding explains", async () => {
    expect(await basisFor({ deposited: 80n })).toBe("unindexed");
    expect(await basisFor({ deposited: 52n })).toBe("explained");
    expect(await basisFor({ deposited: 40n })).toBe("explained");
    // A block that can be read shows that nothing was paid.
    const { basis } = await basisOf({
      ...{ at: upshift, requests: [{ ...request, shares: 30n }], deposited: 90n, open: [stored] },
    });
    expect(basis).toBe("explained");
  });

  test("a vault whose reads cannot be described does not keep the others from being compared", async () => {
    // No date is later: the days after it are none.
    const headTime = new Date(8.64e15);
    expect(await basisFor({ headTime })).toBe("explained");
    expect(await basisFor({ headTime, deposited: 80n })).toBe("unindexed");
  });
});

test("what cannot be read, or is not known to have been deposited, tells nothing", async () => {
  const unreadable = await basisOf({ at: upshift, requests: [], unreadable: true });
  expect(unreadable.basis).toBe("explained");
  const { calls } = await basisOf({ at: upshift, requests: [], flown: false });
  expect(calls).toEqual([]);
});

test("requests are not read again where payments change a share balance or the vault tells them", async () => {
  expect((await basisOf({ at: lagoon, requests: [] })).calls).toEqual([]);
});
