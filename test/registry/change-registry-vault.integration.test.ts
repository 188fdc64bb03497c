import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contractsOf } from "../../scripts/stack/chains/scratch-chain.ts";
import type { ChainClient } from "../../src/chains/chain-client.ts";
import { RpcError } from "../../src/chains/json-rpc.ts";
import type { Context } from "../../src/context.ts";
import type { Database } from "../../src/db/database-client.ts";
import { audit } from "../../src/db/tables/partner-tables.ts";
import { vaults } from "../../src/db/tables/vault-tables.ts";
import { failure } from "../../src/errors.ts";
import { changeVault } from "../../src/registry/change-registry-vault.ts";
import { type ProofStage, startProofStage } from "../support/registry/proof-stage.ts";

let stage: ProofStage;

beforeAll(async () => {
  stage = await startProofStage();
});
afterAll(() => stage?.close());

/** Returns a context whose nodes read contracts, and answer every simulation with an error. */
function withoutSimulation(fault: () => Error): Context {
  const ctx = stage.causeway.isolate().context();
  const client = (chainId: number): ChainClient | null => {
    const own = ctx.chains.client(chainId);
    if (own === null) return null;
    const ask: ChainClient["ask"] = async (question) => {
      const { method, params } = question;
      if (method === "eth_simulateV1" || (method === "eth_call" && params.length === 3)) throw fault();
      return own.ask(question);
    };
    return { ...own, ask };
  };
  return { ...ctx, chains: { ...ctx.chains, client } };
}

/** Adds a sound vault as an operator's candidate. */
async function newCandidate() {
  const address = await stage.put("ProvenVault");
  return { vaultId: await stage.addCandidate(address), key: { chainId: stage.chainId, address } };
}

const open = { state: "active", reason: "reviewed" } as const;

