import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parseActions, unlistActions } from "../../../scripts/admin.ts";
import { readSeedFile } from "../../../scripts/db/seed.ts";
import { readPublishedRows, readVaultList } from "../../../scripts/registry/vault-list.ts";
import { knownChains } from "../../../src/chains/chain-definitions.ts";
import { formatVaultId } from "../../../src/lib/vault-id.ts";
import { findFamily } from "../../../src/vaults/families/vault-families.ts";
import { serve } from "../../support/local-server.ts";

const folder = mkdtempSync(join(tmpdir(), "causeway-list-"));
afterAll(() => rmSync(folder, { recursive: true }));
const columns = ["chain_id", "address", "asset", "share_token", "protocol"];
const hex = (n: number): string => `0x${n.toString(16).padStart(40, "0")}`;

function fileOf(rows: unknown[], name = "a-list"): string {
  const file = join(folder, `${crypto.randomUUID()}.json`);
  writeFileSync(file, JSON.stringify({ name, columns, rows }));
  return file;
}

describe("readVaultList()", () => {
  test("claims each vault once, without rows that are no vaults or of unknown chains", () => {
    const { name, claims } = readVaultList(
      fileOf([
        [1, hex(0xabc).toUpperCase().replace("0X", "0x"), hex(2), hex(3), "yearn"],
        [1, hex(0xabc), hex(9), null, "euler"],
        [8453, hex(0xabc), null, null, "yo-protocol"],
        [1, hex(5), hex(2), hex(5), "aave"],
        [424242, hex(6), hex(2), hex(6), "euler"],
      ]),
    );
    expect(name).toBe("a-list");
    const none = { params: {}, acceptedAssets: [], curator: "" };
    expect(claims).toEqual([
      {
        ...{ ...none, chainId: 1, address: hex(0xabc), asset: hex(2), shareToken: hex(3) },
        ...{ adapter: "yearn_v3", name: "Yearn vault" },
      },
      {
        ...{ ...none, chainId: 8453, address: hex(0xabc), asset: null, shareToken: null },
        ...{ adapter: "erc4626", name: "Yo vault" },
      },
    ]);
  });

  test("refuses a file of another shape", () => {
    expect(() => readVaultList(fileOf([[1, "0x12", null, null, "x"]]))).toThrow();
    const file = join(folder, "other.json");
    writeFileSync(file, JSON.stringify({ columns: ["address"], rows: [] }));
    expect(() => readVaultList(file)).toThrow();
  });
});

test("the public list of the repository has each vault of known chains once, as candidates that name it", () => {
  const rows = readPublishedRows();
  expect(rows.length).toBeGreaterThan(1_400);
  expect(new Set(rows.map(formatVaultId)).size).toBe(rows.length);
  const chains = new Set(knownChains.map(({ chainId }) => chainId));
  for (const row of rows) {
    expect([row.status, row.wasActive, row.namedBy]).toEqual(["candidate", false, ["list:published-vaults"]]);
    expect(row.provenance).toEqual({ source: "list", detail: "published-vaults" });
    expect(chains.has(row.chainId) && findFamily(row.adapter) !== null, formatVaultId(row)).toBe(true);
  }
  const reviewed = new Set(readSeedFile().map(formatVaultId));
  expect(rows.filter((row) => reviewed.has(formatVaultId(row))).length).toBeGreaterThan(50);
});

test("npm run admin -- import-vaults sends a list in requests of 500", () => {
  const file = fileOf(Array.from({ length: 1_201 }, (_, n) => [1, hex(n + 1), null, null, "morpho"]));
  const actions = parseActions(["import-vaults", file, "--list", "mine"]) ?? [];
  const sent = actions.map(({ body = {} }) => [body["list"], (body["vaults"] as unknown[]).length]);
  expect(sent).toEqual([500, 500, 201].map((size) => ["mine", size]));
});

describe("unlistActions()", () => {
  /** A deployment whose registry has these vaults of chain 1, named by these lists. */
  const deploymentOf = async (vaults: readonly (readonly [number, readonly string[]])[]) => {
    const rows = vaults.map(([n, named_by]) => ({ vault_id: `1:${hex(n)}`, named_by }));
    const { url } = await serve((_request, response) => response.end(JSON.stringify(rows)));
    return { url, token: "token" };
  };
  const edition = (numbers: readonly number[]) => [
    "import-vaults",
    fileOf(
      numbers.map((n) => [1, hex(n), null, null, "euler"]),
      "mine",
    ),
  ];

  test("names the vaults of the list that the file lacks, at most 500 in a request", async () => {
    const all = Array.from({ length: 503 }, (_, n) => [n + 0xab00, ["list:mine"]] as const);
    const target = await deploymentOf([...all, [1, ["list:other"]]]);
    const [first] = all;
    if (first === undefined) throw new RangeError("no vault");
    const actions = await unlistActions(target, [...edition([first[0]]), "--shrunk"]);
    expect(actions.map(({ path, body }) => [path, body?.["list"]])).toEqual([
      ["vaults", "mine"],
      ["vaults", "mine"],
    ]);
    const unlisted = actions.flatMap(({ body }) => body?.["unlisted"] as string[]);
    expect(unlisted).toEqual(all.slice(1).map(([n]) => `1:${hex(n)}`));
  });

  test("asks before more than a tenth of the list loses its name", async () => {
    const numbers = Array.from({ length: 20 }, (_, n) => n + 1);
    const target = await deploymentOf(numbers.map((n) => [n, ["list:mine"]]));
    expect((await unlistActions(target, edition(numbers.slice(2)))).length).toBe(1);
    await expect(unlistActions(target, edition(numbers.slice(3)))).rejects.toThrow(
      "the file lacks 3 of the 20 vaults that the list mine names",
    );
  });

  test("names none for a full edition, for a file without vaults, and for other commands", async () => {
    const target = await deploymentOf([[7, ["list:mine"]]]);
    expect(await unlistActions(target, edition([7, 8]))).toEqual([]);
    expect(await unlistActions(target, edition([]))).toEqual([]);
    expect(await unlistActions(target, ["vaults"])).toEqual([]);
  });
});
