import { type Address, getAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestDeployment } from "../../scripts/stack/test-deployment.ts";
import { asAdmin } from "../support/partners/wallet.ts";
import { type ProofStage, startProofStage } from "../support/registry/proof-stage.ts";

const CHAIN = 31337;
let stage: ProofStage;
let causeway: TestDeployment;
let asset: Address;

beforeAll(async () => {
  stage = await startProofStage(CHAIN);
  ({ causeway, asset } = stage);
});
afterAll(() => stage?.close());

type Rows = Record<string, unknown>[];
const admin: ProofStage["admin"] = (method, path, body) => stage.admin(method, path, body);
const idOf = (n: number, chainId = CHAIN): string => `${chainId}:0x${n.toString(16).padStart(40, "0")}`;
const rowsOf = async (path: string): Promise<Rows> => (await admin("GET", path)).body["rows"] as Rows;
const newVault = async (): Promise<string> => `${CHAIN}:${(await stage.put("ProvenVault")).toLowerCase()}`;

describe("POST /v1/admin/vaults with several claims", () => {
  test("adds 500 at once, each with an audit entry, and reports on each", async () => {
    const vaults = Array.from({ length: 500 }, (_, n) => ({
      vault_id: idOf(n + 1),
      asset,
      adapter: "erc4626",
      curator: "Someone",
    }));
    const { status, body } = await admin("POST", "vaults", { vaults, note: "from a table" });
    expect([status, body["added"], body["known"], body["refused"]]).toEqual([201, 500, 0, 0]);
    expect((body["vaults"] as Rows)[499]).toEqual({ vault_id: idOf(500), result: "added", reason: "" });
    const [row] = await rowsOf("vaults?limit=1");
    expect(row).toMatchObject({
      ...{ vault_id: idOf(1), status: "candidate", status_reason: "not proven yet", curator: "Someone" },
      provenance: { source: "operator", detail: "" },
      claim: { adapter: "erc4626", asset: getAddress(asset), share_token: null },
      ...{ proof: null, named_by: [], was_active: false },
    });
    expect(await rowsOf(`audit?subject=${idOf(500)}`)).toMatchObject([
      { action: "vault.add", actor: "admin", note: "from a table", before: null },
    ]);
    const again = await admin("POST", "vaults", { vaults: vaults.slice(0, 3) });
    expect(again.body).toMatchObject({ added: 0, known: 3, refused: 0 });
    expect(await rowsOf(`audit?subject=${idOf(1)}`)).toHaveLength(1);
  });

  test("refuses single rows, and takes one that is given twice once", async () => {
    const vaults = [
      { vault_id: idOf(900) },
      { vault_id: idOf(900).toUpperCase().replace("0X", "0x") },
      { vault_id: idOf(901, 10) },
      { vault_id: idOf(902), adapter: "constructor" },
    ];
    expect((await admin("POST", "vaults", { vaults })).body).toEqual({
      ...{ added: 1, known: 1, refused: 2, unlisted: 0 },
      vaults: [
        { vault_id: idOf(900), result: "added", reason: "" },
        { vault_id: idOf(900), result: "known", reason: "" },
        { vault_id: idOf(901, 10), result: "refused", reason: "chain 10 is not served" },
        { vault_id: idOf(902), result: "refused", reason: "no adapter is called constructor" },
      ],
    });
  });

  test("of a public list do not open by their proof, and known vaults only note the list", async () => {
    const [own, listed] = [await newVault(), await newVault()];
    await admin("POST", "vaults", { vault_id: own });
    const claims = [own, listed].map((vault_id) => ({ vault_id, name: "Scratch vault" }));
    const report = await admin("POST", "vaults", { vaults: claims, list: "some-list" });
    expect(report.body).toMatchObject({ added: 1, known: 1 });
    expect((await admin("POST", `vaults/${own}/prove`)).body).toMatchObject({
      ...{ status: "active", named_by: ["list:some-list"] },
      provenance: { source: "operator" },
    });
    expect((await admin("POST", `vaults/${listed}/prove`)).body).toMatchObject({
      ...{
        status: "candidate",
        status_reason: "its contract code belongs to no known family",
        named_by: ["list:some-list"],
      },
      ...{ provenance: { source: "list", detail: "some-list" }, proof: { ok: true } },
    });
  });

  test("that a public list no longer names lose its name, each with an audit entry, and are proven again", async () => {
    const [stays, leaves, other] = [idOf(950), idOf(951), idOf(952)];
    const vaults = [stays, leaves].map((vault_id) => ({ vault_id }));
    await admin("POST", "vaults", { vaults, list: "shrinking" });
    await admin("POST", "vaults", { vaults: [{ vault_id: leaves }, { vault_id: other }], list: "another" });
    const before = (await stage.rowOf(leaves)).proofDueAt.getTime();
    const unlisted = [leaves.toUpperCase().replace("0X", "0x"), other, idOf(953)];
    const report = await admin("POST", "vaults", { list: "shrinking", unlisted, note: "a new edition" });
    expect(report).toMatchObject({ status: 201, body: { added: 0, known: 0, unlisted: 1, vaults: [] } });
    expect(await stage.rowOf(stays)).toMatchObject({ namedBy: ["list:shrinking"] });
    expect(await stage.rowOf(leaves)).toMatchObject({ namedBy: ["list:another"] });
    expect(await stage.rowOf(other)).toMatchObject({ namedBy: ["list:another"] });
    expect((await stage.rowOf(leaves)).proofDueAt.getTime()).toBeGreaterThan(before);
    expect(await rowsOf(`audit?subject=${leaves}`)).toMatchObject([
      { action: "vault.unlist", actor: "admin", note: "a new edition", before: { list: "list:shrinking" } },
      { action: "vault.add" },
    ]);
    expect(await rowsOf(`audit?subject=${other}`)).toHaveLength(1);
  });

  test("of an operator replace those of a list, whose candidate then needs its proof alone", async () => {
    const [one, several, open] = [await newVault(), await newVault(), await newVault()];
    const listed = [one, several, open].map((vault_id) => ({ vault_id, name: "Listed" }));
    await admin("POST", "vaults", { vaults: listed, list: "some-list" });
    for (const vaultId of [one, several])
      expect((await admin("POST", `vaults/${vaultId}/prove`)).body["status"]).toBe("candidate");
    await admin("PATCH", `vaults/${open}`, { state: "active" });
    const mine = { curator: "Someone", name: "Mine" };
    expect(await admin("POST", "vaults", { vault_id: one, ...mine })).toMatchObject({
      ...{ status: 201, body: { ...mine, provenance: { source: "operator" }, named_by: ["list:some-list"] } },
    });
    const again = { vaults: [one, several, open].map((vault_id) => ({ vault_id, ...mine })) };
    expect((await admin("POST", "vaults", again)).body).toMatchObject({ added: 1, known: 2 });
    for (const vaultId of [one, several]) {
      expect((await stage.rowOf(vaultId)).proofDueAt.getTime()).toBeLessThanOrEqual(Date.now());
      expect((await admin("POST", `vaults/${vaultId}/prove`)).body).toMatchObject({
        status: "active",
        ...mine,
      });
      expect(await rowsOf(`audit?subject=${vaultId}`)).toMatchObject([{}, { action: "vault.add" }, {}]);
    }
    expect(await stage.rowOf(open)).toMatchObject({ name: "Listed", provenance: { source: "list" } });
  });

  test("name a vault by its contract only once its proof opens it, and a listed one by its asset", async () => {
    const [own, listed] = [await newVault(), await newVault()];
    await admin("POST", "vaults", { vaults: [{ vault_id: own }] });
    expect(await stage.rowOf(own)).toMatchObject({ status: "candidate", name: own });
    expect((await causeway.send(`/v1/vaults/${own}`)).status).toBe(404);
    const { body } = await admin("POST", `vaults/${own}/prove`);
    expect(body).toMatchObject({ status: "active", name: "Proven" });
    await admin("POST", "vaults", { vaults: [{ vault_id: listed }], list: "nameless" });
    for (let proof = 0; proof < 2; proof += 1)
      expect((await admin("POST", `vaults/${listed}/prove`)).body).toMatchObject({
        ...{ status: "candidate", name: "Vault of PUSD" },
      });
    // An administrator who opens it has not confirmed its own name.
    expect((await admin("PATCH", `vaults/${listed}`, { state: "active" })).body).toMatchObject({
      ...{ status: "active", name: "Vault of PUSD" },
    });
  });

  test.each([
    [{}, "vault_id"],
    [{ vault_id: idOf(1), vaults: [{ vault_id: idOf(1) }] }, "vault_id"],
    [{ vault_id: idOf(1), list: "x" }, "list"],
    [{ unlisted: [idOf(1)] }, "unlisted"],
    [{ vault_id: idOf(1), list: "x", unlisted: [idOf(1)] }, "vault_id"],
    [{ vaults: [] }, "vaults"],
    [{ vaults: Array.from({ length: 501 }, (_, n) => ({ vault_id: idOf(n) })) }, "vaults"],
    [{ vaults: [{ vault_id: idOf(1), spender: idOf(2) }] }, "vaults"],
  ])("%j is refused", async (body, field) => {
    const { status, body: refused } = await admin("POST", "vaults", body);
    const [first] = refused["detail"] as { loc: string[] }[];
    expect([status, first?.loc.slice(0, 2)]).toEqual([422, ["body", field]]);
  });
});

