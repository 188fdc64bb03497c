import type { Browser } from "playwright-core";
import { parseUnits } from "viem";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { rpc } from "../../scripts/stack/chains/json-rpc.ts";
import { matrixTest, type OpenPage, startBrowser } from "../support/browser/console-browser.ts";
import {
  type Depositor,
  openVault,
  payWith,
  reachState,
  reviewDeposit,
  signToTheEnd,
  startSigning,
} from "../support/browser/deposit-walk.ts";
import { sharesOf } from "../support/browser/shares-of.ts";
import { balanceOf } from "../support/e2e/balances.ts";
import { addressOf, chainIds, chainOf, type KeyedUser, tokenOn, vaultNamed } from "../support/e2e/chain.ts";
import { withBridge } from "../support/e2e/cross-chain.ts";

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

matrixTest("a bridge that is late is waited for, after a reload too", async () => {
  const { page, user } = await open("Remote USDC", { funds: usdc("300") });
  await payWith(page, { chain: "Local One", symbol: "USDC" });
  await reviewDeposit(page, "100");
  await withBridge({ relayer: { mode: "stall" } }, async () => {
    await startSigning(page);
    await reachState(page, "On its way");
    await page.reload();
    await page.getByText("Nothing to do now").waitFor();
  });
  await reachState(page, "Completed");
  expect(await sharesOf("Remote USDC", user.address)).toBeGreaterThan(0n);
});

matrixTest("a bridge that pays back ends the deposit with the refund", async () => {
  const { page, user } = await open("Remote USDC", { funds: usdc("100") });
  await payWith(page, { chain: "Local One", symbol: "USDC" });
  await reviewDeposit(page, "100");
  await withBridge({ relayer: { mode: "refund" } }, async () => {
    await startSigning(page);
    await reachState(page, "Refunded");
  });
  const one = chainOf(chainIds.one);
  const back = await balanceOf(one, { token: tokenOn(one, "USDC"), owner: user.address });
  expect(back).toBeGreaterThan(parseUnits("99", 6));
  expect(await sharesOf("Remote USDC", user.address)).toBe(0n);
});

matrixTest("a vault that stops while its deposit is signed takes nothing", async () => {
  const vault = vaultNamed("Local Prime USDC");
  const { page, user } = await open(vault.name, { funds: usdc("50") });
  await reviewDeposit(page, "20");
  const chain = chainOf(vault.chain_id);
  const address = addressOf(vault);
  const code = await rpc(chain.rpcUrl, "eth_getCode", address, "latest");
  // A contract that refuses every call, as a paused one refuses deposits.
  await rpc(chain.rpcUrl, "anvil_setCode", address, "0x60006000fd");
  try {
    await startSigning(page);
    await page.getByRole("alert").waitFor();
  } finally {
    await rpc(chain.rpcUrl, "anvil_setCode", address, code);
  }
  const held = await balanceOf(chain, { token: tokenOn(chain, "USDC"), owner: user.address });
  expect(held).toBe(parseUnits("50", 6));
  await signToTheEnd(page);
  expect(await sharesOf(vault.name, user.address)).toBeGreaterThan(0n);
});

matrixTest("a vault that is paused takes no deposit, and says why", async () => {
  const { page } = await open("Paused USDC", { funds: usdc("50") });
  await page.getByText("Deposits are paused").waitFor();
  expect(await page.getByLabel("You pay").count()).toBe(0);
});

matrixTest("an amount that is too large or not a number is refused before anything is asked", async () => {
  const { page } = await open("Local Prime USDC", { funds: usdc("50") });
  await page.getByText("Balance: 50").waitFor();
  await page.getByLabel("You pay").fill("51");
  await page.getByText("This is more than your balance.").waitFor();
  await page.getByLabel("You pay").fill("1.0000001");
  await page.getByText("This token has 6 decimals at most.").waitFor();
  expect(await page.getByRole("button", { name: "Review deposit" }).isDisabled()).toBe(true);
});

matrixTest("more than the account holds is refused before anything is signed, on any chain", async () => {
  const { page, wallet } = await open("Local Prime USDC", { funds: usdc("5"), chainId: chainIds.two });
  await page.getByLabel("You pay").fill("20");
  await page.getByRole("button", { name: "Review deposit" }).click();
  await page.getByText("Your balance is too small").waitFor();
  expect(wallet.asked()).toEqual([]);
});

matrixTest("a vault that takes less says so", async () => {
  const { page } = await open("Minimum USDC", { funds: usdc("50") });
  await page.getByLabel("You pay").fill("0.01");
  await page.getByText("Below the vault's minimum").waitFor();
});
