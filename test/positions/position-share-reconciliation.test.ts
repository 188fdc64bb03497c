import type { Hex } from "viem";
import { describe, expect, test } from "vitest";
import type { ChainFlows, OpenRequest, UserRequestFlow } from "../../src/db/queries/user-flow-queries.ts";
import type { PositionValue } from "../../src/positions/position-redemptions.ts";
import { findShareBasis } from "../../src/positions/position-share-reconciliation.ts";
import { readSharesAt } from "../../src/positions/position-shares.ts";
import type { Vault } from "../../src/vaults/vault.ts";
import { unknownPendingExit } from "../../src/vaults/vault-exits.ts";
import { clientOn, type RpcAnswer, startHonestNode, testChain } from "../support/chains/rpc-node.ts";
import { NOW, TRACKING_ID, USER, VAULT, vault } from "../support/deposits/fixtures.ts";

const INDEXED_TO = 100;
const SHARES = 1_000_000n;
const pruned: RpcAnswer = { error: { code: -32000, message: "missing trie node 5c2a (path )" } };

/** Chain, block and time, then one position: status 3 (worth unknown) and a balance after its length in bytes. */
const balance = (shares: bigint, chainId = testChain.chainId): RpcAnswer => {
  const head = [chainId, INDEXED_TO, 8].map((word) => word.toString(16).padStart(16, "0")).join("");
  const digits = shares.toString(16);
  const held = digits.padStart(digits.length + (digits.length % 2), "0");
  const length = (held.length / 2).toString(16).padStart(2, "0");
  return { result: `0x${head}03${length}${held}` satisfies Hex };
};
const instant: Vault = { ...vault, adapter: "metamorpho" };
const waiting: Vault = { ...vault, adapter: "lagoon" };
const request = { ...unknownPendingExit, token: vault.asset.address, shares: 10n };
const stored: OpenRequest = {
  ...{ trackingId: TRACKING_ID, direction: "withdrawal", requestId: "1", shares: SHARES },
  ...{ chainId: vault.chainId, vaultAddress: vault.address.toLowerCase() },
};

/** Compares a user's shares, worth one unit each, with flows that were indexed a block before. */
async function basisOf(of: {
  vault: Vault;
  /** Shares of the indexed flows. */
  flown: bigint;
  before: RpcAnswer;
  shareless?: ChainFlows["shareless"][string];
  requests?: PositionValue["requests"];
  requestFlows?: readonly UserRequestFlow[];
  open?: readonly OpenRequest[];
  /** Value of the shares. */
  worth?: bigint;
  /** Net deposits of the flows. */
  deposited?: bigint;
  /** Shares that deposit requests have brought. */
  minted?: bigint | null;
}) {
  const node = await startHonestNode(() => of.before);
  const key = of.vault.address.toLowerCase();
  const flows: ChainFlows = {
    ...{ chainId: of.vault.chainId, indexedFrom: 1, indexedTo: INDEXED_TO, headTime: new Date(NOW) },
    ...{
      sums: { [key]: String(of.deposited ?? of.flown) },
      shares: { [key]: String(of.flown) },
      unindexed: [],
    },
    shareless: of.shareless === undefined ? {} : { [key]: of.shareless },
  };
  const value: PositionValue = {
    ...{ vault: of.vault, shares: SHARES, assets: of.worth ?? SHARES, redeemable: null },
    ...{ correction: 0n, correctFrom: null, requests: of.requests ?? [] },
    minted: of.minted === undefined ? 0n : of.minted,
  };
  const { basis } = await findShareBasis(clientOn([node]).client, {
    ...{ user: USER, values: [value], vaults: [of.vault], flows },
    ...{ open: of.open ?? [], requestFlows: of.requestFlows ?? [], pending: [] },
    blockNumber: INDEXED_TO + 1,
  });
  return basis.get(of.vault.vaultId) ?? "explained";
}

