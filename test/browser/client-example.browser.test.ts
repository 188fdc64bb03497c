import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { parseUnits } from "viem";
import { build, type Rolldown } from "vite";
import { afterAll, beforeAll, expect } from "vitest";
import { matrixTest, PAGE_TIMEOUT_MS, startBrowser, usual } from "../support/browser/console-browser.ts";
import { type HostSite, serveSite } from "../support/browser/host-page.ts";
import { announceWallet } from "../support/browser/page-wallet.ts";
import { sharesOf } from "../support/browser/shares-of.ts";
import { exampleOnStack } from "../support/client/printed-example.ts";
import { chainIds, chainOf, newUser, tokenOn, vaultNamed } from "../support/e2e/chain.ts";

const VAULT = "Plain USDC";
const one = chainOf(chainIds.one);
const client = join(process.cwd(), "src/client");
const folder = join(process.cwd(), ".cache/client-in-browser");
let browser: Browser;
let site: HostSite | null = null;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
  await site?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Bundles the README's example as a website does, and returns the script. */
async function bundleExample(): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const [input, entry] = [join(folder, "example.ts"), join(folder, "causeway-client.ts")];
  const vaultId = vaultNamed(VAULT).vault_id;
  writeFileSync(input, exampleOnStack({ chainId: one.chainId, token: tokenOn(one, "USDC"), vaultId }));
  writeFileSync(
    entry,
    ["causeway-client.ts", "operations/deposit-operations.ts"]
      .map((name) => `export * from "${client}/${name}";\n`)
      .join(""),
  );
  const built = (await build({
    ...{ configFile: false, root: folder, logLevel: "error" },
    resolve: { alias: { "causeway-client": entry } },
    build: { write: false, target: "es2023", rolldownOptions: { input, output: { codeSplitting: false } } },
  })) as Rolldown.RolldownOutput;
  return built.output[0].code;
}

matrixTest("the README's example deposits from a website with the visitor's wallet", async () => {
  const script = await bundleExample();
  const wallet = "<script>window.ethereum = window.testWallet.provider;</script>";
  site = await serveSite(
    `<!doctype html><title>A dApp</title>${wallet}<script type="module">${script}</script>`,
  );
  const user = await newUser(one, { USDC: parseUnits("25", 6) });
  const context = await browser.newContext(usual);
  context.setDefaultTimeout(PAGE_TIMEOUT_MS);
  const page = await context.newPage();
  const { asked } = await announceWallet(page, { user, chainId: chainIds.one });
  const printed: string[] = [];
  page.on("console", (message) => printed.push(message.text()));
  await page.goto(site.origin);
  await expect.poll(() => printed.some((line) => line.startsWith("completed"))).toBe(true);
  expect(asked()).toEqual(["eth_sendTransaction", "eth_sendTransaction"]);
  expect(await sharesOf(VAULT, user.address)).toBeGreaterThan(0n);
});