describe("GET /v1/admin/vaults?state=", () => {
  test("returns the entries of one status, page by page", async () => {
    const active = await rowsOf("vaults?state=active");
    expect(active.length).toBeGreaterThan(0);
    expect(new Set(active.map((row) => row["status"]))).toEqual(new Set(["active"]));
    const page = await causeway.send("/v1/admin/vaults?state=candidate&limit=2", { headers: asAdmin });
    expect(page.headers.get("link")).toContain("state=candidate");
    expect((await admin("GET", "vaults?state=nothing")).status).toBe(422);
  });
});

describe("PATCH /v1/admin/vaults/{vault_id}", () => {
  test("repairs a claim of another family: read again, proven, opened", async () => {
    const vault = await newVault();
    await admin("POST", "vaults", { vaults: [{ vault_id: vault, adapter: "metamorpho" }] });
    const refused = await admin("POST", `vaults/${vault}/prove`);
    expect(refused.body).toMatchObject({ status: "refused", claim: { adapter: "metamorpho" } });
    const wrong = await admin("PATCH", `vaults/${vault}`, { adapter: "lagoon" });
    expect(wrong).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "adapter"], type: "claim_contradicted" }] },
    });
    const repaired = await admin("PATCH", `vaults/${vault}`, {
      adapter: "erc4626",
      name: "Scratch",
      curator: "Ann",
    });
    expect(repaired).toMatchObject({
      status: 200,
      body: {
        ...{ status: "active", status_by: "proof", adapter: "erc4626", name: "Scratch", curator: "Ann" },
        ...{ claim: { adapter: "erc4626", asset: null }, proof: { ok: true } },
      },
    });
  });

  test("repairs a wrong asset, and keeps tokens that the chain does not confirm out", async () => {
    const vault = await newVault();
    const other = `0x${"12".repeat(20)}`;
    await admin("POST", "vaults", { vaults: [{ vault_id: vault, asset: other }] });
    expect((await admin("POST", `vaults/${vault}/prove`)).body["status_reason"]).toContain(
      "its asset on chain is",
    );
    const repaired = await admin("PATCH", `vaults/${vault}`, { accepted_assets: [other] });
    expect(repaired.body).toMatchObject({ status: "active", asset: { address: getAddress(asset) } });
    expect((repaired.body["accepted_assets"] as Rows).map((token) => token["address"])).toEqual([
      getAddress(asset),
    ]);
  });

  test("changes texts without the chain, and the status by `state` as by `status`", async () => {
    const vault = await newVault();
    await admin("POST", "vaults", { vault_id: vault });
    const named = await admin("PATCH", `vaults/${vault}`, { name: "Another", curator: "" });
    expect(named.body).toMatchObject({
      status: "candidate",
      status_by: "proof",
      name: "Another",
      proof: null,
    });
    expect((await admin("PATCH", `vaults/${vault}`, { state: "active" })).body).toMatchObject({
      ...{ status: "active", status_by: "admin" },
      proof: { ok: true },
    });
    expect((await admin("PATCH", `vaults/${vault}`, { status: "paused", reason: "x" })).body).toMatchObject({
      ...{ status: "paused", status_reason: "x", status_by: "admin" },
    });
    expect((await admin("PATCH", `vaults/${vault}`, { state: "paused", status: "active" })).status).toBe(422);
    expect((await admin("PATCH", `vaults/${vault}`, {})).status).toBe(422);
    expect((await admin("PATCH", `vaults/${vault}`, { state: "candidate" })).body).toMatchObject({
      ...{ status: "active", status_by: "proof" },
    });
  });
});

test("a single claim that the chain contradicts is refused with the finding, and not stored", async () => {
  const vault = await newVault();
  const other = `0x${"12".repeat(20)}`;
  for (const claim of [{ asset: other }, { share_token: other }, { adapter: "euler" }]) {
    const refused = await admin("POST", "vaults", { vault_id: vault, ...claim });
    const detail = [{ loc: ["body", "vault_id"], type: "claim_contradicted" }];
    expect(refused, JSON.stringify(claim)).toMatchObject({ status: 422, body: { detail } });
  }
  expect((await admin("POST", `vaults/${vault}/prove`)).status).toBe(404);
});
