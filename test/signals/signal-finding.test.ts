import { describe, expect, test } from "vitest";
import { wholeAmount } from "../../src/signals/signal-finding.ts";

describe("wholeAmount()", () => {
  test.each<[bigint, string]>([
    [0n, "0"],
    [1_234_567_890_123n, "1,234,567.8901"],
    [-1_500_000n, "-1.5"],
    [-1n, "0"],
    [-99n, "0"],
    [-100n, "-0.0001"],
  ])("shows %s of a token with six decimals as %s", (amount, text) => {
    expect(wholeAmount(amount, 6)).toBe(text);
  });
});
