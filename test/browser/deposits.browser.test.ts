import type { Browser } from "playwright-core";
import { encodeFunctionData, erc20Abi, parseUnits } from "viem";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { settleRequests } from "../../scripts/stack/chains/settle-requests.ts";
import { matrixTest, type OpenPage, startBrowser } from "../support/browser/console-browser.ts";
import {
  approveByTransaction,
  type Depositor,
  openVault,
  payWith,
  reachState,
  reviewDeposit,
  signToTheEnd,
  startSigning,
} from "../support/browser/deposit-walk.ts";
import { sharesOf } from "../support/browser/shares-of.ts";
import {
  addressOf,
  chainIds,
  chainOf,
  type KeyedUser,
  mined,
  sendCall,
  tokenOn,
  userOn,
  vaultNamed,
} from "../support/e2e/chain.ts";

let browser: Browser;
let opened: (OpenPage & { user: KeyedUser }) | null = null;
beforeAll(async () => {
  browser = await startBrowser();
});
afterEach(async () => {
  await opened?.close();
  opened = null;
});
afterAll(() => browser.close());

/** Opens a vault's page, which is closed after the test. */
async function open(name: string, depositor: Depositor) {
  opened = await openVault(browser, { name, ...depositor });
  return opened;
}

const usdc = (amount: string) => ({ USDC: parseUnits(amount, 6) });

test("a deposit of the vault's own asset: approve, deposit, shares", async () => {
  const { page, wallet, errors, user } = await open("Local Prime USDC", { funds: usdc("500") });
  await page.getByText("Balance: 500").waitFor();
  await approveByTransaction(page);
  await reviewDeposit(page, "125.5");
  await page.getByText("Approve 125.5 USDC").waitFor();
  await signToTheEnd(page);
  expect(wallet.asked()).toEqual(["eth_sendTransaction", "eth_sendTransaction"]);
  expect(await sharesOf("Local Prime USDC", user.address)).toBeGreaterThan(0n);
  await page.getByRole("link", { name: "Open the portfolio" }).click();
  await page.getByRole("link", { name: "Local Prime USDC" }).first().waitFor();
  expect(errors).toEqual([]);
});

test("a deposit with one signature and no approval", async () => {
  const { page, wallet, user, errors } = await open("Plain USDC", { funds: usdc("500") });
  await reviewDeposit(page, "125.5");
  await page.getByText("Sign for 125.5 USDC").waitFor();
  await signToTheEnd(page);
  expect(wallet.asked()).toEqual(["eth_signTypedData_v4", "eth_sendTransaction"]);
  expect(await sharesOf("Plain USDC", user.address)).toBeGreaterThan(0n);
  expect(errors).toEqual([]);
});

matrixTest("a deposit of another token is swapped", async () => {
  const { page, user } = await open("Local Prime USDC", { funds: { WETH: parseUnits("1", 18) } });
  await payWith(page, { chain: "Local One", symbol: "WETH" });
  await reviewDeposit(page, "0.1");
  await signToTheEnd(page);
  expect(await sharesOf("Local Prime USDC", user.address)).toBeGreaterThan(0n);
});

matrixTest("a deposit of the chain's own currency needs no approval", async () => {
  const { page, user, wallet } = await open("Solid WETH", { funds: {} });
  await payWith(page, { chain: "Local One", symbol: "ETH" });
  expect(await page.getByLabel("How you approve").count()).toBe(0);
  await reviewDeposit(page, "0.5");
  await signToTheEnd(page);
  expect(wallet.asked()).toEqual(["eth_sendTransaction"]);
  expect(await sharesOf("Solid WETH", user.address)).toBeGreaterThan(0n);
});

matrixTest("a bridge delivers into the vault in one step", async () => {
  const { page, user } = await open("Remote USDC", { funds: usdc("300") });
  await payWith(page, { chain: "Local One", symbol: "USDC" });
  await reviewDeposit(page, "100");
  await page.getByText("Deposit through the bridge").waitFor();
  await signToTheEnd(page);
  expect(await sharesOf("Remote USDC", user.address)).toBeGreaterThan(0n);
});

test("a bridge delivers, and the second step follows by itself", async () => {
  const from = { fundedOn: chainIds.two, chainId: chainIds.two };
  const { page, user, wallet } = await open("Midas Dollars", { funds: usdc("300"), ...from });
  await userOn(chainOf(chainIds.one), user);
  await payWith(page, { chain: "Local Two", symbol: "USDC" });
  await reviewDeposit(page, "100");
  await page.getByText("Quoted minimum").waitFor();
  expect(await page.getByText("At least", { exact: true }).count()).toBe(0);
  await signToTheEnd(page);
  expect(wallet.asked()).toContain("wallet_switchEthereumChain");
  expect(await sharesOf("Midas Dollars", user.address)).toBeGreaterThan(0n);
});

test("a vault that settles later is followed, and claimed after a reload", async () => {
  const name = "Lagoon Later USDC";
  const vault = vaultNamed(name);
  const { page, user } = await open(name, { funds: usdc("300") });
  await reviewDeposit(page, "100");
  await startSigning(page);
  await reachState(page, "Waiting for the vault");
  const { rpcUrl, chainId } = chainOf(vault.chain_id);
  const request = { chainId, rpcUrl, adapter: vault.adapter, target: addressOf(vault), user: user.address };
  await settleRequests(request);
  await page.reload();
  await reachState(page, "Ready to claim");
  await signToTheEnd(page);
  expect(await sharesOf(name, user.address)).toBeGreaterThan(0n);
});

matrixTest("USDT's old approval is reset first", async () => {
  const { page, wallet, user } = await open("Plain USDT", { funds: { USDT: parseUnits("200", 6) } });
  const chain = chainOf(chainIds.one);
  const { deposit_router: spender } = chain.info.contracts;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, 7n] });
  await mined(chain, await sendCall(user, { to: tokenOn(chain, "USDT"), data }));
  await reviewDeposit(page, "50");
  await page.getByText("Reset the approval of USDT").waitFor();
  await signToTheEnd(page);
  expect(wallet.asked()).toHaveLength(3);
});
