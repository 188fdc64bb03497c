import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import {
  connectWallet,
  matrixTest,
  type OpenPage,
  openConsole,
  startBrowser,
} from "../support/browser/console-browser.ts";
import { expectAccessible } from "../support/browser/page-checks.ts";
import { Api } from "../support/e2e/api.ts";
import { chainIds, chainOf, mined, newUser, vaultNamed } from "../support/e2e/chain.ts";
import { fireCron } from "../support/e2e/cron.ts";
import { amounts, bodyFor } from "../support/e2e/deposit.ts";
import { type Signable, signDeposit } from "../support/e2e/sign-deposit.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** Opens the administrator's page. */
async function openAdmin(): Promise<OpenPage> {
  const opened = await openConsole(browser, { path: "/admin" });
  await opened.page.getByLabel("Administrator's token").fill(inject("stack").admin_token);
  await opened.page.getByRole("button", { name: "Continue" }).click();
  return opened;
}

/** Applies as a new company, with the wallet that the page is connected to. */
async function apply(page: Page, company: string): Promise<void> {
  await page.getByLabel("Company").fill(company);
  await expectAccessible(page);
  await page.getByLabel("Email").fill("team@example.com");
  await page.getByRole("button", { name: "Sign and send" }).click();
  await page.getByText("Your application is under review").waitFor();
}

/** Approves an application as the administrator does. */
async function approve(company: string): Promise<void> {
  const { page, close } = await openAdmin();
  await page.getByRole("button", { name: `Approve ${company}` }).click();
  await page.getByRole("button", { name: `Revoke ${company}` }).waitFor();
  await page.getByRole("button", { name: "Audit" }).click();
  await page.getByRole("columnheader", { name: "Subject" }).waitFor();
  await close();
}

/** Deposits into a vault through a partner's API key, with a plain wallet. */
async function depositWith(key: string): Promise<void> {
  const chain = chainOf(chainIds.one);
  const vault = vaultNamed("Plain USDC");
  const user = await newUser(chain, { USDC: amounts.USDC });
  const body = bodyFor(vault, { user: user.address });
  const built = await new Api().send("/v1/quote/build", { body, headers: { "x-api-key": key } });
  await mined(chain, await signDeposit(chain, { user, built: built.json as Signable, style: "calls" }));
}

test("a partner applies, is approved, registers, and keeps a key pair", async () => {
  const user = await newUser(chainOf(chainIds.one));
  const company = `Company ${user.address.slice(2, 10)}`;
  const { page, wallet, close } = await openConsole(browser, { path: "/partners", user });
  await connectWallet(page);
  await apply(page, company);
  await approve(company);
  await page.reload();
  await page.getByRole("button", { name: "First time: register" }).waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "First time: register" }).click();
  const secret = await page.getByText(/^cw_secret_/).textContent();
  await expectAccessible(page);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy the secret" }).click();
  await page.getByRole("button", { name: "Copied the secret" }).waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(secret);
  await page.getByRole("button", { name: "I have saved it" }).click();
  expect(await page.getByText(/^cw_secret_/).count()).toBe(0);
  await page.getByLabel("Name of a new key").fill("Server");
  await page.getByRole("button", { name: "Create key" }).click();
  const secrets = page.getByText(/^cw_secret_/);
  await secrets.waitFor();
  const server = await secrets.textContent();
  // A secret that is not yet saved stays beside a new one.
  await page.getByLabel("Name of a new key").fill("Second");
  await page.getByRole("button", { name: "Create key" }).click();
  await expect.poll(() => secrets.count()).toBe(2);
  expect(await secrets.last().textContent()).toBe(server);
  await page.getByRole("button", { name: "I have saved it" }).first().click();
  await expect.poll(() => secrets.count()).toBe(1);
  expect(await secrets.textContent()).toBe(server);
  const revoke = page.getByRole("button", { name: "Revoke Server" });
  await revoke.click();
  const dialog = page.getByRole("dialog", { name: "Revoke Server?" });
  await dialog.getByText("Servers that use this key are refused at once.").waitFor();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Keep" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await revoke.count()).toBe(1);
  await revoke.click();
  const confirm = dialog.getByRole("button", { name: "Revoke" });
  const held: (() => Promise<void>)[] = [];
  await page.route(/\/api-keys\/./, (route) => {
    held.push(() => route.continue());
  });
  await confirm.click();
  await expect.poll(() => held.length).toBe(1);
  // Whoever could close it now would not see that it failed.
  await dialog.getByRole("button", { name: "Keep" }).click();
  await page.keyboard.press("Escape");
  expect(await dialog.isVisible(), "open until it has ended").toBe(true);
  expect(await confirm.isDisabled(), "a second start while the first runs").toBe(true);
  await held[0]?.();
  await revoke.waitFor({ state: "detached" });
  expect(held).toHaveLength(1);
  expect(wallet.asked()).toEqual(["personal_sign", "personal_sign"]);
  // The session lives in memory only.
  expect(await page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })")).not.toMatch(
    /cw_|session/,
  );
  await page.reload();
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Success rate").waitFor();
  await close();
});

