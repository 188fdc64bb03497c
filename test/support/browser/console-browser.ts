import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { inject, test } from "vitest";
import type { Batching } from "../client/injected-wallet.ts";
import type { KeyedUser } from "../e2e/chain.ts";
import { announceWallet, type PageWallet } from "./page-wallet.ts";

const PROGRAMS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** True if all flows and layouts are tested, as in `npm run stress`; false for the smoke tests of `npm test`. */
export const everything = process.env["BROWSER_TESTS"] === "all";
/** A test that runs only if `everything` is true. */
export const matrixTest = test.runIf(everything);

/** Starts Debian's chromium, or the program in `CHROMIUM`. Throws if none is installed. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = [process.env["CHROMIUM"] ?? "", ...PROGRAMS].find(
    (path) => path !== "" && existsSync(path),
  );
  if (executablePath === undefined) throw new Error("no chromium: apt-get install chromium, or set CHROMIUM");
  // In containers, where tests run as root, chromium cannot make a sandbox of its own.
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}

/** When something that does not appear on a page is given up, in milliseconds. */
export const PAGE_TIMEOUT_MS = 240_000;

/** Window sizes in which pages are tested. */
export const devices = {
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true },
  desktop: { viewport: { width: 1280, height: 900 } },
} as const satisfies Record<string, BrowserContextOptions>;

/** The window that a test opens by default. `npm run stress` runs every flow in each. */
export const usual = process.env["BROWSER_DEVICE"] === "phone" ? devices.phone : devices.desktop;

/** True if `device` is tested in this run: each of them, unless the run is for one. */
const isTested = (device: string): boolean => (process.env["BROWSER_DEVICE"] ?? device) === device;

/** Both sizes and both colours; each with each where everything is tested. */
export const looks = (["light", "dark"] as const)
  .flatMap((colorScheme) =>
    Object.entries(devices).map(([device, window]) => ({
      ...{ device, colorScheme },
      window: { ...window, colorScheme },
    })),
  )
  .filter(({ device, colorScheme }) =>
    everything ? isTested(device) : (device === "phone") === (colorScheme === "light"),
  );

/** An open page of the console. */
export interface OpenPage {
  page: Page;
  /** Errors that occurred in the page: exceptions, blocked code and failed requests. */
  errors: string[];
  /** The injected wallet. Using it fails if none was injected. */
  wallet: PageWallet;
  close(): Promise<void>;
}

/**
 * Opens a path of the console in a new window. If a user is given, a wallet of that user on the given chain is
 * injected.
 */
export async function openConsole(
  browser: Browser,
  to: {
    path: string;
    user?: KeyedUser;
    chainId?: number;
    batching?: Batching;
    window?: BrowserContextOptions;
  },
): Promise<OpenPage> {
  const context = await browser.newContext({
    ...usual,
    ...to.window,
    baseURL: inject("stack").api,
  });
  context.setDefaultTimeout(PAGE_TIMEOUT_MS);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  const wallet =
    to.user === undefined
      ? null
      : await announceWallet(page, {
          user: to.user,
          chainId: to.chainId ?? 31337,
          ...(to.batching === undefined ? {} : { batching: to.batching }),
        });
  await page.goto(to.path);
  return {
    page,
    errors,
    close: () => context.close(),
    get wallet() {
      if (wallet === null) throw new Error("this page has no wallet");
      return wallet;
    },
  };
}

/** Connects the injected wallet through the page's dialog. */
export async function connectWallet(page: Page): Promise<void> {
  await page.getByRole("banner").getByRole("button", { name: "Connect wallet" }).click();
  await page.getByRole("button", { name: "Test Wallet" }).click();
  await page
    .getByRole("banner")
    .getByRole("button", { name: /^Wallet 0x/ })
    .waitFor();
}
