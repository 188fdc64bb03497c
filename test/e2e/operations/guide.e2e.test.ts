import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, inject, test } from "vitest";
import { z } from "zod";
import { sendRequest } from "../../../scripts/smoke/http-request.ts";
import { Api } from "../../support/e2e/api.ts";
import { chainIds, chainOf, newUser, tokenOn, vaultNamed } from "../../support/e2e/chain.ts";
import { type Block, blocksOf, missingFrom } from "../../support/e2e/guide-blocks.ts";

const run = promisify(execFile);
/** Ends a program that waits for ever. */
const PATIENCE_MS = 120_000;
const GUIDE = "src/openapi/guide";
const pages = readdirSync(GUIDE).filter((name) => name.endsWith(".md"));
const chain = chainOf(chainIds.one);
const vault = vaultNamed("Local Prime USDC");
// Inside the repository, so that the examples find viem.
mkdirSync(".cache", { recursive: true });
const folder = mkdtempSync(join(".cache", "guide-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Puts the stack's addresses in place of those of the examples. */
function local(text: string): string {
  return text
    .replaceAll("https://causeway.example", inject("stack").api)
    .replaceAll('{ 8453: "https://mainnet.base.org" }', `{ 31337: "${chain.rpcUrl}" }`)
    .replaceAll("8453:0xbeef010f9cb27031ad51e3333f9af9c6b1228183", vault.vault_id)
    .replaceAll("0xbeef010f9cb27031ad51e3333f9af9c6b1228183", vault.share_token)
    .replaceAll("8453:0xc1256ae5ff1cf2719d4937adb3bbccab2e00a2ca", vaultNamed("Plain USDC").vault_id)
    .replaceAll("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", tokenOn(chain, "USDC"))
    .replaceAll(/\b8453\b/g, String(chain.chainId));
}

/** Runs a shell example and returns its output. */
const shell = async (text: string): Promise<string> => (await run("bash", ["-c", local(text)])).stdout;

/** Returns the TypeScript examples of a page. */
const typescript = (page: string): Block[] =>
  blocksOf(readFileSync(join(GUIDE, page), "utf8")).filter(({ language }) => language === "ts");

/** Runs the program that the TypeScript examples of a page make together, as a user who holds USDC. */
async function program(page: string, key?: string): Promise<string> {
  const privateKey = key ?? (await newUser(chain, { USDC: 100_000_000n })).privateKey;
  const file = join(folder, page.replace(".md", ".mts"));
  writeFileSync(
    file,
    typescript(page)
      .map(({ text }) => local(text))
      .join("\n"),
  );
  const env = { ...process.env, PRIVATE_KEY: privateKey };
  return (await run(process.execPath, [file], { env, timeout: PATIENCE_MS })).stdout;
}

/** Makes the deposit of getting started, once, from the account whose position that page reads. */
let deposited: Promise<string> | null = null;
function gettingStarted(): Promise<string> {
  deposited ??= program("getting-started.md", inject("stack").accounts[1]?.private_key);
  return deposited;
}

/** Approves the partner application that an example sends, as the operator does. */
async function approveNext(signal: AbortSignal): Promise<void> {
  const { api, admin_token: token } = inject("stack");
  const headers = { authorization: `Bearer ${token}` };
  while (!signal.aborted) {
    const { json } = await sendRequest(`${api}/v1/admin/applications?status=pending`, { headers });
    const Listed = z.array(z.object({ application_id: z.string(), form: z.object({ company: z.string() }) }));
    const found = Listed.parse(json).find(({ form }) => form.company === "Example Wallet Ltd");
    if (found !== undefined) {
      const url = `${api}/v1/admin/applications/${found.application_id}/approve`;
      expect((await sendRequest(url, { headers, body: {} })).status).toBe(200);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

describe.each(pages)("the guide's %s", (page) => {
  const blocks = blocksOf(readFileSync(join(GUIDE, page), "utf8"));

  test("has runnable examples only, and answers after requests", () => {
    for (const [index, { language }] of blocks.entries()) {
      expect(["sh", "ts", "json", "html"]).toContain(language);
      if (language === "json") expect(blocks[index - 1]?.language, "the block before an answer").toBe("sh");
    }
  });

  test.each(
    blocks.flatMap((block, index) => (block.language === "sh" ? [[block.text, index] as const] : [])),
  )("%s", async (text, index) => {
    const answer = blocks[index + 1]?.language === "json" ? blocks[index + 1] : undefined;
    // These examples speak of an account that has made the deposit.
    if (/\/v1\/(positions|actions|withdraw)\/|\/v1\/quote /.test(text)) await gettingStarted();
    const printed = await shell(text);
    if (answer === undefined) expect(printed).toMatch(/^HTTP\/1.1 200/);
    else expect(missingFrom(JSON.parse(printed), JSON.parse(local(answer.text)))).toEqual([]);
  });
});

describe("programs of the guide", () => {
  test("every page with TypeScript is run below", () => {
    const found = pages.filter((page) => typescript(page).length > 0);
    expect(found.sort()).toEqual(["getting-started.md", "partners.md", "production.md"]);
  });

  test("getting started: the loop over steps deposits", async () => {
    const printed = await gettingStarted();
    expect(printed).toMatch(/^Approve 25 USDC\nDeposit 25 USDC\ncompleted \d+\n$/);
  });

  test("partners: application, registration, keys, attribution, figures", async () => {
    const ended = new AbortController();
    const approved = approveNext(ended.signal);
    try {
      const printed = await program("partners.md");
      expect(printed).toMatch(/^app_\w+ pending\ncw_live_.+\n2 pairs\ntrk_\w+\nExample Wallet \d+ \d+\n$/);
    } finally {
      ended.abort();
      await approved;
    }
  });

  test("production: a repeated build gives the same deposit", async () => {
    expect(await program("production.md")).toBe("true true\n");
  });
});

test("getting started names the local stack's values for those of the examples", () => {
  const text = readFileSync(join(GUIDE, "getting-started.md"), "utf8");
  const rows = [...text.matchAll(/^\| [^|]*`([^`]+)` +\| `([^`]+)` +\|$/gm)];
  expect(rows).toHaveLength(4);
  for (const [, example = "", here] of rows) expect(local(example)).toBe(here);
  expect(text).toContain(inject("stack").accounts[1]?.address);
});

describe("the guide's pages", () => {
  const api = new Api();
  const paths = [
    "/docs/guide",
    ...["deposits", "withdrawals", "partners", "production", "changelog"].map(
      (name) => `/docs/guide/${name}`,
    ),
  ];

  test.each(paths)("%s is served with a strict policy, its own URL and working links", async (path) => {
    const page = await api.send(path);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
    expect(page.text).not.toMatch(/<script|style="|causeway\.example/);
    const links = [...page.text.matchAll(/href="(\/[^"#]*)(?:#([^"]*))?"/g)];
    expect(links.length).toBeGreaterThan(8);
    for (const [, link = ""] of links) expect((await api.send(link)).status, link).toBe(200);
  });

  test("an unknown page is not found", async () => {
    expect((await api.send("/docs/guide/nothing")).status).toBe(404);
    expect((await api.send("/docs-pages.json")).status).toBe(404);
  });
});
