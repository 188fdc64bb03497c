import type { Browser, Page } from "playwright-core";
import type { Batching } from "../client/injected-wallet.ts";
import { chainIds, chainOf, type KeyedUser, newUser, vaultNamed } from "../e2e/chain.ts";
import { connectWallet, type OpenPage, openConsole } from "./console-browser.ts";

/**
 * A new account: the chain on which it has funds, and the chain that its wallet is on at first. Both default to the
 * first chain.
 */
export interface Depositor {
  funds: Parameters<typeof newUser>[1];
  fundedOn?: number;
  chainId?: number;
  batching?: Batching;
}

/** Creates an account and opens a vault's page with its wallet connected. */
export async function openVault(
  browser: Browser,
  { name, funds, fundedOn = chainIds.one, ...wallet }: Depositor & { name: string },
): Promise<OpenPage & { user: KeyedUser }> {
  const user = await newUser(chainOf(fundedOn), funds);
  const path = `/vaults/${vaultNamed(name).vault_id}`;
  const opened = await openConsole(browser, { path, user, ...wallet });
  await connectWallet(opened.page);
  return Object.assign(opened, { user });
}

/** Selects payment by an approval transaction instead of a signature. */
export async function approveByTransaction(page: Page): Promise<void> {
  await page.getByLabel("How you approve").selectOption("approve");
}

/** Selects the token to pay with in the deposit form. */
export async function payWith(page: Page, token: { chain: string; symbol: string }): Promise<void> {
  await page.getByRole("button", { name: /^Pay with/ }).click();
  const dialog = page.getByRole("dialog", { name: "Pay with" });
  await dialog.getByLabel("Chain").selectOption({ label: token.chain });
  await dialog.getByRole("button", { name: new RegExp(`^${token.symbol}\\b`) }).click();
}

/** Enters an amount, waits for its quote and builds the deposit. Ends on the deposit's page; returns its tracking id. */
export async function reviewDeposit(page: Page, amount: string): Promise<string> {
  await page.getByLabel("You pay").fill(amount);
  const review = page.getByRole("button", { name: "Review deposit" });
  await review.click();
  await page.waitForURL(/\/deposits\//);
  return new URL(page.url()).pathname.split("/").at(-1) ?? "";
}

/** Clicks the button by which an order's page starts to request signatures. */
export async function startSigning(page: Page): Promise<void> {
  await page.getByRole("button", { name: /Start signing|Sign in wallet|Try again/ }).click();
}

/** Waits until an order's page shows a state. */
export async function reachState(page: Page, label: string): Promise<void> {
  await page.getByRole("main").getByText(label, { exact: true }).first().waitFor();
}

/** Signs every step of an order's page and waits until the order is completed. */
export async function signToTheEnd(page: Page): Promise<void> {
  await startSigning(page);
  await reachState(page, "Completed");
}
