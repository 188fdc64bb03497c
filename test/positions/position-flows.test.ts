import { describe, expect, test } from "vitest";
import type { Database } from "../../src/db/database-client.ts";
import type { ChainFlows } from "../../src/db/queries/user-flow-queries.ts";
import { depositedAssets, mintedByRequests, readStoredFlows } from "../../src/positions/position-flows.ts";
import { testContext } from "../support/context.ts";
import { vault } from "../support/deposits/fixtures.ts";
import { answer } from "../support/vaults/answer.ts";

const VAULT = "0xbeeF010f9cb27031ad51e3333f9aF9C6B1228183";
const HEAD_S = 1_700_000_000;
const flows = (change: Partial<ChainFlows> = {}): ChainFlows => ({
  chainId: 1,
  indexedFrom: 1,
  indexedTo: 100,
  headTime: new Date(HEAD_S * 1000),
  sums: { [VAULT.toLowerCase()]: "-42", "0xaa": null },
  ...{ shares: {}, shareless: {} },
  unindexed: [],
  ...change,
});
const at = (blockTimestamp: number | null, vaultAddress: string = VAULT) => ({
  vaultAddress,
  blockTimestamp,
});

test("mintedByRequests() asks a vault whose flows lack the shares of deposit requests, for its own", () => {
  const flow = {
    ...{ chainId: vault.chainId, vaultAddress: vault.address.toLowerCase() },
    ...{ kind: "deposit" as const, assets: 5n, shares: null },
  };
  const requestFlows = [
    { ...flow, requestId: "deposit:7" },
    { ...flow, requestId: "deposit:8", vaultAddress: "0xaa" },
  ];
  const minted = (adapter: string) =>
    answer(mintedByRequests({ ...vault, adapter }, { requestFlows }), {
      "7": [VAULT, VAULT, 1, 6n, 6n, 2n * 10n ** 18n],
    });
  expect(minted("midas")).toBe(3n);
  expect(minted("lagoon")).toBe(0n);
});

describe("depositedAssets()", () => {
  test("returns the stored sum, which may be negative", () => {
    expect(depositedAssets(flows(), at(HEAD_S))).toBe(-42n);
  });

  test("returns null for a vault without complete flows", () => {
    expect(depositedAssets(flows(), at(HEAD_S, "0xaa"))).toBe(null);
    expect(depositedAssets(flows(), at(HEAD_S, "0xbb"))).toBe(null);
    expect(depositedAssets(undefined, at(HEAD_S))).toBe(null);
  });

  test("returns null when flows lag the balance by more than five minutes", () => {
    expect(depositedAssets(flows(), at(HEAD_S + 300))).toBe(-42n);
    expect(depositedAssets(flows(), at(HEAD_S + 301))).toBe(null);
    expect(depositedAssets(flows(), at(null))).toBe(null);
    expect(depositedAssets(flows({ headTime: null }), at(HEAD_S))).toBe(null);
  });

  test("returns null until the flows at a given time are indexed", () => {
    const indexedFor = (time: number | null) => depositedAssets(flows(), { ...at(HEAD_S), indexedFor: time });
    expect(indexedFor(null)).toBe(-42n);
    expect(indexedFor(HEAD_S)).toBe(-42n);
    expect(indexedFor(HEAD_S + 1)).toBe(null);
  });
});

test("readStoredFlows() marks all as missing if the database fails", async () => {
  const db = { run: () => Promise.reject(new Error("down")) } as unknown as Database;
  const stored = await readStoredFlows(testContext({ db }), { user: VAULT, chainIds: [1] });
  expect(stored).toEqual({ flows: new Map(), requests: [], requestFlows: [], unlisted: "all" });
});

describe("readStoredFlows()", () => {
  const asked = { chain_id: 1, vault_address: VAULT.toLowerCase() };
  const tracked = (direction: string, requestId: string) => ({
    ...{ ...asked, direction, request_id: requestId, tracking_id: `${direction} ${requestId}` },
    shares: null,
  });
  const flow = (requestId: string, kind = "withdrawal") => ({
    ...{ ...asked, kind, request_id: requestId, assets: null, shares: null },
  });
  const read = async (found: { asked: object[]; requests: object[] }) => {
    const record = { chains: [], unlisted: [], ...found };
    const db = { run: async () => ({ rows: [record] }) } as unknown as Database;
    const { requests } = await readStoredFlows(testContext({ db }), { user: VAULT, chainIds: [1] });
    return requests.map(({ direction, requestId, trackingId }) => [direction, requestId, trackingId]);
  };

  test("keeps a redemption request with the number of a tracked deposit request", async () => {
    const requests = [tracked("deposit", "5"), tracked("withdrawal", "6")];
    expect(await read({ asked: [flow("5"), flow("6")], requests })).toEqual([
      ["deposit", "5", "deposit 5"],
      ["withdrawal", "6", "withdrawal 6"],
      ["withdrawal", "5", null],
    ]);
  });

  test("adds deposit requests that this service did not build, and no cancellation of a redemption", async () => {
    const flows = [flow("deposit:5", "deposit"), flow("deposit:6", "deposit"), flow("0x07", "deposit")];
    expect(await read({ asked: flows, requests: [tracked("deposit", "5")] })).toEqual([
      ["deposit", "5", "deposit 5"],
      ["deposit", "6", null],
    ]);
  });

  test("adds redemption requests that others made for the user, by the vault's own id", async () => {
    const flows = [flow("received:2026-01-02", "deposit"), flow("0x07", "deposit")];
    expect(await read({ asked: flows, requests: [] })).toEqual([["withdrawal", "2026-01-02", null]]);
  });
});
