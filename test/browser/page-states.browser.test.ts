import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { parseUnits } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, inject } from "vitest";
import {
  connectWallet,
  looks,
  matrixTest,
  openConsole,
  startBrowser,
} from "../support/browser/console-browser.ts";
import { reachState, startSigning } from "../support/browser/deposit-walk.ts";
import { expectAccessible } from "../support/browser/page-checks.ts";
import { newHolder, openWithdrawDialog } from "../support/browser/withdrawal-walk.ts";
import { chainIds, chainOf, newUser, vaultNamed } from "../support/e2e/chain.ts";

const NAME = "Plain USDC";
const vaultPath = `/vaults/${vaultNamed(NAME).vault_id}`;
const one = chainOf(chainIds.one);

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});
afterAll(() => browser.close());

/** Lets every request to the API fail, as during an interruption of the service. */
const failEveryRequest = (page: Page) =>
  page.route(/\/v1\/|\/health\//, (route) =>
    route.fulfill({
      status: 503,
      contentType: "application/problem+json",
      body: JSON.stringify({ code: "store_unavailable", status: 503, title: "x", detail: "y", type: "z" }),
    }),
  );

/** Gives a vault a long name and a large value in every response of the API. */
const LONG_NAME = `${NAME} Prime Institutional B`;
const lengthenEverything = (page: Page) =>
  page.route(/\/v1\/(vaults|positions)/, async (route) => {
    const response = await route.fetch();
    const body = (await response.text())
      .replaceAll(NAME, LONG_NAME)
      .replaceAll(/"(tvl_usd|value_usd)":"[^"]+"/g, '"$1":"98765432109876543.21"');
    await route.fulfill({ response, body });
  });

/** Returns the texts of a page, with the long name or dollars in them, of which a part is cut off. */
const CUT_OFF = `[...document.querySelectorAll("main *")]
  .filter(({ children, textContent }) => children.length === 0 && /Institutional|\\$/.test(textContent))
  .filter((one) => one.scrollWidth > one.clientWidth && getComputedStyle(one).overflowX !== "visible")
  .map(({ textContent }) => textContent)`;

/** Opens a page whose requests were intercepted before it is loaded. */
async function openPrepared(
  of: { path: string; window: BrowserContextOptions },
  prepare: (page: Page) => Promise<unknown>,
): Promise<Page> {
  const { page } = await openConsole(browser, { path: "/docs-assets/icon.svg", window: of.window });
  await prepare(page);
  await page.goto(of.path);
  return page;
}

matrixTest("long names and sums are shown as a whole on the narrowest phone", async () => {
  const user = await newHolder(NAME);
  const window = { viewport: { width: 320, height: 640 } };
  for (const path of [`/?q=${NAME}`, vaultPath, `/portfolio?address=${user.address}`]) {
    const page = await openPrepared({ path, window }, lengthenEverything);
    await page.getByText(LONG_NAME).first().waitFor();
    await expectAccessible(page);
    expect(await page.evaluate(CUT_OFF)).toEqual([]);
  }
});

describe.each(looks)("on a $device in $colorScheme colours, without violation or overflow:", ({ window }) => {
  matrixTest("each step of a deposit", async () => {
    const user = await newUser(one, { USDC: parseUnits("50", 6) });
    const { page, wallet } = await openConsole(browser, { path: vaultPath, user, window });
    await page.getByText("Terms and controls").waitFor();
    await page.getByRole("banner").getByRole("button", { name: "Connect wallet" }).click();
    await page.getByRole("button", { name: "Test Wallet" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Test Wallet" }).click();
    await page.getByText("Balance: 50").waitFor();
    await page.getByRole("button", { name: /^Pay with/ }).click();
    await page
      .getByRole("dialog", { name: "Pay with" })
      .getByRole("button", { name: /^USDC\b/ })
      .waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByLabel("You pay").fill("51");
    await page.getByText("This is more than your balance.").waitFor();
    await expectAccessible(page);
    await page.getByLabel("You pay").fill("20");
    await page.getByRole("button", { name: "Review deposit", disabled: false }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Review deposit" }).click();
    await page.getByRole("button", { name: "Sign in wallet" }).waitFor();
    await expectAccessible(page);
    wallet.decline("eth_signTypedData_v4");
    await startSigning(page);
    await page.getByText("You declined in your wallet").waitFor();
    await expectAccessible(page);
    await startSigning(page);
    await reachState(page, "Completed");
    await expectAccessible(page);
  });

  matrixTest("a position, its withdrawal and its move", async () => {
    const user = await newHolder(NAME);
    const { page } = await openConsole(browser, { path: "/portfolio", user, window });
    await connectWallet(page);
    await page.getByRole("button", { name: "Withdraw", exact: true }).waitFor();
    await expectAccessible(page);
    await openWithdrawDialog(page);
    await page.getByRole("button", { name: "Review withdrawal" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Into another vault" }).click();
    await page.getByRole("dialog").getByLabel("Vault").selectOption({ label: "Fine USDC (USDC, Local One)" });
    await page.getByRole("button", { name: "Review move", disabled: false }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "To my wallet" }).click();
    await page.getByRole("button", { name: "Review withdrawal" }).click();
    await page.waitForURL(/\/withdrawals\//);
    await page.getByRole("button", { name: /Start signing|Sign in wallet/ }).waitFor();
    await expectAccessible(page);
  });

  matrixTest("each list of the administrator", async () => {
    const { page } = await openConsole(browser, { path: "/admin", window });
    await page.getByLabel("Administrator's token").fill(inject("stack").admin_token);
    await page.getByRole("button", { name: "Continue" }).click();
    for (const section of ["Vaults", "Audit", "Applications"]) {
      await page.getByRole("button", { name: section, exact: true }).click();
      await page
        .getByRole("table")
        .or(page.getByText(/^No applications|^Nothing was decided/))
        .first()
        .waitFor();
      await expectAccessible(page);
    }
  });

  matrixTest.each([
    "/",
    vaultPath,
    "/portfolio?address=0x000000000000000000000000000000000000dEaD",
    "/signals",
    "/status",
  ])("%s while nothing is answered, and while everything fails", async (path) => {
    const waiting = await openPrepared({ path, window }, (page) =>
      page.route(/\/v1\/|\/health\//, () => undefined),
    );
    await waiting.getByRole("heading", { level: 1 }).waitFor();
    await expectAccessible(waiting);
    const failing = await openPrepared({ path, window }, failEveryRequest);
    await failing.getByText("The service cannot answer this now").first().waitFor();
    await failing.getByRole("button", { name: "Try again" }).first().waitFor();
    await expectAccessible(failing);
  });

  matrixTest("an account that holds nothing", async () => {
    const user = await newUser(one);
    const { page } = await openConsole(browser, { path: `/portfolio?address=${user.address}`, window });
    await page.getByText("No positions").waitFor();
    await page.getByText("No withdrawals yet").waitFor();
    await expectAccessible(page);
    expect(await page.getByRole("button", { name: "Withdraw" }).count()).toBe(0);
  });
});
