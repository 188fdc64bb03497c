import type { Browser } from "playwright-core";
import { parseUnits } from "viem";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  connectWallet,
  matrixTest,
  openConsole,
  PAGE_TIMEOUT_MS,
  startBrowser,
} from "../support/browser/console-browser.ts";
import {
  approveByTransaction,
  openVault,
  payWith,
  reachState,
  reviewDeposit,
  signToTheEnd,
  startSigning,
} from "../support/browser/deposit-walk.ts";
import { announceWallet } from "../support/browser/page-wallet.ts";
import { sharesOf } from "../support/browser/shares-of.ts";
import { chainIds, chainOf, userOn } from "../support/e2e/chain.ts";
import { query } from "../support/e2e/database.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});
afterAll(() => browser.close());

const usdc = (amount: string) => ({ USDC: parseUnits(amount, 6) });

test("a deposit that is signed in one tab cannot be sent from another one too", async () => {
  const { page, wallet, user } = await openVault(browser, { name: "Solid WETH", funds: {} });
  await payWith(page, { chain: "Local One", symbol: "ETH" });
  await reviewDeposit(page, "0.5");
  const other = await page.context().newPage();
  const otherWallet = await announceWallet(other, { user, chainId: chainIds.one });
  await other.goto(page.url());
  await other.getByRole("button", { name: "Sign in wallet" }).waitFor();
  const confirm = wallet.hold("eth_sendTransaction");
  await startSigning(page);
  await page.getByText("Confirm in your wallet").first().waitFor();
  await startSigning(other);
  await other.getByText("This order is already being signed").waitFor();
  confirm();
  await reachState(page, "Completed");
  await reachState(other, "Completed");
  expect([wallet.asked(), otherWallet.asked()]).toEqual([["eth_sendTransaction"], []]);
});

matrixTest(
  "a batch that the wallet still shows while the page is loaded again is not sent twice",
  async () => {
    const name = "Local Prime USDC";
    const depositor = { funds: usdc("50"), batching: "atomic" } as const;
    const { page, wallet, user } = await openVault(browser, { name, ...depositor });
    await approveByTransaction(page);
    await reviewDeposit(page, "20");
    const confirm = wallet.hold("wallet_sendCalls");
    await startSigning(page);
    await page.getByText("Confirm in your wallet").first().waitFor();
    await page.reload();
    await startSigning(page);
    await page.getByText("Your wallet may have sent this").waitFor();
    confirm();
    await expect.poll(() => sharesOf(name, user.address)).toBeGreaterThan(0n);
    // The API may have seen the batch on the chain already, and then nothing is left to ask.
    const ask = page.getByRole("button", { name: "Ask the wallet" });
    await Promise.race([ask.click().catch(() => undefined), reachState(page, "Completed")]);
    await reachState(page, "Completed");
    expect(wallet.asked()).toEqual(["wallet_sendCalls"]);
    expect(await sharesOf(name, user.address)).toBeGreaterThan(0n);
  },
);

matrixTest("a transaction whose answer was lost is sent again only if the user says so", async () => {
  const { page, wallet } = await openVault(browser, { name: "Solid WETH", funds: {} });
  await payWith(page, { chain: "Local One", symbol: "ETH" });
  await reviewDeposit(page, "0.5");
  const decline = wallet.hold("eth_sendTransaction");
  await startSigning(page);
  await page.getByText("Confirm in your wallet").first().waitFor();
  await page.reload();
  await startSigning(page);
  await page.getByText("Your wallet may have sent this").waitFor();
  wallet.decline("eth_sendTransaction");
  decline();
  await page.getByRole("button", { name: "Ask the wallet" }).click();
  await page.getByText("Your wallet may have sent this").waitFor();
  expect(wallet.asked()).toEqual(["eth_sendTransaction"]);
  await page.getByRole("button", { name: "It is not in my wallet: sign again" }).click();
  await reachState(page, "Completed");
  expect(wallet.asked()).toEqual(["eth_sendTransaction", "eth_sendTransaction"]);
});

matrixTest("a second step that is declined is made later, on another device", async () => {
  const from = { fundedOn: chainIds.two, chainId: chainIds.two };
  const name = "Midas Dollars";
  const { page, wallet, user } = await openVault(browser, { name, funds: usdc("300"), ...from });
  await userOn(chainOf(chainIds.one), user);
  await payWith(page, { chain: "Local Two", symbol: "USDC" });
  await reviewDeposit(page, "100");
  wallet.decline("wallet_switchEthereumChain");
  await startSigning(page);
  await page.getByText("You declined in your wallet").waitFor();
  await reachState(page, "Your turn");
  expect(await sharesOf(name, user.address)).toBe(0n);
  await page.context().close();
  const device = await openConsole(browser, { path: `/portfolio?address=${user.address}`, user });
  await device.page.getByText("One more transaction deposits them.").waitFor();
  await device.page.getByRole("link", { name: "Continue" }).click();
  await device.page.waitForURL(/\/deposits\//);
  await connectWallet(device.page);
  await signToTheEnd(device.page);
  expect(device.wallet.asked()).not.toContain("wallet_switchEthereumChain");
  expect(await sharesOf(name, user.address)).toBeGreaterThan(0n);
});

matrixTest("a quote that ends while its page is open asks for nothing, and leads to a new one", async () => {
  const name = "Local Prime USDC";
  const { page, wallet, user } = await openVault(browser, { name, funds: usdc("50") });
  const trackingId = await reviewDeposit(page, "20");
  await page.getByRole("button", { name: "Sign in wallet" }).waitFor();
  await query("update deposits set expires_at = now() - interval '1 minute' where tracking_id = $1", [
    trackingId,
  ]);
  // The button may be gone already, when the page has read the deposit again.
  await page
    .getByRole("button", { name: "Sign in wallet" })
    .click({ timeout: PAGE_TIMEOUT_MS / 60 })
    .catch(() => undefined);
  await page.getByText("This quote has expired").waitFor();
  expect(wallet.asked()).toEqual([]);
  await page.getByRole("link", { name: "Start again" }).click();
  await page.getByLabel("You pay").waitFor();
  await reviewDeposit(page, "20");
  await signToTheEnd(page);
  expect(await sharesOf(name, user.address)).toBeGreaterThan(0n);
});
