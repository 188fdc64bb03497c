import { describe, expect, test } from "vitest";
import { PriceIdsParam } from "../../src/schemas/price-schema.ts";

const USDC = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const ZERO = "0x0000000000000000000000000000000000000000";
const id = `1:${USDC.toLowerCase()}`;

describe("PriceIdsParam", () => {
  test("parses up to 100 tokens, addresses in any valid case, and both names of the native currency", () => {
    const alias = "8453:0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE";
    expect(PriceIdsParam.parse(`${id}, 10:${USDC},${alias},100:${ZERO}`)).toEqual([
      { chainId: 1, address: USDC },
      { chainId: 10, address: USDC },
      { chainId: 8453, address: ZERO },
      { chainId: 100, address: ZERO },
    ]);
    expect(PriceIdsParam.parse(Array.from({ length: 100 }, () => id).join(","))).toHaveLength(100);
  });

  test.each([
    ["", "nothing"],
    [`${id},`, "an empty id"],
    [USDC, "an address alone"],
    [`0:${USDC}`, "chain 0"],
    ["1:0x1234", "a short address"],
    [`1:${USDC.replace("A0b8", "a0B8")}`, "a wrong checksum"],
    [Array.from({ length: 101 }, () => id).join(","), "101 tokens"],
  ])("refuses %j: %s", (text) => {
    expect(PriceIdsParam.safeParse(text).success).toBe(false);
  });
});