const both = [
  ["pays at once", instant],
  ["makes its holders wait", waiting],
] as const;

describe.each(both)("findShareBasis() at a vault that %s", (_which, one) => {
  const at = { vault: one, before: balance(SHARES) };

  test("takes an old difference for a transfer", async () => {
    expect(await basisOf({ ...at, flown: SHARES / 2n })).toBe("transferred");
    expect(await basisOf({ ...at, flown: 2n * SHARES })).toBe("transferred");
  });

  test("takes a difference for a transfer if the old balance cannot be read", async () => {
    expect(await basisOf({ ...at, flown: SHARES / 2n, before: pruned })).toBe("transferred");
  });

  test("takes a balance that changed since for a flow that is not indexed", async () => {
    expect(await basisOf({ ...at, flown: SHARES / 2n, before: balance(SHARES / 2n) })).toBe("unindexed");
    expect(await basisOf({ ...at, flown: 2n * SHARES, before: balance(2n * SHARES) })).toBe("unindexed");
  });

  test("does not value the shares of a flow by a remainder that is worth nothing", async () => {
    const left = { ...at, worth: 0n, flown: 4n * SHARES };
    expect(await basisOf({ ...left, before: balance(4n * SHARES) })).toBe("unindexed");
    expect(await basisOf({ ...left, before: balance(SHARES) })).toBe("transferred");
  });

  test("notices received shares of which a worthless remainder is left", async () => {
    expect(await basisOf({ ...at, worth: 0n, flown: -3n * SHARES, deposited: -100n })).toBe("transferred");
    expect(await basisOf({ ...at, worth: 0n, flown: 4n * SHARES, deposited: -100n })).toBe("transferred");
    // What strangers sent may be worth as little.
    expect(await basisOf({ ...at, worth: 0n, flown: -SHARES, deposited: -100n })).toBe("explained");
  });

  test("knows the yield although a stranger sent dust, up to one part in 10000", async () => {
    expect(await basisOf({ ...at, flown: SHARES - 100n })).toBe("explained");
    expect(await basisOf({ ...at, flown: SHARES - 101n })).toBe("transferred");
  });

  test("does not take missing shares for dust", async () => {
    expect(await basisOf({ ...at, flown: SHARES + 2n })).toBe("explained");
    expect(await basisOf({ ...at, flown: SHARES + 3n })).toBe("transferred");
  });

  test("notices shares that were sent away before the vault lost all", async () => {
    expect(await basisOf({ ...at, flown: 2n * SHARES, worth: 0n })).toBe("transferred");
    expect(await basisOf({ ...at, flown: SHARES + 3n, worth: 1n })).toBe("transferred");
    expect(await basisOf({ ...at, flown: SHARES + 2n, worth: 0n })).toBe("explained");
    expect(await basisOf({ ...at, flown: SHARES, worth: 0n })).toBe("explained");
    // Shares that cost nothing are no loss.
    expect(await basisOf({ ...at, flown: SHARES + 3n, worth: 0n, deposited: 0n })).toBe("explained");
  });

  test("knows the loss of a vault that lost all although strangers sent its shares", async () => {
    expect(await basisOf({ ...at, flown: SHARES / 2n, worth: 0n })).toBe("explained");
    expect(await basisOf({ ...at, flown: 0n, worth: 0n, deposited: 100n })).toBe("explained");
  });

  test("does not take dust that was sent since for a flow", async () => {
    const before = balance(SHARES - 100n);
    expect(await basisOf({ ...at, flown: SHARES / 2n, before })).toBe("transferred");
  });
});

