import type { Browser, Page } from "playwright-core";
import { parseUnits } from "viem";
import { afterAll, beforeAll, expect } from "vitest";
import { connectWallet, matrixTest, openConsole, startBrowser } from "../support/browser/console-browser.ts";
import { openVault, reachState } from "../support/browser/deposit-walk.ts";
import { sharesOf } from "../support/browser/shares-of.ts";
import { newHolder } from "../support/browser/withdrawal-walk.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** What has the focus, as a screen reader names it. */
const focused = (page: Page) =>
  page.evaluate<string>(
    "(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim().replace(/\\s+/g, ' ')",
  );

/** Presses Tab until something with a name has the focus. Fails after thirty steps. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const passed: string[] = [];
  for (let step = 0; step < 30; step += 1) {
    await page.keyboard.press("Tab");
    const now = await focused(page);
    if (name.test(now)) return;
    passed.push(now);
  }
  throw new Error(`${name} is not reached by Tab; passed: ${passed.join(" | ")}`);
}

matrixTest("a deposit is made with the keyboard alone", async () => {
  const { page, close } = await openVault(browser, {
    name: "Plain USDC",
    funds: { USDC: parseUnits("50", 6) },
  });
  await page.getByText("Balance: 50").waitFor();
  await page.getByRole("heading", { name: "Deposit", exact: true }).waitFor();
  await page.getByLabel("You pay").focus();
  await page.keyboard.type("20");
  await tabTo(page, /Pay with USDC/);
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Pay with" });
  await dialog.waitFor();
  // Focus stays in the dialog, Escape leaves it and returns to where it came from.
  const inside = "document.querySelector('[role=dialog]').contains(document.activeElement)";
  for (let step = 0; step < 12; step += 1) {
    await page.keyboard.press("Tab");
    await expect.poll(() => page.evaluate(inside)).toBe(true);
  }
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(await focused(page)).toMatch(/Pay with USDC/);
  await tabTo(page, /^Use all$/);
  await tabTo(page, /^Maximum slippage/);
  await tabTo(page, /^How you approve/);
  await page.getByRole("button", { name: "Review deposit", disabled: false }).waitFor();
  await tabTo(page, /^Review deposit$/);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/deposits\//);
  await page.getByRole("button", { name: "Sign in wallet" }).waitFor();
  await tabTo(page, /^Sign in wallet$/);
  await page.keyboard.press("Enter");
  await reachState(page, "Completed");
  await close();
});

matrixTest("a withdrawal is made with the keyboard alone", async () => {
  const name = "Plain USDC";
  const user = await newHolder(name);
  const { page, close } = await openConsole(browser, { path: "/portfolio", user });
  await connectWallet(page);
  await page.getByRole("button", { name: "Withdraw", exact: true }).waitFor();
  await tabTo(page, /^Withdraw$/);
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Review withdrawal" }).waitFor();
  await tabTo(page, /^Shares/);
  await tabTo(page, /^Receive USDC/);
  await tabTo(page, /^Review withdrawal$/);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/withdrawals\//);
  await page.getByRole("button", { name: /^(Start signing|Sign in wallet)$/ }).waitFor();
  await tabTo(page, /^(Start signing|Sign in wallet)$/);
  await page.keyboard.press("Enter");
  await reachState(page, "Completed");
  expect(await sharesOf(name, user.address)).toBe(0n);
  await close();
});
