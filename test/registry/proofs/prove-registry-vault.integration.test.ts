import { eq } from "drizzle-orm";
import { type Address, encodeDeployData, encodeFunctionData } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contractsOf, deploy, type ScratchChain, send } from "../../../scripts/stack/chains/scratch-chain.ts";
import { vaultDeployData } from "../../../scripts/stack/chains/vault-kinds.ts";
import type { TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import { scheduleProofs } from "../../../src/db/queries/vault-proof-queries.ts";
import type { VaultRow } from "../../../src/db/queries/vault-queries.ts";
import { vaults } from "../../../src/db/tables/vault-tables.ts";
import { MINUTE_MS } from "../../../src/lib/durations.ts";
import { proveDueVaults } from "../../../src/registry/proofs/prove-due-vaults.ts";
import { call } from "../../support/partners/wallet.ts";
import { type ProofStage, startProofStage } from "../../support/registry/proof-stage.ts";

const contracts = contractsOf("test/support/solidity/ProvenVault.sol");
let stage: ProofStage;
let causeway: TestDeployment;
let chain: ScratchChain;
let asset: Address;
/** The jobs' clock, in unix milliseconds. */
let now = Date.now();

beforeAll(async () => {
  stage = await startProofStage();
  ({ causeway, chain, asset } = stage);
});
afterAll(() => stage?.close());

const newVault = (): Promise<Address> => stage.put("ProvenVault");
/** Deploys a vault of another asset or contract. */
const newVaultOf = (other: Address, contract = "ProvenVault"): Promise<Address> =>
  stage.put(contract, contracts, [other]);
const admin: ProofStage["admin"] = (...request) => stage.admin(...request);
const addCandidate: ProofStage["addCandidate"] = (...entry) => stage.addCandidate(...entry);
const setVault: ProofStage["setVault"] = (...change) => stage.setVault(...change);
const rowOf = (vaultId: string): Promise<VaultRow> => stage.rowOf(vaultId);
const prove = (vaultId: string) => stage.prove(vaultId);

/** Adds an open vault behind a proxy as an operator's candidate. */
async function addProxy(): Promise<{ vaultId: string; proxy: Address }> {
  const { abi, creationCode } = contracts("ReplaceableProxy");
  const args = [await newVault()];
  const proxy = await deploy(chain, encodeDeployData({ abi, bytecode: creationCode, args }));
  await setVault(proxy, {});
  return { vaultId: await addCandidate(proxy), proxy };
}

async function upgrade(proxy: Address, implementation: Address): Promise<void> {
  const { abi } = contracts("ReplaceableProxy");
  const data = encodeFunctionData({ abi, functionName: "upgradeTo", args: [implementation] });
  await send(chain, { to: proxy, data });
}

/** Warnings that proofs logged. */
const warned: unknown[] = [];

/** Runs the job at the time at which a vault's proof is due, and returns the vault's row. */
async function proveWhenDue(vaultId: string): Promise<VaultRow> {
  now = Math.max(now, (await rowOf(vaultId)).proofDueAt.getTime());
  const context = causeway.isolate().context();
  const log = {
    ...context.log,
    warn: (event: string, fields?: object) => void warned.push({ event, ...fields }),
  };
  await proveDueVaults({ ...context, log, now: () => now });
  return rowOf(vaultId);
}

/** Returns a vault of the public API, or its error code. */
async function shown(vaultId: string) {
  const { body } = await call(causeway.isolate(), ["GET", `/v1/vaults/${vaultId}`]);
  return body["code"] ?? { paused: body["paused"], reason: body["paused_reason"], proof: body["proof"] };
}

describe("a proof", () => {
  test("opens a candidate whose deposit and redemption succeed", async () => {
    const vaultId = await addCandidate(await newVault());
    expect(await shown(vaultId)).toBe("vault_not_found");
    const row = await proveWhenDue(vaultId);
    expect(row).toMatchObject({ status: "active", statusBy: "proof", wasActive: true, caller: "router" });
    expect(row.proof).toMatchObject({ ok: true, amount: "1000000", shares: "1000000", reason: "" });
    // 999 of 1,000 parts are redeemed; the rest is computed, rounded down.
    expect(row.proof?.returned).toBe("1000000");
    expect(await shown(vaultId)).toMatchObject({ paused: false, proof: { ok: true, shares: "1000000" } });
    expect(row.proofDueAt.getTime() - now).toBeLessThanOrEqual(24 * 60 * MINUTE_MS);
  });

  test.each([
    ["is gated", { gated: true }, "a deposit reverts"],
    ["mints far fewer shares than they cost", { entryFee: 5_000n }, "worth much less"],
    ["pays far less than it took", { exitFee: 9_999n }, "returns much less"],
    [
      "lets nobody redeem",
      { locked: true },
      "shares cannot be redeemed by the functions of ERC-4626; a redemption reverts: shares are locked",
    ],
  ])("refuses a candidate that %s, with the reason", async (_what, change, reason) => {
    const address = await newVault();
    await setVault(address, change);
    const vaultId = await addCandidate(address);
    expect(await prove(vaultId)).toMatchObject({
      status: 200,
      body: { status: "refused", status_by: "proof", status_reason: expect.stringContaining(reason) },
    });
    expect(await shown(vaultId)).toBe("vault_not_found");
    await setVault(address, {});
    expect(await prove(vaultId)).toMatchObject({ body: { status: "active", status_reason: "" } });
  });

  test("finds that a plain vault takes deposits from users themselves alone", async () => {
    const data = vaultDeployData({ kind: "caller", offset: 0 }, [asset, "Own deposits", "own"]);
    const vaultId = await addCandidate(await deploy(chain, data));
    for (let round = 0; round < 2; round += 1)
      expect(await proveWhenDue(vaultId)).toMatchObject({ status: "active", caller: "user" });
  });

  test("refuses a vault that only one named caller may deposit into, with the vault's reason", async () => {
    const vaultId = await addCandidate(await newVaultOf(asset, "ZapOnlyVault"));
    const status_reason = "a deposit reverts: only the zap may deposit";
    expect(await prove(vaultId)).toMatchObject({ body: { status: "refused", status_reason } });
  });

  test("refuses what is no vault, and what is of another family than claimed", async () => {
    const none = await addCandidate(asset);
    expect(await prove(none)).toMatchObject({
      body: { status: "refused", status_reason: "the contract is not an ERC-4626 vault" },
    });
    const other = await addCandidate(await newVault(), { adapter: "metamorpho" });
    expect(await prove(other)).toMatchObject({ body: { status: "refused" } });
  });

  test("refuses an active vault whose asset on chain is another one than claimed", async () => {
    const vaultId = await addCandidate(await newVault());
    await prove(vaultId);
    const claim = { adapter: "erc4626", asset: `0x${"12".repeat(20)}`, shareToken: null };
    await causeway.db
      .update(vaults)
      .set({ claim })
      .where(eq(vaults.address, vaultId.split(":")[1] ?? ""));
    await prove(vaultId);
    expect((await rowOf(vaultId)).proof).toMatchObject({
      ok: false,
      reason: expect.stringContaining("its asset on chain is"),
    });
  });
});

describe("an active vault that breaks", () => {
  test("is paused when the refusal stands after 30 minutes, and opens again when it takes deposits", async () => {
    const address = await newVault();
    const vaultId = await addCandidate(address);
    await proveWhenDue(vaultId);
    await setVault(address, { gated: true });
    const first = await proveWhenDue(vaultId);
    const refusedAt = now;
    expect(first).toMatchObject({ status: "active", proofRefusals: 1 });
    expect(await proveWhenDue(vaultId)).toMatchObject({ status: "active", proofRefusals: 2 });
    expect(now - refusedAt).toBe(5 * MINUTE_MS);
    const paused = await proveWhenDue(vaultId);
    expect(now - refusedAt).toBe(30 * MINUTE_MS);
    expect(paused).toMatchObject({ status: "paused", statusBy: "proof", wasActive: true });
    expect(await shown(vaultId)).toMatchObject({
      paused: true,
      reason: expect.stringContaining("a deposit reverts"),
    });
    await setVault(address, {});
    expect(await proveWhenDue(vaultId)).toMatchObject({ status: "active", statusReason: "" });
  });

  test.each([
    ["mints far fewer shares than they cost", { entryFee: 5_000n }, "worth much less"],
    ["keeps all of what it pays out", { exitFee: 10_000n }, "pays none of the vault's asset"],
  ])("is paused when it %s", async (_what, change, reason) => {
    const address = await newVault();
    const vaultId = await addCandidate(address);
    await proveWhenDue(vaultId);
    await setVault(address, change);
    for (const refusals of [1, 2])
      expect(await proveWhenDue(vaultId)).toMatchObject({ status: "active", proofRefusals: refusals });
    expect(await proveWhenDue(vaultId)).toMatchObject({ status: "paused", statusBy: "proof" });
    expect(await shown(vaultId)).toMatchObject({ paused: true, reason: expect.stringContaining(reason) });
  });

  test("is shown as paused at once when the chain says so", async () => {
    const address = await newVault();
    const vaultId = await addCandidate(address);
    await proveWhenDue(vaultId);
    expect(await shown(vaultId)).toMatchObject({ paused: false });
    await setVault(address, { paused: true });
    await causeway.context().cache.drop(`vault:${vaultId}`);
    expect(await shown(vaultId)).toMatchObject({ paused: true });
  });

  test("is paused when its code becomes that of another vault", async () => {
    const other = await deploy(chain, contracts("ProofAsset").creationCode);
    const { vaultId, proxy } = await addProxy();
    await proveWhenDue(vaultId);
    await upgrade(proxy, await newVaultOf(other));
    for (let round = 0; round < 2; round += 1) await proveWhenDue(vaultId);
    expect(await proveWhenDue(vaultId)).toMatchObject({
      ...{ status: "paused", statusBy: "proof" },
      statusReason: expect.stringContaining("its asset on chain is"),
    });
  });

  test.each([
    ["overstate what its shares are worth", "OverstatingVault", "the vault states a much higher value"],
    ["do not answer any more", "SilentVault", "convertToAssets() reverts: silent"],
  ])("is paused when its views %s", async (_what, contract, reason) => {
    const { vaultId, proxy } = await addProxy();
    await proveWhenDue(vaultId);
    await upgrade(proxy, await newVaultOf(asset, contract));
    const refusedAt = now;
    for (let round = 0; round < 2; round += 1)
      expect(await proveWhenDue(vaultId)).toMatchObject({ status: "active", proof: { ok: false } });
    expect(await proveWhenDue(vaultId)).toMatchObject({ status: "paused", statusBy: "proof" });
    expect(now - refusedAt).toBeGreaterThanOrEqual(30 * MINUTE_MS);
    expect(await shown(vaultId)).toMatchObject({ paused: true, reason: expect.stringContaining(reason) });
  });

  test("keeps the code it was admitted with, unless people reviewed the vault", async () => {
    const found = await addProxy();
    const reviewed = await addProxy();
    for (const { vaultId } of [found, reviewed]) await proveWhenDue(vaultId);
    const before = (await rowOf(found.vaultId)).proof?.code;
    expect(before).toMatch(/^implementation:0x/);
    const provenance = { source: "list", detail: "a list" } as const;
    const own = eq(vaults.address, found.proxy.toLowerCase());
    const namedBy = ["list:one", "list:two"];
    await causeway.db.update(vaults).set({ provenance, namedBy }).where(own);
    for (const { proxy } of [found, reviewed]) await upgrade(proxy, await newVault());
    for (let round = 0; round < 3; round += 1)
      for (const { vaultId } of [found, reviewed]) await proveWhenDue(vaultId);
    expect(await rowOf(reviewed.vaultId)).toMatchObject({ status: "active", proof: { ok: true } });
    expect(await rowOf(found.vaultId)).toMatchObject({
      ...{ status: "paused", statusBy: "proof", proof: { code: before } },
      statusReason: expect.stringMatching(/^the vault's code has changed since this service opened it$/),
    });
    const told = { event: "vault_code_changed", vault_id: found.vaultId, admitted: before };
    expect(warned).toContainEqual({ ...told, code: expect.stringMatching(/^implementation:0x/) });
    // An administrator who reviews the new code opens the vault again.
    await admin("PATCH", `vaults/${found.vaultId}`, { status: "active" });
    expect(await rowOf(found.vaultId)).toMatchObject({ status: "active", proof: { ok: true } });
  });

  test("stays open while the chain says that it is paused or full, which lists show by themselves", async () => {
    const address = await newVault();
    const vaultId = await addCandidate(address);
    await proveWhenDue(vaultId);
    await setVault(address, { paused: true });
    for (let round = 0; round < 4; round += 1)
      expect(await proveWhenDue(vaultId)).toMatchObject({ status: "active", proofRefusals: 0 });
  });

  test("keeps the decision of an administrator", async () => {
    const vaultId = await addCandidate(await newVault());
    await proveWhenDue(vaultId);
    await admin("PATCH", `vaults/${vaultId}`, { status: "paused", reason: "an incident" });
    expect(await prove(vaultId)).toMatchObject({
      body: { status: "paused", status_by: "admin", status_reason: "an incident", proof: { ok: true } },
    });
    await admin("PATCH", `vaults/${vaultId}`, { status: "unsupported", reason: "gone" });
    // Holders still see the vault; it takes no deposits.
    expect(await shown(vaultId)).toMatchObject({ paused: true, reason: "gone" });
    const { body } = await call(causeway.isolate(), ["GET", "/v1/vaults"]);
    const ids = (body["rows"] as { vault_id: string }[]).map((row) => row.vault_id);
    expect(ids).not.toContain(vaultId);
  });

  test("is never judged by a node that fails", async () => {
    const vaultId = await addCandidate(await newVault());
    await proveWhenDue(vaultId);
    const before = await rowOf(vaultId);
    await fetch(`${causeway.hub.rpc[stage.chainId]}/__control`, {
      method: "POST",
      body: JSON.stringify({ faults: [{ kind: "status", status: 500 }] }),
    });
    try {
      const after = await proveWhenDue(vaultId);
      expect(after).toMatchObject({ status: "active", proofRefusals: 0, proof: before.proof });
      expect((await prove(vaultId)).body).toMatchObject({ code: "upstream_unavailable" });
    } finally {
      await fetch(`${causeway.hub.rpc[stage.chainId]}/__control`, { method: "DELETE" });
    }
  });
});

test("scheduleProofs() makes a proof due earlier, never later", async () => {
  const vaultId = await addCandidate(await newVault());
  await prove(vaultId);
  const { address, proofDueAt } = await rowOf(vaultId);
  const { db } = causeway.context();
  const schedule = (at: Date) => scheduleProofs(db, { chainId: stage.chainId, addresses: [address], at });
  await schedule(new Date(proofDueAt.getTime() + MINUTE_MS));
  expect((await rowOf(vaultId)).proofDueAt).toEqual(proofDueAt);
  const at = new Date(proofDueAt.getTime() - 60 * MINUTE_MS);
  await schedule(at);
  expect((await rowOf(vaultId)).proofDueAt).toEqual(at);
});
