import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  contractsOf,
  deploy,
  type ScratchChain,
  startScratchChain,
} from "../../scripts/stack/chains/scratch-chain.ts";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import { vaults } from "../../src/db/tables/vault-tables.ts";
import { apply, asAdmin, call, decide, makePartner, newWallet } from "../support/partners/wallet.ts";

const CHAIN = 31337;
let causeway: TestDeployment;
let chain: ScratchChain;
let vaultId: string;

beforeAll(async () => {
  [causeway, chain] = await Promise.all([startTestDeployment({ chainIds: [CHAIN] }), startScratchChain()]);
  await causeway.connectChain(CHAIN, String(chain.node.transport["url"]));
  const contracts = contractsOf("test/support/solidity/SimulationTargets.sol");
  const asset = await deploy(chain, contracts("Asset").creationCode);
  const argument = asset.slice(2).padStart(64, "0");
  vaultId = `${CHAIN}:${await deploy(chain, `${contracts("Vault").creationCode}${argument}`)}`;
});
afterAll(() => Promise.all([causeway?.close(), chain?.stop()]));

type Rows = Record<string, unknown>[];
const admin = (method: string, path: string, body?: unknown) =>
  call(causeway, [method, `/v1/admin/${path}`], {
    headers: asAdmin,
    ...(body === undefined ? {} : { body }),
  });
const auditOf = async (subject: string): Promise<Rows> =>
  (await admin("GET", `audit?subject=${encodeURIComponent(subject)}`)).body["rows"] as Rows;

const STEPS = ["approve", "reject", "revoke", "reopen"] as const;

describe("application decisions", () => {
  test("change the status exactly as the table of decisions says", async () => {
    const way = { pending: [], approved: ["approve"], rejected: ["reject"], revoked: ["approve", "revoke"] };
    const outcomes: Record<string, string[]> = {};
    for (const [state, steps] of Object.entries(way)) {
      for (const step of STEPS) {
        const id = (await apply(causeway, newWallet())).body["application_id"];
        for (const before of steps) await decide(causeway, before, id);
        const { status, body } = await decide(causeway, step, id);
        outcomes[state] = [
          ...(outcomes[state] ?? []),
          `${step}: ${status} ${body["code"] ?? body["status"]}`,
        ];
      }
    }
    expect(outcomes).toEqual({
      pending: [
        "approve: 200 approved",
        "reject: 200 rejected",
        "revoke: 403 application_pending",
        "reopen: 403 application_pending",
      ],
      approved: [
        "approve: 409 application_exists",
        "reject: 409 application_exists",
        "revoke: 200 revoked",
        "reopen: 409 application_exists",
      ],
      rejected: [
        "approve: 403 application_rejected",
        "reject: 403 application_rejected",
        "revoke: 403 application_rejected",
        "reopen: 200 pending",
      ],
      revoked: [
        "approve: 403 application_revoked",
        "reject: 403 application_revoked",
        "revoke: 403 application_revoked",
        "reopen: 200 pending",
      ],
    });
  });

  test("answer 404 for an unknown application", async () => {
    const answer = await decide(causeway, "approve", "app_none");
    expect(answer).toMatchObject({ status: 404, body: { code: "application_not_found" } });
  });

  test("succeed once with one audit entry among concurrent requests", async () => {
    const id = (await apply(causeway, newWallet())).body["application_id"];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => decide(causeway, i % 2 === 0 ? "approve" : "reject", id)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await auditOf(String(id))).toHaveLength(1);
  });

  test("are listed by status, newest first, with pagination", async () => {
    const ids = [];
    for (let i = 0; i < 5; i += 1) ids.push((await apply(causeway, newWallet())).body["application_id"]);
    for (const id of ids.slice(0, 3)) await decide(causeway, "reject", id);
    const { body } = await admin("GET", "applications?status=rejected&limit=3");
    const rows = body["rows"] as Rows;
    expect(rows.map((row) => row["application_id"])).toEqual(ids.slice(0, 3).reverse());
    expect(rows[0]).toEqual({
      application_id: ids[2],
      address: expect.any(String),
      status: "rejected",
      form: { company: "Wallet Company", email: "team@wallet.example", website: "https://wallet.example" },
      note: "reject it",
      created_at: expect.any(String),
      decided_at: expect.any(String),
    });
    const first = await causeway.send("/v1/admin/applications?status=pending&limit=1", { headers: asAdmin });
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    expect(next).toContain("status=pending");
    const second = (await call(causeway, ["GET", next], { headers: asAdmin })).body["rows"] as Rows;
    const [head] = (await first.json()) as Rows;
    expect([head?.["application_id"], second[0]?.["application_id"]]).toEqual([ids[4], ids[3]]);
  });
});

