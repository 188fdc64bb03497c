import type { Browser } from "playwright-core";
import { encodeFunctionData, erc20Abi, parseUnits } from "viem";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  connectWallet,
  type OpenPage,
  openConsole,
  startBrowser,
} from "../support/browser/console-browser.ts";
import { payWith, reviewDeposit, signToTheEnd } from "../support/browser/deposit-walk.ts";
import { balanceOf } from "../support/e2e/balances.ts";
import {
  chainIds,
  chainOf,
  mined,
  newUser,
  sendCall,
  tokenOn,
  userOn,
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

const vaultPath = (name: string) => `/vaults/${vaultNamed(name).vault_id}`;

async function openVault(
  name: string,
  of: { funds: Parameters<typeof newUser>[1]; chainId?: number; fundedOn?: number },
): Promise<{ opened: OpenPage; user: Awaited<ReturnType<typeof newUser>> }> {
  const user = await newUser(chainOf(of.fundedOn ?? chainIds.one), of.funds);
  opened = await openConsole(browser, { path: vaultPath(name), user, chainId: of.chainId ?? chainIds.one });
  await connectWallet(opened.page);
  return { opened, user };
}

const sharesOf = (name: string, owner: `0x${string}`) =>
  balanceOf(chainOf(vaultNamed(name).chain_id), {
    token: vaultNamed(name).share_token as `0x${string}`,
    owner,
  });

test("a deposit of the vault's own asset: approve, deposit, shares", async () => {
  const { opened, user } = await openVault("Local Prime USDC", { funds: { USDC: parseUnits("500", 6) } });
  const { page, wallet, errors } = opened;
  await page.getByText("Balance: 500").waitFor();
  await reviewDeposit(page, "125.5");
  await page.getByText("Approve 125.5 USDC").waitFor();
  await signToTheEnd(page);
  expect(wallet.asked()).toEqual(["eth_sendTransaction", "eth_sendTransaction"]);
  expect(await sharesOf("Local Prime USDC", user.address)).toBeGreaterThan(0n);
  await page.getByRole("link", { name: "Open the portfolio" }).click();
  await page.getByRole("link", { name: "Local Prime USDC" }).first().waitFor();
  expect(errors).toEqual([]);
});

test("a deposit of another token is swapped", async () => {
  const { opened, user } = await openVault("Local Prime USDC", { funds: { WETH: parseUnits("1", 18) } });
  const { page } = opened;
  await payWith(page, { chain: "Local One", symbol: "WETH" });
  await reviewDeposit(page, "0.1");
  await signToTheEnd(page);
  expect(await sharesOf("Local Prime USDC", user.address)).toBeGreaterThan(0n);
});

test("a bridge delivers, and the second step follows by itself", async () => {
  const { opened, user } = await openVault("Midas Dollars", {
    funds: { USDC: parseUnits("300", 6) },
    fundedOn: chainIds.two,
    chainId: chainIds.two,
  });
  await userOn(chainOf(chainIds.one), user);
  const { page } = opened;
  await payWith(page, { chain: "Local Two", symbol: "USDC" });
  await reviewDeposit(page, "100");
  await signToTheEnd(page);
  expect(opened.wallet.asked()).toContain("wallet_switchEthereumChain");
  expect(await sharesOf("Midas Dollars", user.address)).toBeGreaterThan(0n);
});

test("USDT's old approval is reset first", async () => {
  const { opened, user } = await openVault("Plain USDT", { funds: { USDT: parseUnits("200", 6) } });
  const { page, wallet } = opened;
  const chain = chainOf(chainIds.one);
  const { deposit_router: spender } = chain.info.contracts;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, 7n] });
  await mined(chain, await sendCall(user, { to: tokenOn(chain, "USDT"), data }));
  await reviewDeposit(page, "50");
  await page.getByText("Reset the approval of USDT").waitFor();
  await signToTheEnd(page);
  expect(wallet.asked()).toHaveLength(3);
});

test("declining in the wallet sends nothing, and the deposit can be continued", async () => {
  const { opened, user } = await openVault("Local Prime USDC", { funds: { USDC: parseUnits("50", 6) } });
  const { page, wallet } = opened;
  await reviewDeposit(page, "20");
  wallet.decline("eth_sendTransaction");
  await page.getByRole("button", { name: "Start signing" }).click();
  await page.getByText("You declined in your wallet").waitFor();
  expect(await sharesOf("Local Prime USDC", user.address)).toBe(0n);
  await signToTheEnd(page);
  expect(await sharesOf("Local Prime USDC", user.address)).toBeGreaterThan(0n);
});

test("a wallet on another chain is asked to switch", async () => {
  const { opened } = await openVault("Local Prime USDC", {
    funds: { USDC: parseUnits("50", 6) },
    chainId: chainIds.two,
  });
  await reviewDeposit(opened.page, "20");
  await signToTheEnd(opened.page);
  expect(opened.wallet.asked()[0]).toBe("wallet_switchEthereumChain");
});

test("a page that is loaded again half-way continues with what is left", async () => {
  const { opened, user } = await openVault("Local Prime USDC", { funds: { USDC: parseUnits("50", 6) } });
  const { page, wallet } = opened;
  await reviewDeposit(page, "20");
  wallet.decline("eth_sendTransaction", 2);
  await page.getByRole("button", { name: "Start signing" }).click();
  await page.getByText("You declined in your wallet").waitFor();
  await page.reload();
  await signToTheEnd(page);
  // The approval, the declined deposit, and the deposit: the approval is not asked for again.
  expect(wallet.asked()).toEqual(["eth_sendTransaction", "eth_sendTransaction", "eth_sendTransaction"]);
  expect(await sharesOf("Local Prime USDC", user.address)).toBeGreaterThan(0n);
});

test("another account in the wallet cannot continue a deposit", async () => {
  const { opened } = await openVault("Local Prime USDC", { funds: { USDC: parseUnits("50", 6) } });
  const { page, wallet } = opened;
  await reviewDeposit(page, "20");
  await wallet.select(await newUser(chainOf(chainIds.one)));
  await page.getByText("Your wallet holds another account").waitFor();
  expect(wallet.asked()).toEqual([]);
});

test("an amount that is too large or not a number is refused before anything is asked", async () => {
  const { opened } = await openVault("Local Prime USDC", { funds: { USDC: parseUnits("50", 6) } });
  const { page } = opened;
  await page.getByText("Balance: 50").waitFor();
  await page.getByLabel("You pay").fill("51");
  await page.getByText("This is more than your balance.").waitFor();
  await page.getByLabel("You pay").fill("1.0000001");
  await page.getByText("This token has 6 decimals at most.").waitFor();
  expect(await page.getByRole("button", { name: "Review deposit" }).isDisabled()).toBe(true);
});

test("a vault that takes less says so", async () => {
  const { opened } = await openVault("Minimum USDC", { funds: { USDC: parseUnits("50", 6) } });
  await opened.page.getByLabel("You pay").fill("0.01");
  await opened.page.getByText("Below the vault's minimum").waitFor();
});
