import { describe, expect, it } from "vitest";
import { runMutations } from "../../../support/lifi/mutations.ts";

describe("one or two changed fields", () => {
  it("are refused when they change money or authority, 2,400 times", () => {
    const run = runMutations({ seed: 20_261, count: 2_400 });
    expect(run.violations).toEqual([]);
    expect(run.tried).toBe(2_400);
    // The test would prove nothing if the changes did not bite, or if everything were refused.
    expect(run.refused).toBeGreaterThan(1_600);
    expect(run.harmless).toBeGreaterThan(200);
  }, 60_000);
});
