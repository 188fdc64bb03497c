import type { Page } from "playwright-core";
import { settleRedemptions } from "../../../scripts/stack/playground/settle-redemptions.ts";
import { Api } from "../e2e/api.ts";
import { chainOf, type KeyedUser, mined, newUser, vaultNamed } from "../e2e/chain.ts";
import { amounts, bodyFor } from "../e2e/deposit.ts";
import { signDeposit } from "../e2e/sign-deposit.ts";

const api = new Api();

/** Creates an account that holds shares of a vault, by depositing an ordinary amount through the API. */
export async function newHolder(name: string): Promise<KeyedUser> {
  const vault = vaultNamed(name);
  const chain = chainOf(vault.chain_id);
  const user = await newUser(chain, { [vault.asset_symbol]: amounts[vault.asset_symbol] });
  const built = await api.build(bodyFor(vault, { user: user.address }));
  await mined(chain, await signDeposit(chain, { user, built, style: "calls" }));
  return user;
}

/** Opens the withdrawal dialog of the portfolio's only position. */
export async function openWithdrawDialog(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Withdraw", exact: true }).click();
  await page.getByRole("dialog").getByLabel("Shares").waitFor();
}

/** Selects the token and chain to receive. */
export async function receive(page: Page, token: { chain: string; symbol: string }): Promise<void> {
  await page.getByRole("button", { name: /^Receive/ }).click();
  const picker = page.getByRole("dialog", { name: "Receive" });
  await picker.getByLabel("Chain").selectOption({ label: token.chain });
  await picker.getByRole("button", { name: new RegExp(`^${token.symbol}\\b`) }).click();
}

/** Builds the withdrawal mode that is offered first. Ends on the withdrawal's page and returns its tracking id. */
export async function reviewWithdrawal(page: Page): Promise<string> {
  await page.getByRole("button", { name: "Review withdrawal" }).first().click();
  await page.waitForURL(/\/withdrawals\//);
  return new URL(page.url()).pathname.split("/").at(-1) ?? "";
}

/** Settles the open redemption requests of a vault, as its operator does. */
export async function settleVaultOf(name: string): Promise<void> {
  const vault = vaultNamed(name);
  await settleRedemptions({ vault, rpcUrl: chainOf(vault.chain_id).rpcUrl });
}

/**
 * Builds a move of all shares into another vault, given by its name in the list. Ends on the page of the move's
 * deposit.
 */
export async function moveInto(page: Page, vault: string): Promise<void> {
  await page.getByRole("button", { name: "Into another vault" }).click();
  await page.getByRole("dialog").getByLabel("Vault").selectOption({ label: vault });
  await page.getByRole("button", { name: "Review move" }).click();
  await page.waitForURL(/\/deposits\//);
}