describe("findShareBasis() with an open redemption", () => {
  const at = { vault: waiting, before: balance(SHARES) };

  test("does not know whether those missing shares were paid that its request took", async () => {
    expect(await basisOf({ ...at, flown: 2n * SHARES, open: [stored] })).toBe("unindexed");
    expect(await basisOf({ ...at, flown: 2n * SHARES + 3n, open: [stored] })).toBe("transferred");
    const unknown = { ...stored, shares: null };
    expect(await basisOf({ ...at, flown: 3n * SHARES, open: [unknown] })).toBe("unindexed");
    const deposit = { ...stored, direction: "deposit" } as const;
    expect(await basisOf({ ...at, flown: 2n * SHARES, open: [deposit] })).toBe("transferred");
    const elsewhere = { ...stored, vaultAddress: USER.toLowerCase() };
    expect(await basisOf({ ...at, flown: 2n * SHARES, open: [elsewhere] })).toBe("transferred");
  });

  test("knows a transfer while the vault still shows the request", async () => {
    const numbered = { ...request, requestId: "1" };
    const flown = 2n * SHARES;
    expect(await basisOf({ ...at, flown, requests: [request] })).toBe("transferred");
    expect(await basisOf({ ...at, flown, requests: [numbered], open: [stored] })).toBe("transferred");
  });

  test("does not know whether a part of all requests was paid", async () => {
    const all = { ...stored, requestId: "0", shares: 110n };
    const partly = { ...at, requests: [request], open: [all] };
    expect(await basisOf({ ...partly, flown: SHARES + 110n })).toBe("unindexed");
    expect(await basisOf({ ...partly, flown: SHARES + 114n })).toBe("transferred");
  });

  test("knows that a fee for a request whose shares stay in the wallet is no payment", async () => {
    const kept = { ...request, inWallet: true, shares: 990n };
    const asked = { ...stored, requestId: "0", shares: 1_000n };
    const ipor = { ...at, vault: { ...waiting, adapter: "ipor" }, requests: [kept], open: [asked] };
    expect(await basisOf({ ...ipor, flown: SHARES + 10n })).toBe("transferred");
  });

  test("knows that additional shares are no payment", async () => {
    expect(await basisOf({ ...at, flown: SHARES / 2n, requests: [request] })).toBe("transferred");
  });
});

describe("findShareBasis() after a request that the flows name", () => {
  const midas: Vault = { ...vault, adapter: "midas", params: { redemption_vault: USER } };
  const taken = (shares: bigint | null): UserRequestFlow => ({
    ...{ chainId: midas.chainId, vaultAddress: midas.address.toLowerCase(), kind: "withdrawal" },
    ...{ requestId: "7", assets: null, shares },
  });
  const at = { vault: midas, before: balance(SHARES) };

  test("counts its shares as gone, whether it is open or has ended", async () => {
    const asked = { ...at, flown: SHARES + 10n, requestFlows: [taken(10n)] };
    expect(await basisOf(asked)).toBe("explained");
    expect(await basisOf({ ...asked, requests: [{ ...request, requestId: "7", shares: 9n }] })).toBe(
      "explained",
    );
  });

  test("still takes a difference for a transfer", async () => {
    expect(await basisOf({ ...at, flown: 2n * SHARES, requestFlows: [taken(10n)] })).toBe("transferred");
    expect(await basisOf({ ...at, flown: SHARES / 2n, requestFlows: [taken(10n)] })).toBe("transferred");
  });

  const deposited: UserRequestFlow = { ...taken(null), kind: "deposit", requestId: "deposit:7", assets: 10n };

  test("counts what a deposit request has brought", async () => {
    const asked = { ...at, requestFlows: [deposited, taken(10n)] };
    expect(await basisOf({ ...asked, flown: 0n, minted: SHARES + 10n })).toBe("explained");
    expect(await basisOf({ ...asked, flown: 10n, minted: SHARES })).toBe("explained");
    expect(await basisOf({ ...asked, flown: 0n, minted: SHARES / 2n })).toBe("transferred");
    expect(await basisOf({ ...asked, flown: 0n, minted: 2n * SHARES })).toBe("transferred");
    expect(await basisOf({ ...asked, flown: 0n, minted: 0n })).toBe("transferred");
  });

  test("does not judge if what a deposit request has brought is unknown", async () => {
    expect(await basisOf({ ...at, requestFlows: [deposited], flown: 0n, minted: null })).toBe("explained");
  });

  test("counts shares that stayed in the wallet until they were paid for", async () => {
    const queue: Vault = { ...vault, adapter: "veda", params: { teller: "d", atomic_queues: USER } };
    const requestId = `atomic/${USER}/${vault.asset.address}`.toLowerCase();
    const paid = { ...taken(10n), requestId, assets: 10n };
    const offered = { ...request, requestId, inWallet: true };
    const atQueue = { ...at, vault: queue, flown: SHARES + 10n, open: [{ ...stored, requestId }] };
    expect(await basisOf({ ...atQueue, requestFlows: [paid], requests: [offered] })).toBe("explained");
    expect(await basisOf({ ...atQueue, flown: SHARES, requests: [offered] })).toBe("explained");
    expect(await basisOf({ ...atQueue, requests: [offered] })).toBe("transferred");
  });

  test("does not judge if its shares are unknown", async () => {
    expect(await basisOf({ ...at, flown: 2n * SHARES, requestFlows: [taken(null)] })).toBe("explained");
    const requestFlows = [taken(10n)];
    expect(await basisOf({ ...at, vault: waiting, flown: 2n * SHARES, requestFlows })).toBe("explained");
  });
});

