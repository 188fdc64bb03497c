import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  connectWallet,
  devices,
  matrixTest,
  type OpenPage,
  openConsole,
  startBrowser,
} from "../support/browser/console-browser.ts";
import { reachState, startSigning } from "../support/browser/deposit-walk.ts";
import { sharesOf } from "../support/browser/shares-of.ts";
import {
  newHolder,
  openWithdrawDialog,
  reviewWithdrawal,
  settleVaultOf,
} from "../support/browser/withdrawal-walk.ts";
import { balanceOf } from "../support/e2e/balances.ts";
import { chainIds, chainOf, type KeyedUser, tokenOn } from "../support/e2e/chain.ts";

let browser: Browser;
let opened: OpenPage | null = null;
beforeAll(async () => {
  browser = await startBrowser();
});
afterEach(async () => {
  await opened?.close();
  opened = null;
});
afterAll(() => browser.close());

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const one = chainOf(chainIds.one);
const usdcOf = (user: KeyedUser) => balanceOf(one, { token: tokenOn(one, "USDC"), owner: user.address });

/** Opens the withdrawal dialog of an account that holds shares of one vault. */
async function openDialog(name: string, window: BrowserContextOptions = {}) {
  const user = await newHolder(name);
  opened = await openConsole(browser, { path: "/portfolio", user, window });
  await connectWallet(opened.page);
  await openWithdrawDialog(opened.page);
  return { ...opened, user };
}

/**
 * Returns the date that a page shows for this many days after the chain's head, as `30 Nov 2026`; on the day's edge
 * either of two. The chain's clock is not this machine's.
 */
async function dayAfter(days: number): Promise<RegExp> {
  const format = (time: number) =>
    new Date(time).toLocaleString("en-GB", { day: "numeric", month: "short", year: "numeric" });
  const { timestamp } = await one.client.getBlock();
  const last = Number(timestamp) * 1_000 + days * DAY_MS;
  return new RegExp([last - HOUR_MS, last, last + HOUR_MS].map(format).join("|"));
}

/** Expects a page to show the earliest time of the payment. */
async function expectTime(page: Page, days: number): Promise<void> {
  const fact = page.locator("div", { has: page.getByText("Payable from", { exact: true }) }).last();
  await fact.getByText(await dayAfter(days)).waitFor();
}

test("a cooldown is shown with its time, also after a reload, and claimed when it is over", async () => {
  const name = "Cooldown USDC";
  const { page, user, wallet, errors } = await openDialog(name);
  await page.getByRole("dialog").getByText("Cooldown", { exact: true }).waitFor();
  await expectTime(page, 7);
  await reviewWithdrawal(page);
  await page.getByText("Start the cooldown").waitFor();
  await startSigning(page);
  await reachState(page, "Cooling down");
  expect(await sharesOf(name, user.address)).toBe(0n);
  await page.reload();
  await reachState(page, "Cooling down");
  await page.getByText("Nothing to do now").waitFor();
  await expectTime(page, 7);
  await page.goto("/portfolio");
  await page.getByText(/^Withdrawal of 1,234\.56\d* USDC, payable from/).waitFor();
  expect(await page.getByRole("button", { name: "Claim" }).count()).toBe(0);
  expect(await page.getByRole("button", { name: "Cancel request" }).count()).toBe(0);
  await settleVaultOf(name);
  await page.reload();
  await page.getByRole("button", { name: "Claim" }).click();
  await page.getByText("No positions").waitFor();
  expect(await usdcOf(user)).toBeGreaterThan(0n);
  expect(wallet.asked()).toEqual(["eth_sendTransaction", "eth_sendTransaction"]);
  expect(errors).toEqual([]);
});

matrixTest("a queue's request is shown with its time on a phone, and is paid without a claim", async () => {
  const name = "Boring Queue USDC";
  const { page, user, errors } = await openDialog(name, devices.phone);
  await page.getByRole("dialog").getByText("On request", { exact: true }).waitFor();
  await page.getByRole("dialog").getByText("No minimum; the vault sets the price").waitFor();
  await reviewWithdrawal(page);
  await startSigning(page);
  await reachState(page, "Waiting for the vault");
  await page.reload();
  await reachState(page, "Waiting for the vault");
  await expectTime(page, 3);
  await settleVaultOf(name);
  await page.reload();
  await reachState(page, "Completed");
  expect(await usdcOf(user)).toBeGreaterThan(0n);
  expect(await sharesOf(name, user.address)).toBe(0n);
  await page.goto("/portfolio");
  await page.getByText("No positions").waitFor();
  expect(errors).toEqual([]);
});

matrixTest("a queue's request is cancelled from the portfolio", async () => {
  const name = "Boring Queue USDC";
  const { page, user } = await openDialog(name);
  const before = await sharesOf(name, user.address);
  await reviewWithdrawal(page);
  await startSigning(page);
  await reachState(page, "Waiting for the vault");
  await page.goto("/portfolio");
  await page.getByText(/^Withdrawal of [\d.,]+ shares, payable from/).waitFor();
  await page.getByRole("button", { name: "Cancel request" }).click();
  await page.getByRole("button", { name: "Withdraw", exact: true }).waitFor();
  expect(await sharesOf(name, user.address)).toBe(before);
});

matrixTest("a pool's request waits for its window, and is claimed on its page", async () => {
  const name = "Maple USDC";
  const { page, user } = await openDialog(name);
  await reviewWithdrawal(page);
  await startSigning(page);
  await reachState(page, "Waiting for the vault");
  await expectTime(page, 14);
  await settleVaultOf(name);
  await page.reload();
  await startSigning(page);
  await reachState(page, "Completed");
  expect(await usdcOf(user)).toBeGreaterThan(0n);
});
