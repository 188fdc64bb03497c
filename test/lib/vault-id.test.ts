import fc from "fast-check";
import { getAddress, toHex } from "viem";
import { describe, expect, test } from "vitest";
import { explainVaultId, formatVaultId, parseVaultId } from "../../src/lib/vault-id.ts";

const LOWER = "0xbeef010f9cb27031ad51e3333f9af9c6b1228183";
const anAddress = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => toHex(bytes));
const aChainId = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const USDC_VAULT = { chainId: 8453, address: getAddress(LOWER) };

describe("parseVaultId", () => {
  test.each([
    `8453:${LOWER}`,
    `8453:${getAddress(LOWER)}`,
    `8453:${LOWER.toUpperCase()}`,
    `8453%3A${LOWER}`,
    `8453%3a${LOWER}`,
    // A wrong checksum is no matter here: any case is accepted.
    `8453:${getAddress(LOWER).replace("E", "e")}`,
  ])("reads %s", (text) => {
    expect(parseVaultId(text)).toEqual(USDC_VAULT);
  });

  test.each([
    "",
    LOWER,
    `:${LOWER}`,
    `0:${LOWER}`,
    `08453:${LOWER}`,
    `-1:${LOWER}`,
    `1.5:${LOWER}`,
    `1e3:${LOWER}`,
    `0x1:${LOWER}`,
    `8453:${LOWER}0`,
    `8453:${LOWER.slice(0, -1)}`,
    `8453::${LOWER}`,
    `8453/${LOWER}`,
    `8453: ${LOWER}`,
    `8453:${LOWER}\n`,
    `9007199254740993:${LOWER}`,
    `99999999999999999:${LOWER}`,
  ])("refuses %j", (text) => {
    expect(parseVaultId(text)).toBe(null);
  });
});

test("formatVaultId() round-trips in lower case", () => {
  fc.assert(
    fc.property(aChainId, anAddress, (chainId, address) => {
      const text = formatVaultId({ chainId, address: getAddress(address) });
      expect(text).toBe(`${chainId}:${address}`);
      expect(parseVaultId(text)).toEqual({ chainId, address: getAddress(address) });
      expect(parseVaultId(encodeURIComponent(text))).toEqual(parseVaultId(text));
    }),
  );
});

test("parseVaultId() accepts nothing but vault ids", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const key = parseVaultId(text);
      expect(key === null || formatVaultId(key) === text.toLowerCase().replace("%3a", ":")).toBe(true);
    }),
  );
});

test("explainVaultId() says that a hexadecimal chain id must be decimal", () => {
  expect(explainVaultId(`0x2105:${LOWER}`)).toMatch(/: the chain id in decimal digits$/);
});