describe("changeVault()", () => {
  test.each(["upstream_timeout", "upstream_unavailable"] as const)(
    "opens no vault whose deposit could not be simulated because of %s",
    async (code) => {
      const { vaultId, key } = await newCandidate();
      const before = await stage.rowOf(vaultId);
      const ctx = withoutSimulation(() => failure(code, "no node gave a usable answer"));
      const changing = changeVault(ctx, { key, change: open });
      await expect(changing).rejects.toMatchObject({ code: "upstream_unavailable" });
      expect(await stage.rowOf(vaultId)).toEqual(before);
    },
  );

  test("opens no vault that was never read because its views revert, nor with other claims", async () => {
    const crooked = contractsOf("test/support/solidity/CrookedVaults.sol");
    const vaultId = await stage.addCandidate(await stage.put("RevertingViews", crooked));
    const before = await stage.rowOf(vaultId);
    const msg = expect.stringContaining("convertToAssets() reverts: not today");
    for (const change of [{ state: "active" }, { adapter: "erc4626" }])
      expect(await stage.admin("PATCH", `vaults/${vaultId}`, change)).toMatchObject({
        ...{ status: 422, body: { detail: [{ msg }] } },
      });
    expect(await stage.rowOf(vaultId)).toEqual(before);
  });

  test("leaves the decision of a request that opened the vault while it corrected its texts", async () => {
    const { vaultId, key } = await newCandidate();
    expect(await stage.prove(vaultId)).toMatchObject({ body: { status: "active", status_by: "proof" } });
    const ctx = stage.causeway.isolate().context();
    let read = false;
    const db: Database = {
      async run(statement) {
        const result = await ctx.db.run(statement);
        if (!read) {
          read = true;
          await changeVault(ctx, { key, change: open });
        }
        return result;
      },
    };
    await changeVault({ ...ctx, db }, { key, change: { curator: "Someone", reason: "" } });
    expect(await stage.rowOf(vaultId)).toMatchObject({
      curator: "Someone",
      status: "active",
      statusBy: "admin",
    });
  });

  test("opens a vault on a chain none of whose nodes can simulate, as the administrator decides", async () => {
    const { vaultId, key } = await newCandidate();
    const ctx = withoutSimulation(() => new RpcError("unsupported", "unknown method"));
    await changeVault(ctx, { key, change: open });
    expect(await stage.rowOf(vaultId)).toMatchObject({ status: "active", statusBy: "admin", proof: null });
  });

  test("corrects the texts of an active vault while its nodes fail", async () => {
    const { vaultId, key } = await newCandidate();
    await stage.prove(vaultId);
    expect(await stage.rowOf(vaultId)).toMatchObject({ status: "active" });
    const ctx = withoutSimulation(() => failure("upstream_timeout", "no node gave a usable answer"));
    await changeVault(ctx, { key, change: { name: "Corrected", reason: "" } });
    expect(await stage.rowOf(vaultId)).toMatchObject({ status: "active", name: "Corrected" });
    const noted = await stage.causeway.db.select().from(audit).where(eq(audit.subject, vaultId));
    const after = noted.map((one) => one.after).filter((one) => one !== null && "name" in one);
    expect(after).toEqual([{ status: "active", reason: "", name: "Corrected" }]);
  });

  test("keeps the contracts of a replaced one's open requests, unless it names them", async () => {
    const { vaultId, key } = await newCandidate();
    const [before, other] = [`0x${"1".repeat(40)}`, `0x${"2".repeat(40)}`];
    const { address } = await stage.rowOf(vaultId);
    const recorded = { withdraw_queue: before, queue_requests: before };
    await stage.causeway.db.update(vaults).set({ params: recorded }).where(eq(vaults.address, address));
    const ctx = stage.causeway.isolate().context();
    const changed = async (params: Record<string, string>) => {
      await changeVault(ctx, { key, change: { params, reason: "" } });
      return (await stage.rowOf(vaultId)).params;
    };
    expect(await changed({ withdraw_queue: other })).toMatchObject({ ...recorded, withdraw_queue: other });
    expect(await changed({ queue_requests: "" })).toMatchObject({ queue_requests: "" });
    // An entry from before these lists has none until a proof accepts its contract again.
    await stage.causeway.db
      .update(vaults)
      .set({ params: { redemption_vault: before } })
      .where(eq(vaults.address, address));
    const replaced = { redemption_vault: other, redemption_requests: before };
    expect(await changed({ redemption_vault: other })).toMatchObject(replaced);
  });

  test("lets earlier refusals and illiquid proofs not count once the administrator has changed the status", async () => {
    const { vaultId } = await newCandidate();
    await stage.prove(vaultId);
    const { proof, address } = await stage.rowOf(vaultId);
    if (proof === null) throw new Error("the vault was not proven");
    const at = { refusedAt: proof.at, illiquidSince: proof.at, countedAt: proof.at };
    const counted = { ...proof, ...at, illiquid: 24 };
    await stage.causeway.db
      .update(vaults)
      .set({ proof: counted, proofRefusals: 2 })
      .where(eq(vaults.address, address));
    const change = (body: Record<string, string>) => stage.admin("PATCH", `vaults/${vaultId}`, body);
    await change({ name: "Another name" });
    expect(await stage.rowOf(vaultId)).toMatchObject({ proof: counted, proofRefusals: 2 });
    await change({ state: "paused", reason: "an incident" });
    expect(await stage.rowOf(vaultId)).toMatchObject({ status: "paused", proof, proofRefusals: 0 });
    expect((await stage.rowOf(vaultId)).proof).toEqual(proof);
  });

  test("finds a vault's changes in the audit log whatever the case of its id", async () => {
    const { vaultId } = await newCandidate();
    await stage.admin("PATCH", `vaults/${vaultId}`, { name: "Renamed" });
    const upper = vaultId.toUpperCase().replace("0X", "0x");
    const [lowercase, uppercase] = await Promise.all(
      [vaultId, upper].map((subject) => stage.admin("GET", `audit?subject=${subject}`)),
    );
    const entry = expect.objectContaining({ action: "vault.change", subject: vaultId });
    expect(lowercase?.body["rows"]).toContainEqual(entry);
    expect(uppercase?.body).toEqual(lowercase?.body);
  });
});
