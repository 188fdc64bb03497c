import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { matrixTest, type OpenPage, openConsole, startBrowser } from "../support/browser/console-browser.ts";
import { addressOf, vaultNamed } from "../support/e2e/chain.ts";
import { query } from "../support/e2e/database.ts";

const MEASURED = "Fine USDC";
const path = (name: string) => `/vaults/${vaultNamed(name).vault_id}`;
/** Block of the snapshots that this file adds, by which it removes them. */
const BLOCK = -19;
const DAYS = 20;
const HOUR_MS = 3_600_000;

let browser: Browser;
let opened: OpenPage | null = null;

/** Adds hourly and daily snapshots of a vault whose shares gain 0.02 % a day. */
async function addHistory(): Promise<void> {
  const vault = vaultNamed(MEASURED);
  const start = Math.floor(Date.now() / (24 * HOUR_MS)) * 24 * HOUR_MS - DAYS * 24 * HOUR_MS;
  const rows = Array.from({ length: DAYS * 24 }, (_, hour) => ({
    at: new Date(start + hour * HOUR_MS).toISOString(),
    price: String(10n ** 18n + (10n ** 14n * 2n * BigInt(hour)) / 24n),
    total: String(40_000_000_000n + 1_000_000n * BigInt(hour)),
    steps: hour % 24 === 0 ? [3_600, 86_400] : [3_600],
  }));
  for (const { at, price, total, steps } of rows)
    for (const step of steps)
      await query(
        `insert into snapshots (chain_id, vault_address, step, at, block_number, block_time, total_assets, share_price,
           paused, controls) values ($1, $2, $3, $4, $5, $4, $6, $7, false, '{}') on conflict do nothing`,
        [vault.chain_id, addressOf(vault), step, at, BLOCK, total, price],
      );
}

beforeAll(async () => {
  [browser] = await Promise.all([startBrowser(), addHistory()]);
});
afterEach(async () => {
  await opened?.close();
  opened = null;
});
afterAll(async () => {
  await browser.close();
  await query("delete from snapshots where block_number = $1", [BLOCK]);
});

async function open(name: string) {
  opened = await openConsole(browser, { path: path(name) });
  return opened;
}

/** Scrolls to the chart, whose code is loaded when it comes into the window. */
const seeChart = (page: Page) => page.getByText("Chart by TradingView").scrollIntoViewIfNeeded();

test("a vault's share price, value and APY are drawn and told in words", async () => {
  const { page, errors } = await open(MEASURED);
  await seeChart(page);
  await page.getByRole("img", { name: /^Share price from 1\.00\d+ USDC .* to 1\.\d+ USDC/ }).waitFor();
  expect(await page.locator("canvas").count()).toBeGreaterThan(0);
  await page.getByRole("button", { name: "Total value" }).click();
  await page.getByRole("img", { name: /^Total value from 40,\d+ USDC/ }).waitFor();
  await page.getByRole("button", { name: "APY" }).click();
  await page.getByRole("img", { name: /^APY from 7\.\d+ %/ }).waitFor();
  await page.getByRole("button", { name: "30 d" }).click();
  await page.getByRole("img", { name: /^APY from/ }).waitFor();
  expect(errors).toEqual([]);
});

matrixTest("a vault that was hardly measured says so", async () => {
  opened = await openConsole(browser, { path: "/" });
  const { page } = opened;
  await page.route(/\/history\?/, (route) => route.fulfill({ json: { points: [] } }));
  await page.goto(path("Dust WETH"));
  await page.getByText("Not enough history yet").waitFor();
});

matrixTest("a history that is read, and one that cannot be, are said; the next try shows it", async () => {
  opened = await openConsole(browser, { path: "/" });
  const { page } = opened;
  let answer: (() => Promise<void>) | null = null;
  await page.route(/\/history\?/, async (route) => {
    answer = () => route.fulfill({ status: 404, body: "{}", contentType: "application/json" });
  });
  await page.goto(path(MEASURED));
  await page.getByRole("main").getByText("Loading", { exact: true }).first().waitFor({ state: "attached" });
  await expect.poll(() => answer !== null).toBe(true);
  await page.unroute(/\/history\?/);
  await page.route(/\/history\?/, (route) =>
    route.fulfill({
      status: 503,
      contentType: "application/problem+json",
      body: JSON.stringify({ code: "store_unavailable", status: 503, title: "x", detail: "y", type: "z" }),
    }),
  );
  await page.reload();
  await page.getByRole("alert").waitFor();
  await page.unroute(/\/history\?/);
  await page.getByRole("button", { name: "Try again" }).click();
  await seeChart(page);
  await page.getByRole("img", { name: /^Share price from/ }).waitFor();
});