test("a partner's deposits are counted and charted", async () => {
  const partner = await newUser(chainOf(chainIds.one));
  const company = `Company ${partner.address.slice(2, 10)}`;
  const { page, close, errors } = await openConsole(browser, { path: "/partners", user: partner });
  await connectWallet(page);
  await apply(page, company);
  await approve(company);
  await page.reload();
  await page.getByRole("button", { name: "First time: register" }).click();
  const key =
    (await page
      .getByText(/^cw_live_/)
      .first()
      .textContent()) ?? "";
  await page.getByText("No deposits in this period").waitFor();
  await depositWith(key);
  await expect
    .poll(async () => {
      // Nobody asks for this deposit's status: the jobs find it.
      await fireCron("* * * * *");
      await page.getByRole("button", { name: "90 d" }).click();
      await page.getByRole("button", { name: "7 d" }).click();
      return page.getByText("1 deposit sent in 7 days, 1 of them completed").count();
    })
    .toBeGreaterThan(0);
  await page.getByText("Chart by TradingView").scrollIntoViewIfNeeded();
  await page.getByRole("img", { name: /^1 deposit sent in 7 days/ }).waitFor();
  await expect.poll(() => page.locator("canvas").count()).toBeGreaterThan(0);
  await expectAccessible(page);
  expect(errors.filter((message) => !message.includes("404"))).toEqual([]);
  await close();
});

matrixTest("an administrator sees each vault's claim beside its proof, and proves it again", async () => {
  const { page, close, errors } = await openAdmin();
  await page.getByRole("button", { name: "Vaults", exact: true }).click();
  const rows = page.getByRole("row");
  const row = rows.filter({ hasText: "Plain WBTC" });
  await row.getByText("ERC-4626, WBTC, from seed").filter({ visible: true }).waitFor();
  await row
    .getByText(/None yet|Passed/)
    .filter({ visible: true })
    .waitFor();
  await page.getByRole("button", { name: "Prove Plain WBTC" }).click();
  await row
    .getByText(/Passed just now/)
    .filter({ visible: true })
    .waitFor();
  await page.getByLabel("State").selectOption("unsupported");
  await rows.filter({ hasText: "Unlisted USDC" }).waitFor();
  expect(await rows.filter({ hasText: "Plain WBTC" }).count()).toBe(0);
  expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
  // A proof that changes no state is no decision.
  await page.getByRole("button", { name: "Audit" }).click();
  const decided = page.getByRole("columnheader", { name: "Subject" });
  await decided.or(page.getByText("Nothing was decided yet")).waitFor();
  expect(errors).toEqual([]);
  await close();
});

matrixTest(
  "a partner is refused, applies again, and loses the keys and the session by a revocation",
  async () => {
    const user = await newUser(chainOf(chainIds.one));
    const company = `Company ${user.address.slice(2, 10)}`;
    const { page, close } = await openConsole(browser, { path: "/partners", user });
    await connectWallet(page);
    await apply(page, company);
    const admin = await openAdmin();
    await admin.page.getByRole("button", { name: `Reject ${company}` }).click();
    await admin.page.getByRole("button", { name: `Reopen ${company}` }).waitFor();
    await admin.close();
    await page.reload();
    await page.getByText("Your application was not accepted").waitFor();
    await apply(page, company);
    await approve(company);
    await page.reload();
    await page.getByRole("button", { name: "First time: register" }).click();
    await page.getByText(/^cw_secret_/).waitFor();
    const second = await openAdmin();
    const revoke = second.page.getByRole("button", { name: `Revoke ${company}` });
    await revoke.click();
    const dialog = second.page.getByRole("dialog", { name: `Revoke ${company}?` });
    await dialog.getByText("The partner's keys and sessions stop working at once").waitFor();
    await second.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await revoke.count()).toBe(1);
    await revoke.click();
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await second.page.getByRole("button", { name: `Reopen ${company}` }).waitFor();
    await second.close();
    await page.getByRole("button", { name: "90 d" }).click();
    await page.getByText("Your session has ended").waitFor();
    await page.reload();
    await page.getByText("Your access was revoked").waitFor();
    await close();
  },
);

test("a wrong administrator's token shows nothing", async () => {
  const { page, close } = await openConsole(browser, { path: "/admin" });
  await page.getByLabel("Administrator's token").fill("wrong");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("alert").waitFor();
  expect(await page.getByRole("table").count()).toBe(0);
  await close();
});
