import type { Browser } from "playwright-core";
import { parseUnits } from "viem";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { settleRequests } from "../../scripts/stack/chains/settle-requests.ts";
import {
  connectWallet,
  matrixTest,
  type OpenPage,
  openConsole,
  startBrowser,
} from "../support/browser/console-browser.ts";
import { reachState, signToTheEnd, startSigning } from "../support/browser/deposit-walk.ts";
import {
  requestDepositElsewhere,
  requestRedemptionElsewhere,
} from "../support/browser/requests-elsewhere.ts";
import { sharesOf } from "../support/browser/shares-of.ts";
import {
  newHolder,
  openWithdrawDialog,
  receive,
  reviewWithdrawal,
  settleVaultOf,
} from "../support/browser/withdrawal-walk.ts";
import { balanceOf } from "../support/e2e/balances.ts";
import {
  addressOf,
  chainIds,
  chainOf,
  type KeyedUser,
  newUser,
  tokenOn,
  vaultNamed,
} from "../support/e2e/chain.ts";

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

/** Opens the portfolio with the user's connected wallet. */
async function openPortfolio(user: KeyedUser): Promise<OpenPage> {
  opened = await openConsole(browser, { path: "/portfolio", user });
  await connectWallet(opened.page);
  return opened;
}

const one = chainOf(chainIds.one);
const held = (symbol: "USDC" | "WETH", owner: `0x${string}`) =>
  balanceOf(one, { token: tokenOn(one, symbol), owner });

/** Settles a user's deposit requests, as the vault's operator does. */
async function settleDepositsOf(name: string, user: KeyedUser): Promise<void> {
  const vault = vaultNamed(name);
  const { rpcUrl, chainId } = chainOf(vault.chain_id);
  const target = addressOf(vault);
  await settleRequests({ chainId, rpcUrl, adapter: vault.adapter, target, user: user.address });
}

test("a deposit request that was made elsewhere is shown, and its shares are claimed", async () => {
  const name = "Lagoon Later USDC";
  const amount = parseUnits("150", 6);
  const user = await newUser(one, { USDC: amount });
  await requestDepositElsewhere(name, { user, amount });
  const { page, wallet, errors } = await openPortfolio(user);
  await page.getByRole("link", { name: new RegExp(name) }).waitFor();
  await page.getByText("Waiting for the vault").waitFor();
  await page.getByText("Deposit request of 150 USDC").waitFor();
  // What was requested is not shown as a position worth nothing.
  await page.getByText("Requested", { exact: true }).waitFor();
  expect(await page.getByText("Worth now").count()).toBe(0);
  expect(await page.getByRole("button", { name: "Claim shares" }).count()).toBe(0);
  await settleDepositsOf(name, user);
  await page.reload();
  await page.getByText("Ready to claim").waitFor();
  await page.getByRole("button", { name: "Claim shares" }).click();
  await page.getByRole("button", { name: "Withdraw", exact: true }).waitFor();
  expect(wallet.asked()).toEqual(["eth_sendTransaction"]);
  expect(await sharesOf(name, user.address)).toBeGreaterThan(0n);
  expect(errors).toEqual([]);
});

matrixTest("a claim of shares that is declined can be made later, and only by its owner", async () => {
  const name = "Lagoon Later USDC";
  const amount = parseUnits("150", 6);
  const user = await newUser(one, { USDC: amount });
  await requestDepositElsewhere(name, { user, amount });
  await settleDepositsOf(name, user);
  const visitor = await openConsole(browser, { path: `/portfolio?address=${user.address}` });
  await visitor.page.getByText("Ready to claim").waitFor();
  expect(await visitor.page.getByRole("button", { name: "Claim shares" }).count()).toBe(0);
  await visitor.close();
  const { page, wallet } = await openPortfolio(user);
  wallet.decline("eth_sendTransaction");
  await page.getByRole("button", { name: "Claim shares" }).click();
  await page.getByText("You declined in your wallet").waitFor();
  expect(await sharesOf(name, user.address)).toBe(0n);
  await page.getByRole("button", { name: "Claim shares" }).click();
  await page.getByRole("button", { name: "Withdraw", exact: true }).waitFor();
  expect(await sharesOf(name, user.address)).toBeGreaterThan(0n);
});

matrixTest("a redemption request that was made elsewhere is shown, and claimed", async () => {
  const name = "Lagoon USDC";
  const user = await newHolder(name);
  await requestRedemptionElsewhere(name, user);
  const { page, wallet } = await openPortfolio(user);
  await page.getByText("Waiting for the vault").waitFor();
  expect(await page.getByRole("link", { name: "Follow" }).count()).toBe(0);
  await settleVaultOf(name);
  await page.reload();
  await page.getByRole("button", { name: "Claim", exact: true }).click();
  await page.getByText("No positions").waitFor();
  expect(wallet.asked()).toEqual(["eth_sendTransaction"]);
  expect(await held("USDC", user.address)).toBeGreaterThan(0n);
});

matrixTest("a withdrawal in two steps is continued from the portfolio by its address", async () => {
  const name = "Plasma USDC";
  const user = await newHolder(name);
  const { page, wallet } = await openPortfolio(user);
  await openWithdrawDialog(page);
  await receive(page, { chain: "Local One", symbol: "WETH" });
  await reviewWithdrawal(page);
  wallet.decline("eth_sendTransaction", 2);
  await startSigning(page);
  await page.getByText("You declined in your wallet").waitFor();
  await reachState(page, "Your turn");
  expect(await sharesOf(name, user.address)).toBe(0n);
  await page.goto(`/portfolio?address=${user.address}`);
  await page.getByRole("link", { name: "Continue" }).click();
  await page.waitForURL(/\/withdrawals\//);
  await signToTheEnd(page);
  expect(await held("WETH", user.address)).toBeGreaterThan(0n);
});
