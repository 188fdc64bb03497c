import type { Browser } from "playwright-core";
import { parseUnits } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectWallet, openConsole, startBrowser } from "../support/browser/console-browser.ts";
import { reviewDeposit, signToTheEnd } from "../support/browser/deposit-walk.ts";
import { balanceOf } from "../support/e2e/balances.ts";
import { chainIds, chainOf, newUser, tokenOn, vaultNamed } from "../support/e2e/chain.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

test("what was deposited is withdrawn from the portfolio", async () => {
  const one = chainOf(chainIds.one);
  const user = await newUser(one, { USDC: parseUnits("80", 6) });
  const path = `/vaults/${vaultNamed("Local Prime USDC").vault_id}`;
  const { page, close, errors } = await openConsole(browser, { path, user });
  await connectWallet(page);
  await reviewDeposit(page, "80");
  await signToTheEnd(page);
  await page.getByRole("link", { name: "Open the portfolio" }).click();
  await page.getByRole("button", { name: "Withdraw", exact: true }).click();
  await page.getByRole("button", { name: "Review withdrawal" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Start signing" }).click();
  await dialog.getByText("The tokens are at your address.").waitFor();
  const balance = await balanceOf(one, { token: tokenOn(one, "USDC"), owner: user.address });
  expect(balance).toBeGreaterThan(parseUnits("79", 6));
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.getByText("No positions").waitFor();
  // Reports of transactions are not taken yet; the chain shows them.
  expect(errors.filter((message) => !message.includes("status of 404"))).toEqual([]);
  await close();
});
