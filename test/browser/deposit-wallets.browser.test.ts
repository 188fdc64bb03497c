import type { Browser } from "playwright-core";
import { parseUnits } from "viem";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { matrixTest, type OpenPage, startBrowser } from "../support/browser/console-browser.ts";
import {
  approveByTransaction,
  type Depositor,
  openVault,
  reachState,
  reviewDeposit,
  signToTheEnd,
  startSigning,
} from "../support/browser/deposit-walk.ts";
import { sharesOf } from "../support/browser/shares-of.ts";
import { chainIds, chainOf, type KeyedUser, newUser } from "../support/e2e/chain.ts";

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
const VAULT = "Local Prime USDC";

matrixTest("declining in the wallet sends nothing, and the deposit can be continued", async () => {
  const { page, wallet, user } = await open(VAULT, { funds: usdc("50") });
  await approveByTransaction(page);
  await reviewDeposit(page, "20");
  wallet.decline("eth_sendTransaction");
  await startSigning(page);
  await page.getByText("You declined in your wallet").waitFor();
  expect(await sharesOf(VAULT, user.address)).toBe(0n);
  await signToTheEnd(page);
  expect(await sharesOf(VAULT, user.address)).toBeGreaterThan(0n);
});

matrixTest("a wallet on another chain is asked to switch", async () => {
  const { page, wallet } = await open(VAULT, { funds: usdc("50"), chainId: chainIds.two });
  await reviewDeposit(page, "20");
  await signToTheEnd(page);
  expect(wallet.asked()[0]).toBe("wallet_switchEthereumChain");
});

matrixTest("a wallet that does not switch is told what to do", async () => {
  const { page, wallet } = await open(VAULT, { funds: usdc("50"), chainId: chainIds.two });
  await reviewDeposit(page, "20");
  wallet.decline("wallet_switchEthereumChain");
  await startSigning(page);
  await page.getByText("You declined in your wallet").waitFor();
  expect(wallet.asked()).toEqual(["wallet_switchEthereumChain"]);
});

test("a page that is loaded again half-way continues with what is left", async () => {
  const { page, wallet, user } = await open(VAULT, { funds: usdc("50") });
  await approveByTransaction(page);
  await reviewDeposit(page, "20");
  wallet.decline("eth_sendTransaction", 2);
  await startSigning(page);
  await page.getByText("You declined in your wallet").waitFor();
  await page.reload();
  await signToTheEnd(page);
  // The approval, the declined deposit, and the deposit: the approval is not asked for again.
  expect(wallet.asked()).toEqual(["eth_sendTransaction", "eth_sendTransaction", "eth_sendTransaction"]);
  expect(await sharesOf(VAULT, user.address)).toBeGreaterThan(0n);
});

matrixTest("another account in the wallet cannot continue a deposit", async () => {
  const { page, wallet } = await open(VAULT, { funds: usdc("50") });
  await reviewDeposit(page, "20");
  await wallet.select(await newUser(chainOf(chainIds.one)));
  await page.getByText("Your wallet holds another account").waitFor();
  expect(wallet.asked()).toEqual([]);
});

matrixTest("an account that changes half-way stops the deposit, and the right one continues it", async () => {
  const { page, wallet, user } = await open(VAULT, { funds: usdc("50") });
  await approveByTransaction(page);
  await reviewDeposit(page, "20");
  wallet.decline("eth_sendTransaction", 2);
  await startSigning(page);
  await page.getByText("You declined in your wallet").waitFor();
  await wallet.select(await newUser(chainOf(chainIds.one)));
  await page.getByText("Select that account in your wallet").waitFor();
  await wallet.select(user);
  await signToTheEnd(page);
  expect(await sharesOf(VAULT, user.address)).toBeGreaterThan(0n);
});

matrixTest.each([
  ["in one batch", "atomic", ["wallet_sendCalls"]],
  [
    "one by one where the wallet refuses the batch",
    "refuses",
    ["wallet_sendCalls", "eth_sendTransaction", "eth_sendTransaction"],
  ],
] as const)("approval and deposit are sent %s", async (_name, batching, asked) => {
  const { page, wallet, user } = await open(VAULT, { funds: usdc("50"), batching });
  await approveByTransaction(page);
  await reviewDeposit(page, "20");
  await signToTheEnd(page);
  expect(wallet.asked()).toEqual(asked);
  expect(await sharesOf(VAULT, user.address)).toBeGreaterThan(0n);
});

matrixTest("a declined batch is not sent one by one", async () => {
  const { page, wallet, user } = await open(VAULT, { funds: usdc("50"), batching: "atomic" });
  await approveByTransaction(page);
  await reviewDeposit(page, "20");
  wallet.decline("wallet_sendCalls");
  await startSigning(page);
  await page.getByText("You declined in your wallet").waitFor();
  expect(wallet.asked()).toEqual(["wallet_sendCalls"]);
  expect(await sharesOf(VAULT, user.address)).toBe(0n);
});

matrixTest("a signed order that was not sent is made unusable", async () => {
  const { page, wallet, user } = await open(VAULT, { funds: usdc("50") });
  await reviewDeposit(page, "20");
  wallet.decline("eth_sendTransaction");
  await startSigning(page);
  await page.getByText("You declined in your wallet").waitFor();
  await page.getByRole("button", { name: "Cancel the signed order" }).click();
  await reachState(page, "Given up");
  expect(wallet.asked()).toEqual([
    "eth_signTypedData_v4",
    "eth_sendTransaction",
    "eth_signTypedData_v4",
    "eth_sendTransaction",
  ]);
  expect(await sharesOf(VAULT, user.address)).toBe(0n);
});