describe("registry vaults", () => {
  test("are added as candidates, activated by derivation, paused and removed", async () => {
    const listed = async () => {
      const { body } = await call(causeway.isolate(), ["GET", "/v1/vaults"]);
      return (body["rows"] as Rows).map((row) => row["vault_id"]);
    };
    const added = await admin("POST", "vaults", { vault_id: vaultId, curator: "Someone" });
    const address = vaultId.split(":")[1];
    expect(added).toMatchObject({
      status: 201,
      body: {
        vault_id: vaultId,
        status: "candidate",
        status_reason: "not proven yet",
        curator: "Someone",
        asset: { symbol: "AST", decimals: 6 },
      },
    });
    for (const role of ["share_token", "entry_point", "spender", "pricer"])
      expect(String(added.body[role]).toLowerCase()).toBe(address);
    expect(await listed()).toEqual([]);
    const change = (status: string, reason = "") => admin("PATCH", `vaults/${vaultId}`, { status, reason });
    expect(await change("active")).toMatchObject({ status: 200, body: { status: "active" } });
    expect(await listed()).toEqual([vaultId]);
    const before = causeway.purged.length;
    expect(await change("paused", "an incident")).toMatchObject({ body: { status_reason: "an incident" } });
    // What the platform's cache holds of the vault goes too.
    expect(causeway.purged.slice(before)).toEqual([["vaults", "tokens", `vault:${vaultId.toLowerCase()}`]]);
    expect(await change("unsupported", "gone")).toMatchObject({ status: 200 });
    expect(await listed()).toEqual([]);
    expect(
      (await auditOf(vaultId))
        .reverse()
        .map(({ action, note, before, after }) => [action, note, before, after]),
    ).toEqual([
      ["vault.add", "", null, { status: "candidate", adapter: "erc4626" }],
      ["vault.change", "", { status: "candidate" }, { status: "active", reason: "" }],
      ["vault.change", "an incident", { status: "active" }, { status: "paused", reason: "an incident" }],
      ["vault.change", "gone", { status: "paused" }, { status: "unsupported", reason: "gone" }],
    ]);
  });

  test("stay unchanged, without an audit entry, when added twice", async () => {
    const before = (await auditOf(vaultId)).length;
    const again = await admin("POST", "vaults", { vault_id: vaultId, name: "Another" });
    expect(again.status).toBe(200);
    expect(again.body["name"]).not.toBe("Another");
    expect((await auditOf(vaultId)).length).toBe(before);
  });

  test.each([
    ["is not a vault", `${CHAIN}:0x${"12".repeat(20)}`, {}, "the contract is not an ERC-4626 vault"],
    [
      "is not of its adapter's family",
      `${CHAIN}:0x${"34".repeat(20)}`,
      { adapter: "metamorpho" },
      "the contract is not a vault of MetaMorpho: its own view does not answer",
    ],
    [
      "has an unknown adapter",
      `${CHAIN}:0x${"35".repeat(20)}`,
      { adapter: "constructor" },
      "no adapter for vaults of type constructor",
    ],
  ])("are not added when the contract %s", async (_what, id, extra, reason) => {
    const added = await admin("POST", "vaults", { vault_id: id, ...extra });
    const msg = expect.stringContaining(reason);
    const detail = [{ loc: ["body", "vault_id"], msg, type: "claim_contradicted" }];
    expect(added).toMatchObject({ status: 422, body: { detail } });
    const { body } = await admin("GET", "vaults");
    expect((body["rows"] as Rows).map((one) => one["vault_id"])).not.toContain(id);
  });

  test("are not opened, and keep their entry, when the chain contradicts the change", async () => {
    const before = (await auditOf(vaultId)).length;
    for (const adapter of ["metamorpho", "constructor"]) {
      const changed = await admin("PATCH", `vaults/${vaultId}`, { adapter });
      expect(changed).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "adapter"] }] } });
    }
    expect((await auditOf(vaultId)).length).toBe(before);
  });

  test("take no addresses from the input", async () => {
    for (const field of ["entry_point", "spender", "pricer", "status_by", "proof"]) {
      const body = { vault_id: `${CHAIN}:0x${"56".repeat(20)}`, [field]: `0x${"78".repeat(20)}` };
      expect((await admin("POST", "vaults", body)).status).toBe(422);
      expect((await admin("PATCH", `vaults/${vaultId}`, { status: "paused", [field]: "x" })).status).toBe(
        422,
      );
    }
  });

  test("are refused on an unsupported chain; an unknown vault is 404", async () => {
    const id = `10:0x${"12".repeat(20)}`;
    expect(await admin("POST", "vaults", { vault_id: id })).toMatchObject({
      status: 400,
      body: { code: "chain_unsupported" },
    });
    expect(await admin("PATCH", `vaults/${id}`, { status: "paused" })).toMatchObject({ status: 404 });
    // Seeded, by a release that served it.
    const address = `0x${"12".repeat(20)}`;
    const [row] = await causeway.db.select().from(vaults).limit(1);
    if (row === undefined) throw new Error("there is no vault");
    await causeway.db.insert(vaults).values({ ...row, chainId: 10, address, status: "unsupported" });
    expect(await admin("PATCH", `vaults/${id}`, { status: "active" })).toMatchObject({
      status: 400,
      body: { code: "chain_unsupported", detail: "chain 10 is not served" },
    });
  });

  test("keep their addresses while the chain does not respond", async () => {
    await fetch(`${causeway.hub.rpc[CHAIN]}/__control`, {
      method: "POST",
      body: JSON.stringify({ faults: [{ kind: "status", status: 500 }] }),
    });
    try {
      const id = `${CHAIN}:0x${"9a".repeat(20)}`;
      const added = await admin("POST", "vaults", { vault_id: id });
      expect(added).toMatchObject({ status: 201, body: { status_reason: "the chain did not respond" } });
      const changed = await admin("PATCH", `vaults/${vaultId}`, { status: "active" });
      expect(changed).toMatchObject({ status: 502, body: { code: "upstream_unavailable" } });
    } finally {
      await fetch(`${causeway.hub.rpc[CHAIN]}/__control`, { method: "DELETE" });
    }
    expect(await admin("PATCH", `vaults/${vaultId}`, { status: "active" })).toMatchObject({ status: 200 });
  });

  test("apply concurrent changes one after another, each with an audit entry", async () => {
    const statuses = ["active", "paused", "unsupported"];
    const statusNow = async () =>
      ((await admin("GET", "vaults")).body["rows"] as Rows).find((row) => row["vault_id"] === vaultId)?.[
        "status"
      ];
    const [start, before] = [await statusNow(), (await auditOf(vaultId)).length];
    const answers = await Promise.all(
      Array.from({ length: 9 }, (_, i) => admin("PATCH", `vaults/${vaultId}`, { status: statuses[i % 3] })),
    );
    const done = answers.filter(({ status }) => status === 200).length;
    expect(done).toBeGreaterThan(2);
    for (const { status, body } of answers)
      expect(status === 200 || body["code"] === "store_unavailable").toBe(true);
    const rows = (await auditOf(vaultId)).slice(0, (await auditOf(vaultId)).length - before);
    expect(rows).toHaveLength(done);
    const end = await statusNow();
    // One path from start to end: each status is entered as often as it is left, but for its two ends.
    for (const status of statuses) {
      const passed = (member: "before" | "after") =>
        rows.filter((row) => (row[member] as Rows[number])["status"] === status).length;
      expect(passed("after") - passed("before")).toBe(Number(end === status) - Number(start === status));
    }
  });
});

