import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { eq } from "drizzle-orm";
import {
  type Abi,
  type Address,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  type Hex,
  zeroAddress,
} from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  vedaAccountantAbi,
  vedaAccountantCreationCode,
  vedaTellerBCreationCode,
  vedaTellerCAbi,
  vedaVaultAbi,
  vedaVaultCreationCode,
} from "#stand-ins/veda";
import { SeedRow } from "../../scripts/db/seed-row.ts";
import { compareRouter, openChain } from "../../scripts/registry/registry-chain.ts";
import { formatReport } from "../../scripts/registry/report-table.ts";
import { databaseStore, fileStore, type RowStore } from "../../scripts/registry/row-store.ts";
import { checkRegistry } from "../../scripts/registry-check.ts";
import {
  contractsOf,
  deploy,
  type ScratchChain,
  send,
  startScratchChain,
} from "../../scripts/stack/chains/scratch-chain.ts";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import type { ChainClient } from "../../src/chains/chain-client.ts";
import { audit } from "../../src/db/tables/partner-tables.ts";
import { vaults } from "../../src/db/tables/vault-tables.ts";
import { deployTransaction, depositRouterAddress } from "../../src/router/router-address.ts";

const execute = promisify(execFile);
const TOOL = join(import.meta.dirname, "../../scripts/registry-check.ts");
const CHAIN = 31337;
const EOA: Address = "0x00000000000000000000000000000000000A11cE";
const IMPLEMENTATION_SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
const contracts = contractsOf("test/support/solidity/LyingVaults.sol");
let chain: ScratchChain;
let causeway: TestDeployment;
let client: ChainClient;
let store: RowStore;
let token: Address;

const create = async (code: { abi: Abi; bytecode: Hex; args: readonly unknown[] }): Promise<Address> =>
  getAddress(await deploy(chain, encodeDeployData(code)));
const put = (name: string, ...args: unknown[]): Promise<Address> => {
  const { abi, creationCode } = contracts(name);
  return create({ abi: abi as Abi, bytecode: creationCode as Hex, args });
};
const lower = (address: Address): string => address.toLowerCase();

beforeAll(async () => {
  [chain, causeway] = await Promise.all([startScratchChain(), startTestDeployment({ chainIds: [CHAIN] })]);
  client = await openChain(CHAIN, String(chain.node.transport["url"]));
  token = await put("SaidToken", "TOK", 6);
  const { host } = new URL(causeway.hub.neon);
  const databaseUrl = `postgresql://causeway:causeway@${host}/causeway`;
  store = databaseStore({ databaseUrl, endpoint: `${causeway.hub.neon}/sql` });
});
afterAll(() => Promise.all([chain?.stop(), causeway?.close()]));
beforeEach(async () => {
  await causeway.db.delete(vaults);
});

/** A row of a vault that is its own entry point, spender, share token and pricer, as an ERC-4626 vault is. */
function rowOf(vault: Address, change: Partial<SeedRow> = {}): SeedRow {
  const address = lower(vault);
  return SeedRow.parse({
    ...{ chainId: CHAIN, address, type: "custom", adapter: "erc4626", name: "A vault", status: "active" },
    ...{ assetAddress: lower(token), assetSymbol: "TOK", assetDecimals: 6, shareDecimals: 18 },
    ...{ shareToken: address, entryPoint: address, spender: address, pricer: address },
    acceptedAssets: [{ address: token, symbol: "TOK", decimals: 6 }],
    ...change,
  });
}
const unsupported = { status: "unsupported", statusReason: "not checked" } as const;

async function check(rows: readonly SeedRow[], write = false) {
  await causeway.db.insert(vaults).values([...rows]);
  const report = await checkRegistry(client, { store, vault: null, write });
  const [checked] = report.checked;
  return { report, verdict: checked?.verdict, detail: checked?.detail };
}
const storedOf = async (vault: Address) =>
  (
    await causeway.db
      .select()
      .from(vaults)
      .where(eq(vaults.address, lower(vault)))
  )[0];
const honest = () => put("SaidVault", token, zeroAddress, true);

/** Deploys Veda's vault, accountant and a teller that is its transfer hook. */
async function veda() {
  const vaultCode = { abi: vedaVaultAbi, bytecode: vedaVaultCreationCode } as const;
  const vault = await create({ ...vaultCode, args: ["A vault", "V", 6] });
  const rates = { abi: vedaAccountantAbi, bytecode: vedaAccountantCreationCode } as const;
  const accountant = await create({ ...rates, args: [token, 1_000_000n] });
  const code = { abi: vedaTellerCAbi, bytecode: vedaTellerBCreationCode, args: [vault, accountant] } as const;
  const [teller, other] = [await create(code), await create(code)];
  for (const one of [teller, other]) {
    const args = [token, true, true, 0] as const;
    const data = encodeFunctionData({ abi: vedaTellerCAbi, functionName: "updateAssetData", args });
    await send(chain, { to: one, data });
  }
  const hook = { abi: vedaVaultAbi, functionName: "setBeforeTransferHook", args: [teller] } as const;
  await send(chain, { to: vault, data: encodeFunctionData(hook) });
  const row = rowOf(vault, {
    ...{ adapter: "veda", type: "veda", shareDecimals: 6, params: { teller: "b" } },
    ...{ entryPoint: lower(teller), pricer: lower(accountant) },
  });
  return { row, other, accountant };
}

