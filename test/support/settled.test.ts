import { describe, expect, it } from "vitest";
import { settled } from "./settled.ts";

const PATIENCE = { timeout: 5_000, interval: 1 };
const positive = { ...PATIENCE, wanted: (value: bigint) => value > 0n };

const saying = (...values: bigint[]) => {
  const last = values.at(-1) ?? 0n;
  return async () => values.shift() ?? last;
};

describe("a read that is waited for", () => {
  it("is given once it holds for two looks, the later of both", async () => {
    expect(await settled(saying(0n, 5n, 7n), positive)).toBe(7n);
  });

  it("is not given when the second look shows the past again", async () => {
    expect(await settled(saying(5n, 0n, 6n, 8n), positive)).toBe(8n);
  });

  it("is given up with what was seen last", async () => {
    const soon = { ...positive, timeout: 20 };
    await expect(settled(saying(0n), soon)).rejects.toThrow('not as wanted after 20 ms: "0"');
  });
});