describe("the audit log", () => {
  test("has an entry with actor and reason for every change of a partner", async () => {
    const { applicationId, address, partner_id } = await makePartner(causeway);
    await decide(causeway, "revoke", applicationId);
    expect(await auditOf(applicationId)).toEqual([
      {
        id: expect.stringMatching(/^aud_[0-9a-f]{32}$/),
        at: expect.stringMatching(/Z$/),
        actor: "admin",
        action: "application.revoke",
        subject: applicationId,
        note: "revoke it",
        before: { status: "approved" },
        after: { status: "revoked" },
        request_id: expect.any(String),
      },
      expect.objectContaining({ action: "application.approve", before: { status: "pending" } }),
    ]);
    const lower = address.toLowerCase();
    expect(await auditOf(lower)).toMatchObject([
      { action: "partner.register", actor: lower, after: { partner_id } },
    ]);
  });

  test("is append-only", async () => {
    for (const statement of ["update audit set note = 'x'", "delete from audit"])
      await expect(causeway.db.execute(statement)).rejects.toThrow();
    expect((await admin("GET", "audit")).status).toBe(200);
  });

  test("is atomic with the change: without an entry there is no change", async () => {
    const id = (await apply(causeway, newWallet())).body["application_id"];
    await causeway.db.execute(
      "alter table audit add constraint test_full check (action <> 'application.approve') not valid",
    );
    try {
      expect((await decide(causeway, "approve", id)).status).toBe(500);
    } finally {
      await causeway.db.execute("alter table audit drop constraint test_full");
    }
    const { body } = await admin("GET", `applications?status=pending&limit=1`);
    expect((body["rows"] as Rows)[0]).toMatchObject({ application_id: id, status: "pending" });
  });
});
