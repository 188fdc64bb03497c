import { describe, expect, test } from "vitest";
import { settled } from "./settled.ts";

const PATIENCE = { timeout: 5_000, interval: 1 };
const positive = { ...PATIENCE, wanted: (value: bigint) => value > 0n };

const saying = (...values: bigint[]) => {
  const last = values.at(-1) ?? 0n;
  return async () => values.shift() ?? last;
};

describe("settled()", () => {
  test("returns the second of two matching reads", async () => {
    expect(await settled(saying(0n, 5n, 7n), positive)).toBe(7n);
  });

  test("continues when the second read does not match", async () => {
    expect(await settled(saying(5n, 0n, 6n, 8n), positive)).toBe(8n);
  });

  test("throws the last value on timeout", async () => {
    const soon = { ...positive, timeout: 20 };
    await expect(settled(saying(0n), soon)).rejects.toThrow('not as wanted after 20 ms: "0"');
  });
});
