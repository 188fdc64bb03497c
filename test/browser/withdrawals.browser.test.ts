import type { Browser } from "playwright-core";
import { encodeFunctionData, erc20Abi, maxUint256, parseUnits } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { permit2Address } from "../../src/router/router-signature-messages.ts";
import {
  connectWallet,
  matrixTest,
  type OpenPage,
  openConsole,
  startBrowser,
} from "../support/browser/console-browser.ts";
import {
  approveByTransaction,
  reachState,
  signToTheEnd,
  startSigning,
} from "../support/browser/deposit-walk.ts";
import { sharesOf } from "../support/browser/shares-of.ts";
import {
  moveInto,
  newHolder,
  openWithdrawDialog,
  receive,
  reviewWithdrawal,
  settleVaultOf,
} from "../support/browser/withdrawal-walk.ts";
import { balanceOf } from "../support/e2e/balances.ts";
import {
  chainIds,
  chainOf,
  type KeyedUser,
  mined,
  sendCall,
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

/** Opens the portfolio of an account that holds shares of one vault. */
async function openPortfolio(
  name: string,
  prepare: (name: string, user: KeyedUser) => Promise<void> = async () => undefined,
): Promise<OpenPage & { user: KeyedUser }> {
  const user = await newHolder(name);
  await prepare(name, user);
  opened = await openConsole(browser, { path: "/portfolio", user });
  await connectWallet(opened.page);
  await openWithdrawDialog(opened.page);
  return { ...opened, user };
}

/** Approves Permit2 for the shares of a vault. */
async function approvePermit2(name: string, user: KeyedUser): Promise<void> {
  const { chain_id: chainId, share_token: to } = vaultNamed(name);
  const args = [permit2Address, maxUint256] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
  await mined(chainOf(chainId), await sendCall(user, { to, data }));
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

describe("shares with an ERC-2612 permit", () => {
  const name = "Local Prime USDC";

  test("are redeemed by one signature and one transaction, without an approval", async () => {
    const { page, user, wallet, errors } = await openPortfolio(name);
    await reviewWithdrawal(page);
    await page.getByText(/^Sign for [\d.,]+ \S+/).waitFor();
    await page.getByText(/^Allows Causeway's contract to take .+ until .+ Signing costs no fee/).waitFor();
    await signToTheEnd(page);
    expect(wallet.asked()).toEqual(["eth_signTypedData_v4", "eth_sendTransaction"]);
    expect(await sharesOf(name, user.address)).toBe(0n);
    expect(await held(chainIds.one, { symbol: "USDC", owner: user.address })).toBeGreaterThan(0n);
    expect(errors).toEqual([]);
  });

  test("stay where they are when the user rejects the signature, and leave on the next try", async () => {
    const { page, user, wallet } = await openPortfolio(name);
    const before = await sharesOf(name, user.address);
    await reviewWithdrawal(page);
    wallet.decline("eth_signTypedData_v4");
    await startSigning(page);
    await page.getByText("You declined in your wallet").waitFor();
    expect(wallet.asked()).toEqual(["eth_signTypedData_v4"]);
    expect(await sharesOf(name, user.address)).toBe(before);
    await signToTheEnd(page);
    expect(await sharesOf(name, user.address)).toBe(0n);
  });

  matrixTest("are approved by a transaction if the user prefers that", async () => {
    const { page, user, wallet } = await openPortfolio(name);
    await approveByTransaction(page);
    await reviewWithdrawal(page);
    await signToTheEnd(page);
    expect(wallet.asked()).toEqual(["eth_sendTransaction", "eth_sendTransaction"]);
    expect(await sharesOf(name, user.address)).toBe(0n);
  });

  matrixTest("are signed for again after a reload", async () => {
    const { page, user, wallet } = await openPortfolio(name);
    await reviewWithdrawal(page);
    wallet.decline("eth_sendTransaction");
    await startSigning(page);
    await page.getByText("You declined in your wallet").waitFor();
    await page.reload();
    await signToTheEnd(page);
    expect(wallet.asked().filter((method) => method === "eth_signTypedData_v4")).toHaveLength(2);
    expect(await sharesOf(name, user.address)).toBe(0n);
  });

  matrixTest("are moved into another vault by one signature", async () => {
    const { page, user, wallet } = await openPortfolio(name);
    await moveInto(page, "Fine USDC (USDC, Local One)");
    await page.getByText(/^Sign for [\d.,]+ \S+/).waitFor();
    await signToTheEnd(page);
    expect(wallet.asked()).toEqual(["eth_signTypedData_v4", "eth_sendTransaction"]);
    expect(await sharesOf(name, user.address)).toBe(0n);
    expect(await sharesOf("Fine USDC", user.address)).toBeGreaterThan(0n);
  });
});

matrixTest("a withdrawal signed for Permit2 and not sent is made unusable", async () => {
  const { page, user, wallet } = await openPortfolio("Plain USDC", approvePermit2);
  const before = await sharesOf("Plain USDC", user.address);
  await reviewWithdrawal(page);
  await page.getByText(/for exactly this order, once until/).waitFor();
  wallet.decline("eth_sendTransaction");
  await startSigning(page);
  await page.getByText("You declined in your wallet").waitFor();
  await page.getByRole("button", { name: "Cancel the signed order" }).click();
  await reachState(page, "Given up");
  expect(wallet.asked()).toEqual(["eth_signTypedData_v4", "eth_sendTransaction", "eth_sendTransaction"]);
  expect(await sharesOf("Plain USDC", user.address)).toBe(before);
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

test("a minimum that the second transaction will replace is not shown as enforced", async () => {
  const { page } = await openPortfolio("Plain USDC");
  await page.route("**/v1/withdraw/quote", async (route) => {
    const response = await route.fetch();
    const { options, ...quote } = await response.json();
    const inTwo = options.map((option: object) => ({ ...option, two_step: true }));
    await route.fulfill({ response, json: { ...quote, options: inTwo } });
  });
  await receive(page, { chain: "Local One", symbol: "WETH" });
  await page.getByText("Quoted minimum", { exact: true }).waitFor();
  expect(await page.getByText("At least", { exact: true }).count()).toBe(0);
  await reviewWithdrawal(page);
  const [enforced, quoted] = ["You receive at least", "Quoted minimum"].map((term) =>
    page.getByText(term, { exact: true }),
  );
  await enforced?.waitFor();
  expect(await quoted?.count()).toBe(0);
  await page.route("**/v1/withdrawals/*", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), two_step: true } });
  });
  await page.reload();
  await quoted?.waitFor();
  await page.getByText("The second transaction is quoted again, with its own minimum.").waitFor();
  expect(await enforced?.count()).toBe(0);
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
  await moveInto(page, "Fine USDC (USDC, Local One)");
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
