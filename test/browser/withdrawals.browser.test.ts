import type { Browser } from "playwright-core";
import { parseUnits } from "viem";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  connectWallet,
  matrixTest,
  type OpenPage,
  openConsole,
  startBrowser,
} from "../support/browser/console-browser.ts";
import { reachState, signToTheEnd, startSigning } from "../support/browser/deposit-walk.ts";
import { sharesOf } from "../support/browser/shares-of.ts";
import {
  newHolder,
  openLeaving,
  receive,
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

/** Opens the portfolio of an account that holds shares of one vault. */
async function openPortfolio(name: string): Promise<OpenPage & { user: KeyedUser }> {
  const user = await newHolder(name);
  opened = await openConsole(browser, { path: "/portfolio", user });
  await connectWallet(opened.page);
  await openLeaving(opened.page);
  return { ...opened, user };
}

const held = (chainId: number, of: { symbol: "USDC" | "WETH"; owner: `0x${string}` }) =>
  balanceOf(chainOf(chainId), { token: tokenOn(chainOf(chainId), of.symbol), owner: of.owner });

test("everything is withdrawn, followed on its own page and listed in the portfolio", async () => {
  const { page, user, errors } = await openPortfolio("Local Prime USDC");
  await reviewWithdrawal(page);
  await page.getByText("Redeem your shares").waitFor();
  await signToTheEnd(page);
  expect(await sharesOf("Local Prime USDC", user.address)).toBe(0n);
  expect(await held(chainIds.one, { symbol: "USDC", owner: user.address })).toBeGreaterThan(0n);
  await page.getByRole("link", { name: "Open the portfolio" }).click();
  await page.getByText("No positions").waitFor();
  const listed = page.locator("section", { has: page.getByRole("heading", { name: "Withdrawals" }) });
  await listed.getByText("Completed").waitFor();
  expect(errors).toEqual([]);
});

matrixTest("a part is withdrawn in another token", async () => {
  const { page, user } = await openPortfolio("Plain USDC");
  const before = await sharesOf("Plain USDC", user.address);
  await page.getByRole("dialog").getByLabel("Shares").fill("20");
  await receive(page, { chain: "Local One", symbol: "WETH" });
  await reviewWithdrawal(page);
  await signToTheEnd(page);
  const after = await sharesOf("Plain USDC", user.address);
  expect([after > 0n, after < before]).toEqual([true, true]);
  expect(await held(chainIds.one, { symbol: "WETH", owner: user.address })).toBeGreaterThan(0n);
});

matrixTest("everything is withdrawn to another chain", async () => {
  const { page, user } = await openPortfolio("Plain USDC");
  await receive(page, { chain: "Local Two", symbol: "USDC" });
  await reviewWithdrawal(page);
  await signToTheEnd(page);
  expect(await held(chainIds.two, { symbol: "USDC", owner: user.address })).toBeGreaterThan(0n);
});

test("a request is followed after a reload without a wallet, settled, and claimed from the portfolio", async () => {
  const { page, user } = await openPortfolio("Credit USDC");
  const trackingId = await reviewWithdrawal(page);
  await startSigning(page);
  await reachState(page, "Waiting for the vault");
  const visitor = await openConsole(browser, { path: `/withdrawals/${trackingId}` });
  await visitor.page.getByText("Nothing to do now").waitFor();
  await settleVaultOf("Credit USDC");
  await visitor.page.reload();
  await visitor.page.getByText("Ready to claim", { exact: true }).first().waitFor();
  await visitor.page.goto(`/portfolio?address=${user.address}`);
  await visitor.page.getByRole("link", { name: "Follow" }).waitFor();
  expect(await visitor.page.getByRole("button", { name: "Claim" }).count()).toBe(0);
  await visitor.close();
  await page.goto("/portfolio");
  await page.getByRole("button", { name: "Claim" }).click();
  await page.getByText("No positions").waitFor();
  expect(await held(chainIds.one, { symbol: "USDC", owner: user.address })).toBeGreaterThan(0n);
});

matrixTest("a claim is also made on the withdrawal's page", async () => {
  const { page, user } = await openPortfolio("Credit USDC");
  await reviewWithdrawal(page);
  await startSigning(page);
  await reachState(page, "Waiting for the vault");
  await settleVaultOf("Credit USDC");
  await page.reload();
  await signToTheEnd(page);
  expect(await held(chainIds.one, { symbol: "USDC", owner: user.address })).toBeGreaterThan(0n);
});

test("a request is cancelled from the portfolio", async () => {
  const { page, user } = await openPortfolio("Credit USDC");
  await reviewWithdrawal(page);
  await startSigning(page);
  await reachState(page, "Waiting for the vault");
  await page.goto("/portfolio");
  await page.getByRole("button", { name: "Cancel request" }).click();
  await page.getByRole("button", { name: "Cancel request" }).waitFor({ state: "detached" });
  expect(await sharesOf("Credit USDC", user.address)).toBeGreaterThan(0n);
});

matrixTest("declining sends nothing, and the withdrawal can be continued after a reload", async () => {
  const { page, user, wallet } = await openPortfolio("Plain USDC");
  await reviewWithdrawal(page);
  wallet.decline("eth_sendTransaction");
  await startSigning(page);
  await page.getByText("You declined in your wallet").waitFor();
  await page.reload();
  await signToTheEnd(page);
  expect(await sharesOf("Plain USDC", user.address)).toBe(0n);
});

test("a position is moved straight into another vault", async () => {
  const { page, user } = await openPortfolio("Plain USDC");
  await page.getByRole("button", { name: "Into another vault" }).click();
  await page.getByRole("dialog").getByLabel("Vault").selectOption({ label: "Fine USDC (USDC, Local One)" });
  await page.getByRole("button", { name: "Review move" }).click();
  await page.waitForURL(/\/deposits\//);
  await signToTheEnd(page);
  expect(await sharesOf("Plain USDC", user.address)).toBe(0n);
  expect(await sharesOf("Fine USDC", user.address)).toBeGreaterThan(0n);
});

matrixTest("more than is held, and a vault that pays later, are said before anything is signed", async () => {
  const { page } = await openPortfolio("Credit USDC");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("On request").waitFor();
  await dialog.getByLabel("Shares").fill(String(parseUnits("9", 18)));
  await dialog.getByText("This is more than you hold.").waitFor();
  expect(await dialog.getByRole("button", { name: "Review withdrawal" }).count()).toBe(0);
  await dialog.getByRole("button", { name: "Use all" }).click();
  await dialog.getByRole("button", { name: "Review withdrawal" }).waitFor();
});