describe("checkRegistry() on a supported row", () => {
  test("returns right when its contracts agree", async () => {
    expect(await check([rowOf(await honest()), (await veda()).row])).toMatchObject({
      verdict: "right",
      report: { router: "absent", submitted: [], checked: [{ verdict: "right" }, { verdict: "right" }] },
    });
  });

  const lies: readonly [string, () => Promise<SeedRow>, RegExp][] = [
    [
      "another asset",
      async () =>
        rowOf(await honest(), {
          assetAddress: lower(EOA),
          acceptedAssets: [{ address: EOA, symbol: "T", decimals: 6 }],
        }),
      /asset is 0x/,
    ],
    [
      "other decimals",
      async () => rowOf(await honest(), { shareDecimals: 6 }),
      /^share decimals is 18, not 6$/,
    ],
    [
      "another share token",
      async () => rowOf(await honest(), { shareToken: lower(token) }),
      /^share token is/,
    ],
    ["another spender", async () => rowOf(await honest(), { spender: lower(EOA) }), /^spender is/],
    ["an account for a vault", async () => rowOf(EOA), /no contract at its address/],
    ["a proxy without code behind it", bareProxy, /proxy to an address without code/],
    [
      "the family of another vault",
      async () => rowOf(await honest(), { adapter: "metamorpho", type: "morpho" }),
      /not a vault of MetaMorpho/,
    ],
    [
      "an adapter that nobody wrote",
      async () => ({ ...rowOf(await honest()), adapter: "wishful" }),
      /no adapter/,
    ],
    [
      "a token that is not taken",
      async () =>
        rowOf(await honest(), {
          acceptedAssets: [
            { address: token, symbol: "TOK", decimals: 6 },
            { address: EOA, symbol: "EVIL", decimals: 6 },
          ],
        }),
      /^EVIL is not taken$/,
    ],
    ["a teller that is not hooked", async () => swapped("entryPoint"), /^entry point is/],
    ["another accountant", async () => swapped("pricer"), /^pricer is/],
    [
      "another teller's generation",
      async () => ({ ...(await veda()).row, params: { teller: "d" } }),
      /^teller is b, not d$/,
    ],
  ];
  test.each(lies)("returns wrong for %s, and changes nothing", async (_name, make, detail) => {
    const row = await make();
    const { report, ...checked } = await check([row], true);
    expect(checked).toEqual({ verdict: "wrong", detail: expect.stringMatching(detail) });
    expect(report.submitted).toEqual([]);
    expect(await storedOf(row.address as Address)).toMatchObject({ status: "active", spender: row.spender });
  });

  async function bareProxy(): Promise<SeedRow> {
    const address = await put("YesToAll");
    const value: Hex = `0x${EOA.slice(2).toLowerCase().padStart(64, "0")}`;
    await chain.node.setStorageAt({ address, index: IMPLEMENTATION_SLOT, value });
    return rowOf(address);
  }
  async function swapped(column: "entryPoint" | "pricer"): Promise<SeedRow> {
    const { row, other } = await veda();
    return { ...row, [column]: lower(other) };
  }
});

