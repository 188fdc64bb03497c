import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Frame, Page } from "playwright-core";
import { expect } from "vitest";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Waits until colours and opacities have changed, which would be judged half-way otherwise. */
const SETTLED = `Promise.all(
  document.getAnimations()
    .filter(({ effect }) => effect.getTiming().iterations !== Infinity)
    .map(({ finished }) => finished.catch(() => null)),
).then(() => null)`;

/** A rule of axe that the page violates, and the elements that violate it. */
type Violation = { id: string; nodes: { html: string }[] };

/** Fails if axe finds a violation on a page or in a frame as it is now, or if it is wider than its window. */
export async function expectAccessible(page: Page | Frame): Promise<void> {
  await page.evaluate(SETTLED);
  // Not by a script element, which the page's policy refuses.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<{ violations: Violation[] }>("axe.run()");
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  const wider = "document.documentElement.scrollWidth - window.innerWidth";
  expect(await page.evaluate(wider)).toBeLessThanOrEqual(0);
}
