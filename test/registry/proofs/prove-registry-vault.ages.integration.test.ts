import { encodeFunctionData } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contractsOf, send } from "../../../scripts/stack/chains/scratch-chain.ts";
import type { VaultRow } from "../../../src/db/queries/vault-queries.ts";
import { proveVault } from "../../../src/registry/proofs/prove-registry-vault.ts";
import { call } from "../../support/partners/wallet.ts";
import { type ProofStage, startProofStage } from "../../support/registry/proof-stage.ts";
import { startRpcProxy } from "../../support/rpc-proxy.ts";

const traps = contractsOf("test/support/solidity/AgeTraps.sol");
let stage: ProofStage;

beforeAll(async () => {
  stage = await startProofStage();
});
afterAll(() => stage?.close());

/** Deploys a vault, by default with its trap set, and returns its registry entry after its proof. */
async function prove(name: string, sprung = true): Promise<VaultRow> {
  const address = await stage.put(name, traps);
  const args = [sprung];
  const data = encodeFunctionData({ abi: traps("KeepsLargeExits").abi, functionName: "spring", args });
  await send(stage.chain, { to: address, data });
  const vaultId = await stage.addCandidate(address);
  await stage.prove(vaultId);
  return stage.rowOf(vaultId);
}

/**
 * Vaults that treat a proof's small, early deposit well, the family they open as without their trap, and the reason.
 */
const harmful: readonly [what: string, name: string, adapter: string, reason: RegExp][] = [
  [
    "lets nobody leave after an hour",
    "LetsLeaveForAnHour",
    "erc4626",
    /^after 30 days, shares can no longer be redeemed: too late$/,
  ],
  [
    "lets nobody leave after an hour, and has Euler's interface",
    "PosesAsEuler",
    "euler",
    /^after 30 days, shares can no longer be redeemed: too late$/,
  ],
  [
    "lets nobody leave after an hour, and whose shares grow",
    "LendsAllAndTraps",
    "erc4626",
    /^after 30 days, shares can no longer be redeemed: too late$/,
  ],
  [
    "lets nobody leave an hour after the last deposit, and then states an enormous value of its shares",
    "OverstatesAndTraps",
    "erc4626",
    /^after 30 days, shares can no longer be redeemed: too late$/,
  ],
  [
    "lets nobody leave after an hour who has a hundred shares or fewer",
    "KeepsSmallOldShares",
    "erc4626",
    /^after 30 days, shares can no longer be redeemed: too little$/,
  ],
  [
    "pays almost nothing after an hour to whoever has a hundred shares or fewer",
    "ChargesSmallOldShares",
    "erc4626",
    /^redeeming the shares after 30 days returns much less than the deposit$/,
  ],
  [
    "keeps a fifth of the shares after an hour",
    "KeepsFifth",
    "erc4626",
    /^after 30 days, shares can no longer be redeemed: a fifth stays$/,
  ],
  [
    "keeps most of a larger redemption",
    "KeepsLargeExits",
    "erc4626",
    /^redeeming a larger deposit after 30 days returns much less than the deposit, and no preview of the vault states this$/,
  ],
  [
    "cheats contracts, and has Euler's interface",
    "CheatsRoutersAsEuler",
    "euler",
    /^a deposit by a contract mints shares that are worth much less than the deposit$/,
  ],
  [
    "takes all of its assets in a year",
    "TakesAssets",
    "erc4626",
    /^the vault takes 100% of its assets a year, more than 20%$/,
  ],
];

test.each(harmful)("a vault never opens which %s", async (_what, name, adapter, reason) => {
  const row = await prove(name);
  expect(row).toMatchObject({ status: "refused", statusBy: "proof", wasActive: false });
  expect(row.statusReason).toMatch(reason);
  const path = `/v1/vaults/${stage.chainId}:${row.address}`;
  expect((await call(stage.causeway.isolate(), ["GET", path])).body["code"]).toBe("vault_not_found");
  expect(await prove(name, false)).toMatchObject({ status: "active", adapter, proof: { amount: "1000000" } });
});

describe("an honest vault", () => {
  test("opens although it states and takes a fee for large redemptions", async () => {
    expect(await prove("StatesLargeFee")).toMatchObject({ status: "active", proof: { returned: "1000000" } });
  });

  test("opens although its fee rises for those who leave in one block", async () => {
    expect(await prove("FeeRisesWithExits")).toMatchObject({
      status: "active",
      proof: { returned: "1000000" },
    });
  });

  test.each([
    ["LendsAll", "erc4626"],
    ["LendsAllAsEuler", "euler"],
  ])("opens although it could not pay all that its shares grow to in 30 days: %s", async (name, adapter) => {
    expect(await prove(name)).toMatchObject({ status: "active", adapter });
  });

  test("opens by a larger deposit if it takes no less, which no view shows", async () => {
    expect(await prove("TakesALot")).toMatchObject({ status: "active", proof: { amount: "1000000000" } });
  });

  test("is refused with its own words while its window for deposits is closed", async () => {
    const reason = "a deposit reverts: the window is closed";
    expect(await prove("TakesAtTimes")).toMatchObject({ status: "refused", statusReason: reason });
  });

  test.each([
    ["RebasingAsset", 3n, 2n],
    ["FarRebasingAsset", 1n, 10n ** 9n],
  ])("opens if its asset rebases: %s times %i / %i", async (name, ...factor) => {
    const asset = await stage.put(name, traps, factor);
    const address = await stage.put("ProvenVault", undefined, [asset]);
    await stage.setVault(address, {});
    expect(await stage.prove(await stage.addCandidate(address))).toMatchObject({
      ...{ status: 200, body: { status: "active", proof: { ok: true } } },
    });
  });

  test("stays a candidate with the reason if nothing can pay its asset in a simulation", async () => {
    const asset = await stage.put("ComputedAsset", traps, []);
    const address = await stage.put("ProvenVault", undefined, [asset]);
    await stage.setVault(address, {});
    const reason = "no deposit can be tried: the balances of its asset cannot be set in a simulation";
    expect(await stage.prove(await stage.addCandidate(address))).toMatchObject({
      ...{ status: 200, body: { status: "candidate", proof: { ok: false, reason } } },
    });
  });
});

test("a node that cannot read how the asset keeps its balances says nothing about the vault", async () => {
  const asset = await stage.put("ProofAsset", undefined, []);
  const vaultId = await stage.addCandidate(await stage.put("ProvenVault", undefined, [asset]));
  const proxy = await startRpcProxy(String(stage.chain.node.transport["url"]), ({ method, params }) =>
    method === "eth_call" &&
    JSON.stringify(params[2] ?? null)
      .toLowerCase()
      .includes(asset.toLowerCase())
      ? { code: -32_602, message: "the state override is too large" }
      : null,
  );
  const native = { symbol: "ETH", decimals: 18 };
  const served = { chain_id: stage.chainId, rpc_urls: [proxy.url], name: "Failing", key: "failing", native };
  const context = stage.causeway.isolate({ CHAINS: JSON.stringify([served]) }).context();
  try {
    const { finding } = await proveVault(context, await stage.rowOf(vaultId));
    expect(finding).toEqual({ kind: "unread", reason: expect.stringContaining("override is too large") });
  } finally {
    await proxy.close();
  }
});