describe("checkRegistry() on an unsupported row", () => {
  test("derives it, and makes it a candidate whose proof is due, only with write", async () => {
    const vault = await honest();
    const row = rowOf(vault, {
      ...unsupported,
      assetAddress: lower(zeroAddress),
      acceptedAssets: [],
      spender: lower(EOA),
    });
    expect(await check([row])).toMatchObject({ verdict: "derived", report: { submitted: [] } });
    expect(await storedOf(vault)).toMatchObject({ status: "unsupported" });
    const report = await checkRegistry(client, { store, vault, write: true });
    expect(report.submitted).toEqual([lower(vault)]);
    expect(await storedOf(vault)).toMatchObject({
      ...{ status: "candidate", statusBy: "proof", statusReason: "", wasActive: false },
      ...{ spender: lower(vault), assetAddress: lower(token) },
      acceptedAssets: [{ address: token, symbol: "TOK", decimals: 6 }],
    });
    const subject = `${CHAIN}:${lower(vault)}`;
    const [noted] = await causeway.db.select().from(audit).where(eq(audit.subject, subject));
    expect(noted).toMatchObject({ actor: "registry:check", action: "vault.check" });
  });

  test("stores the adapter and type of the detected family", async () => {
    const vault = await put("SaidMorpho", token);
    await check([rowOf(vault, unsupported)], true);
    expect(await storedOf(vault)).toMatchObject({
      ...{ status: "candidate", adapter: "metamorpho", type: "morpho" },
    });
  });

  test.each(["factory", "list"] as const)(
    "does not submit a vault of a %s, which nobody reviewed",
    async (source) => {
      const vault = await honest();
      const row = rowOf(vault, { status: "candidate", statusReason: "not admitted yet" });
      await causeway.db.insert(vaults).values({ ...row, provenance: { source, detail: "Scratch" } });
      const report = await checkRegistry(client, { store, vault, write: true });
      expect(report).toMatchObject({ submitted: [], checked: [{ verdict: "derived" }] });
      expect(await storedOf(vault)).toMatchObject({ status: "candidate" });
    },
  );

  test("does not submit a vault that an administrator disabled", async () => {
    const vault = await honest();
    await causeway.db.insert(audit).values({
      ...{ id: "aud_out", at: new Date(), actor: "admin", action: "vault.change", requestId: "r" },
      ...{ subject: `${CHAIN}:${lower(vault)}`, after: { status: "unsupported" } },
    });
    expect(await check([rowOf(vault, unsupported)], true)).toMatchObject({
      verdict: "derived",
      report: { submitted: [] },
    });
    expect(await storedOf(vault)).toMatchObject({ status: "unsupported" });
  });

  test("returns unknown for a vault without code", async () => {
    expect(await check([rowOf(EOA, unsupported)], true)).toMatchObject({ verdict: "unknown" });
  });
});

test("checkRegistry() submits nothing when other code is at the Router's address", async () => {
  const vault = await honest();
  await chain.node.setCode({ address: depositRouterAddress, bytecode: "0x6001" });
  const { report } = await check([rowOf(vault, unsupported)], true);
  expect(report).toMatchObject({ router: "differs", submitted: [], checked: [{ verdict: "derived" }] });
  expect(formatReport(report)).toContain("OTHER CODE");
  await chain.node.setCode({ address: depositRouterAddress, bytecode: "0x" });
  await send(chain, deployTransaction());
  expect(await compareRouter(client)).toBe("right");
});

test("checkRegistry() reads and writes a seed file, and the table lists contradictions first", async () => {
  const folder = mkdtempSync(join(tmpdir(), "causeway-registry-"));
  try {
    const file = join(folder, "vaults.json");
    const [good, fresh, bad] = [await honest(), await honest(), await honest()];
    const rows = [rowOf(good), rowOf(fresh, unsupported), rowOf(bad, { shareDecimals: 6 })];
    writeFileSync(file, JSON.stringify(rows));
    const report = await checkRegistry(client, { store: fileStore(file), vault: null, write: true });
    expect(report.submitted).toEqual([lower(fresh)]);
    const written = SeedRow.array().parse(JSON.parse(readFileSync(file, "utf8")));
    expect(written.map(({ status }) => status)).toEqual(["active", "candidate", "active"]);
    const lines = formatReport(report).split("\n");
    const vaultsOf = lines.filter((line) => line.includes("0x"));
    expect(vaultsOf.map((line) => line.split(" ")[0])).toEqual(["wrong", "submitted", "right"]);
    expect(lines[1]).toMatch(/^ +chain +share decimals is 18, not 6$/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("openChain() requires --rpc for an unknown chain and rejects a node of another chain", async () => {
  await expect(openChain(424_242, null)).rejects.toThrow("give a node with --rpc");
  const url = String(chain.node.transport["url"]);
  await expect(openChain(1, url)).rejects.toThrow(`the node of --rpc serves chain ${CHAIN}, not 1`);
  await expect(openChain(1, "http://127.0.0.1:9")).rejects.toThrow("the node of --rpc does not respond");
});

test("registry:check fails for a missing file and an unlisted vault", async () => {
  const rpc = ["--chain", String(CHAIN), "--rpc", String(chain.node.transport["url"])];
  const started = (...words: string[]) =>
    execute(process.execPath, [TOOL, ...rpc, ...words], { env: { ...process.env, DATABASE_URL: "" } });
  const absent = expect(started("--file", "/nowhere/rows.json")).rejects;
  const unlisted = expect(started("--vault", EOA)).rejects;
  await Promise.all([
    absent.toMatchObject({ code: 2, stderr: expect.stringContaining("there is no file /nowhere/rows.json") }),
    unlisted.toMatchObject({ code: 1, stderr: expect.stringContaining(`has no vault ${EOA}`) }),
  ]);
});
