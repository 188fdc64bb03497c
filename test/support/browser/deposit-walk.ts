import type { Page } from "playwright-core";

/** Chooses what to pay with in the deposit form. */
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

/** Signs all that the deposit's page asks for, and waits until the deposit is completed. */
export async function signToTheEnd(page: Page): Promise<void> {
  await page.getByRole("button", { name: /Start signing|Sign in wallet|Try again/ }).click();
  await page.getByRole("main").getByText("Completed", { exact: true }).waitFor({ timeout: 120_000 });
}
