import type { Browser, Frame, Page } from "playwright-core";
import { parseUnits } from "viem";
import { afterAll, afterEach, beforeAll, expect, inject, test } from "vitest";
import { matrixTest, PAGE_TIMEOUT_MS, startBrowser, usual } from "../support/browser/console-browser.ts";
import { examplePage, type HostSite, serveSite } from "../support/browser/host-page.ts";
import { expectAccessible } from "../support/browser/page-checks.ts";
import { announceWallet } from "../support/browser/page-wallet.ts";
import { sharesOf } from "../support/browser/shares-of.ts";
import { chainIds, chainOf, newUser, vaultNamed } from "../support/e2e/chain.ts";

const VAULT = "Plain USDC";
const { api } = inject("stack");
let browser: Browser;
const sites: HostSite[] = [];
beforeAll(async () => {
  browser = await startBrowser();
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
  for (const site of sites.splice(0)) await site.close();
});
afterAll(() => browser.close());

async function site(page: string): Promise<HostSite> {
  const served = await serveSite(page);
  sites.push(served);
  return served;
}

/** Opens a site with a wallet. */
async function visit(origin: string) {
  const user = await newUser(chainOf(chainIds.one), { USDC: parseUnits("100", 6) });
  const context = await browser.newContext(usual);
  context.setDefaultTimeout(PAGE_TIMEOUT_MS);
  const page = await context.newPage();
  const wallet = await announceWallet(page, { user, chainId: chainIds.one });
  await page.goto(origin);
  return { page, wallet, user };
}

const form = (page: Page) => page.frameLocator(`iframe[src^="${api}/embed"]`);

/** Returns the embedded page itself. */
function embedded(page: Page): Frame {
  const frame = page.frames().find((one) => one.url().startsWith(`${api}/embed`));
  if (frame === undefined) throw new Error("this page embeds no form");
  return frame;
}

/** Deposits in the frame with the wallet of the page around it. */
async function deposit(page: Page, origin: string): Promise<void> {
  const frame = form(page);
  await frame.getByRole("button", { name: "Connect a wallet to deposit" }).waitFor();
  await expectAccessible(embedded(page));
  await frame.getByRole("button", { name: "Connect a wallet to deposit" }).click();
  // Wallets that announce themselves in the frame are not offered.
  expect(await frame.getByRole("button", { name: "Test Wallet" }).count()).toBe(0);
  await frame.getByRole("button", { name: `Wallet of ${origin}` }).click();
  await frame.getByLabel("You pay").fill("25");
  await frame.getByRole("button", { name: "Review deposit" }).click();
  await frame.getByRole("button", { name: "Sign in wallet" }).waitFor();
  await expectAccessible(embedded(page));
  await frame.getByRole("button", { name: "Sign in wallet" }).click();
  await frame.getByText("Completed", { exact: true }).waitFor();
  await expectAccessible(embedded(page));
}

test("the guide's example deposits from another site with that site's wallet", async () => {
  const { origin } = await site(examplePage(vaultNamed(VAULT).vault_id));
  const { page, wallet, user } = await visit(origin);
  await deposit(page, origin);
  expect(wallet.asked()).toEqual(["eth_signTypedData_v4", "eth_sendTransaction"]);
  expect(await sharesOf(VAULT, user.address)).toBeGreaterThan(0n);
  const events = await page.evaluate<{ type: string; state?: string }[]>("window.events");
  const told = events.filter(({ type }) => type !== "resize");
  expect(told.slice(0, 3).map(({ type }) => type)).toEqual(["ready", "connected", "built"]);
  expect(told.at(-1)).toMatchObject({ type: "progress", state: "completed" });
  await form(page).getByRole("button", { name: "New deposit" }).click();
  await form(page).getByLabel("You pay").waitFor();
});

matrixTest("a site cannot pose as another one", async () => {
  const { origin } = await site(examplePage(vaultNamed(VAULT).vault_id));
  const query = new URLSearchParams({ vault: vaultNamed(VAULT).vault_id, host: origin });
  const attacker = await site(`<!doctype html><iframe src="${api}/embed?${query}"></iframe><script>
    window.answers = 0;
    window.offers = 0;
    const lend = () => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => { window.answers += 1; };
      frames[0].postMessage("causeway.lend", "*", [port2]);
      window.offers += 1;
    };
    document.querySelector("iframe").addEventListener("load", () => setInterval(lend, 100));
  </script>`);
  const { page } = await visit(attacker.origin);
  await form(page).getByText("Waiting for the page's wallet").waitFor({ state: "attached" });
  await page.waitForFunction("window.offers > 10");
  expect(await page.evaluate("window.answers")).toBe(0);
  expect(await form(page).getByRole("button").count()).toBe(0);
});

matrixTest(
  "another frame of the page gets no wallet and cannot replace it, nor can a second offer",
  async () => {
    const sibling = await site(`<!doctype html><script>
    window.taken = 0;
    addEventListener("message", ({ ports }) => { window.taken += ports.length; });
    setInterval(() => {
      parent.postMessage("causeway.hello", "*");
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => { window.taken += 1; };
      for (let other = 0; other < parent.length; other += 1)
        if (parent[other] !== window) parent[other].postMessage("causeway.lend", "*", [port2]);
    }, 50);
  </script>`);
    const again = `<iframe src="${sibling.origin}"></iframe><script>
    window.stolen = 0;
    setInterval(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => { window.stolen += 1; };
      const frame = document.querySelector('iframe[src*="/embed?"]');
      if (window.events.length > 0) frame.contentWindow.postMessage("causeway.lend", "*", [port2]);
    }, 50);
  </script>`;
    const { origin } = await site(examplePage(vaultNamed(VAULT).vault_id) + again);
    const { page, user } = await visit(origin);
    await deposit(page, origin);
    expect(await sharesOf(VAULT, user.address)).toBeGreaterThan(0n);
    expect(await page.evaluate("window.stolen")).toBe(0);
    const frame = page.frames().find((one) => one.url().startsWith(sibling.origin));
    expect(await frame?.evaluate("window.taken")).toBe(0);
  },
);

test("only the embedded page may be framed, and the host script is small", async () => {
  const policyOf = async (path: string) =>
    (await fetch(`${api}${path}`)).headers.get("content-security-policy") ?? "";
  expect((await policyOf("/embed")).split("frame-ancestors")).toHaveLength(2);
  expect(await policyOf("/embed?vault=x")).toContain("frame-ancestors http: https:");
  for (const path of ["/", "/portfolio", "/deposits/x", "/withdrawals/x", "/admin"])
    expect(await policyOf(path)).toContain("frame-ancestors 'none'");
  const script = await fetch(`${api}/embed.js`);
  expect(script.headers.get("access-control-allow-origin")).toBe("*");
  expect((await script.arrayBuffer()).byteLength).toBeLessThan(5_000);
});

matrixTest("opened by itself, the page asks for no wallet", async () => {
  const { page } = await visit(`${api}/embed?vault=${vaultNamed(VAULT).vault_id}&host=https://example.com`);
  await page.getByText("This page belongs inside another site").waitFor();
  expect(await page.getByRole("button").count()).toBe(0);
});