describe("findShareBasis() with flows whose shares are unknown", () => {
  const at = { vault: waiting, before: balance(SHARES) };

  test("lets their assets explain at most twice as many shares as today", async () => {
    const paid = { ...at, shareless: { in: "0", out: "100" } };
    expect(await basisOf({ ...paid, flown: SHARES + 100n })).toBe("explained");
    expect(await basisOf({ ...paid, flown: SHARES + 204n })).toBe("explained");
    expect(await basisOf({ ...paid, flown: SHARES + 205n })).toBe("transferred");
    expect(await basisOf({ ...paid, flown: SHARES / 2n })).toBe("transferred");
  });

  test("lets deposits explain additional shares", async () => {
    const brought = { ...at, shareless: { in: String(SHARES), out: "0" } };
    expect(await basisOf({ ...brought, flown: 0n })).toBe("explained");
    expect(await basisOf({ ...brought, flown: 2n * SHARES })).toBe("transferred");
  });

  test("does not judge without their assets", async () => {
    expect(await basisOf({ ...at, shareless: { in: null, out: null }, flown: 0n })).toBe("explained");
  });

  test("still notices a balance that changed since", async () => {
    const paid = { ...at, shareless: { in: "0", out: "100" }, before: balance(SHARES / 2n) };
    expect(await basisOf({ ...paid, flown: SHARES + 100n })).toBe("unindexed");
  });
});

describe("readSharesAt()", () => {
  const query = { user: USER, tokens: [VAULT], blockNumber: INDEXED_TO };

  test("returns the balances after the block", async () => {
    const { client } = clientOn([await startHonestNode(() => balance(7n))]);
    expect(await readSharesAt(client, query)).toEqual(new Map([[VAULT.toLowerCase(), 7n]]));
  });

  test.each<[string, RpcAnswer]>([
    ["lacks the state", pruned],
    ["lacks the block", { error: { code: -32000, message: "header not found" } }],
    ["returns something else", { result: "0x12" }],
    ["is on another chain", balance(7n, 1)],
  ])("asks one node only and does not avoid it if it %s", async (_what, answer) => {
    const nodes = [await startHonestNode(() => answer), await startHonestNode(() => balance(7n))];
    const { client, health, clock } = clientOn(nodes);
    expect(await readSharesAt(client, query)).toEqual(new Map());
    expect(nodes[1]?.calls).toEqual([]);
    const urls = nodes.map(({ url }) => url);
    expect(health.order(urls, clock.now)).toEqual(urls);
  });
});
