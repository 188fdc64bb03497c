import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { looks, matrixTest, openConsole, startBrowser } from "../support/browser/console-browser.ts";
import { expectAccessible } from "../support/browser/page-checks.ts";
import { vaultNamed } from "../support/e2e/chain.ts";

/** Bytes of scripts and styles, compressed, that a first visit to a vault's page may load. */
const FIRST_LOAD = 200_000;
const [someAccount] = inject("stack").accounts;
const vaultPath = `/vaults/${vaultNamed("Local Prime USDC").vault_id}`;

/** Every page, with what shows that it is complete. */
const pages = [
  { path: "/", shown: /^\d+ vaults/ },
  { path: vaultPath, shown: "Terms and controls" },
  { path: `/portfolio?address=${someAccount?.address}`, shown: "Deposits" },
  { path: "/portfolio", shown: "Any address" },
  { path: "/signals", shown: "Rules" },
  { path: "/status", shown: "Dependencies" },
  { path: "/partners", shown: "Your wallet is your account" },
  { path: "/admin", shown: "Administrator's token" },
  { path: "/deposits/trk_00000000000000000000000000000000", shown: "Check the address of this page." },
  { path: "/withdrawals/trk_00000000000000000000000000000000", shown: "Check the address of this page." },
  { path: "/docs/guide", shown: "Getting started" },
  { path: "/docs/guide/deposits", shown: "How deposits work" },
  { path: "/docs/errors", shown: "Errors" },
  { path: "/embed", shown: "This page belongs inside another site" },
];
let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

describe.each(looks)("on a $device in $colorScheme colours", ({ window }) => {
  test.each(pages)("$path has no violation, overflow or error", async ({ path, shown }) => {
    const { page, errors, close } = await openConsole(browser, { path, window });
    await page.getByText(shown).first().waitFor();
    await expectAccessible(page);
    expect(errors.filter((message) => !/status of 40[04]|status of 422/.test(message))).toEqual([]);
    await close();
  });
});

test("a first visit to a vault's page loads little", async () => {
  const { page, close } = await openConsole(browser, { path: "/docs-assets/icon.svg" });
  const sizes: Promise<number>[] = [];
  page.on("response", (response) => {
    const { pathname } = new URL(response.url());
    if (/\.(js|css)$/.test(pathname)) sizes.push(response.body().then((body) => gzipSync(body).length));
  });
  await page.goto(vaultPath);
  await page.getByText("Terms and controls").waitFor();
  const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  expect(total).toBeGreaterThan(0);
  expect(total).toBeLessThan(FIRST_LOAD);
  await close();
});

test("the navigation is reached by keyboard, and a page is read from its beginning", async () => {
  const { page, close } = await openConsole(browser, { path: "/" });
  await page.getByText(/^\d+ vaults/).waitFor();
  await page.keyboard.press("Tab");
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the content");
  await page.getByRole("link", { name: "Signals" }).first().focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Signals", level: 1 }).waitFor();
  expect(await page.evaluate("document.activeElement.id")).toBe("main");
  await close();
});

test("the filters of the list are in its address", async () => {
  const { page, close } = await openConsole(browser, { path: "/?q=midas" });
  await page.getByText(/^\d+ of \d+ vaults/).waitFor();
  await page.getByLabel("Order").selectOption("name");
  await page.waitForURL(/order=name/);
  await page.getByLabel("Search vaults").fill("no vault is called so");
  await page.getByText("No vault matches").waitFor();
  await close();
});

test("losing the connection is said, and figures stay", async () => {
  const { page, close } = await openConsole(browser, { path: "/" });
  await page.getByText(/^\d+ vaults/).waitFor();
  await page.context().setOffline(true);
  await page.getByText("You are offline").waitFor();
  expect(await page.getByText(/^\d+ vaults/).isVisible()).toBe(true);
  await page.context().setOffline(false);
  await page.getByText("You are offline").waitFor({ state: "detached" });
  await close();
});

test("a page that is loaded offline says so until the connection is back", async () => {
  const { page, close } = await openConsole(browser, { path: "/" });
  const report = (online: boolean) =>
    `Object.defineProperty(navigator, "onLine", { configurable: true, get: () => ${online} })`;
  await page.addInitScript(report(false));
  await page.reload();
  await page.getByText("You are offline").waitFor();
  await page.evaluate(`${report(true)}; dispatchEvent(new Event("online"))`);
  await page.getByText("You are offline").waitFor({ state: "detached" });
  await close();
});

matrixTest("a page that cannot be loaded offline says so in place, and is shown afterwards", async () => {
  const { page, close } = await openConsole(browser, { path: "/" });
  await page.getByText(/^\d+ vaults/).waitFor();
  await page.context().setOffline(true);
  await page.getByRole("link", { name: "Status" }).filter({ visible: true }).click();
  await page.getByText("No answer from the service").waitFor();
  await page.getByText("You are offline").waitFor();
  expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  await page.context().setOffline(false);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Dependencies").waitFor();
  await close();
});

describe("the static files", () => {
  const { api } = inject("stack");

  test("have a policy without inline code, and cannot be framed", async () => {
    const { headers } = await fetch(`${api}${vaultPath}`);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("script-src 'self'; style-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
  });

  test.each(["/nothing-here", "/portfolio-of-nobody", "/v1/nothing"])("leave %s to the API", async (path) => {
    const response = await fetch(`${api}${path}`);
    expect([response.status, response.headers.get("content-type")]).toEqual([
      404,
      "application/problem+json",
    ]);
  });

  test("with a hash in their name may be kept for ever", async () => {
    const html = await (await fetch(api)).text();
    const script = /src="(\/console-assets\/[^"]+)"/.exec(html)?.[1] ?? "";
    const { headers } = await fetch(`${api}${script}`);
    expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  });
});
