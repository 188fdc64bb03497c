import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { connectWallet, openConsole, startBrowser } from "../support/browser/console-browser.ts";
import { chainIds, chainOf, newUser } from "../support/e2e/chain.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** Approves an application as the administrator does. */
async function approve(company: string): Promise<void> {
  const { page, close } = await openConsole(browser, { path: "/admin" });
  await page.getByLabel("Administrator's token").fill(inject("stack").admin_token);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: `Approve ${company}` }).click();
  await page.getByRole("button", { name: `Revoke ${company}` }).waitFor();
  await page.getByRole("button", { name: "Audit" }).click();
  await page.getByRole("columnheader", { name: "Subject" }).waitFor();
  await close();
}

test("a partner applies, is approved, registers, and keeps a key pair", async () => {
  const user = await newUser(chainOf(chainIds.one));
  const company = `Company ${user.address.slice(2, 10)}`;
  const { page, wallet, close } = await openConsole(browser, { path: "/partners", user });
  await connectWallet(page);
  await page.getByLabel("Company").fill(company);
  await page.getByLabel("Email").fill("team@example.com");
  await page.getByRole("button", { name: "Sign and send" }).click();
  await page.getByText("Your application is being read").waitFor();
  await approve(company);
  await page.reload();
  await page.getByRole("button", { name: "First time: register" }).click();
  await page.getByText(/^cw_secret_/).waitFor();
  await page.getByRole("button", { name: "I have kept it" }).click();
  expect(await page.getByText(/^cw_secret_/).count()).toBe(0);
  await page.getByLabel("Name of a new key").fill("Server");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByText(/^cw_secret_/).waitFor();
  await page.getByRole("button", { name: "Revoke Server" }).click();
  await page.getByRole("button", { name: "Revoke Server" }).waitFor({ state: "detached" });
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

test("a wrong administrator's token shows nothing", async () => {
  const { page, close } = await openConsole(browser, { path: "/admin" });
  await page.getByLabel("Administrator's token").fill("wrong");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("alert").waitFor();
  expect(await page.getByRole("table").count()).toBe(0);
  await close();
});
