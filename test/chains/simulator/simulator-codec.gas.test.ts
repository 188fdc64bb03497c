import fc from "fast-check";
import { type Hex, toHex } from "viem";
import { describe, expect, test } from "vitest";
import { intrinsicGas, transactionGas } from "../../../src/chains/simulator/simulator-codec.ts";

const transfer: Hex = `0xa9059cbb${"0".repeat(24)}${"11".repeat(20)}${"0".repeat(62)}01`;

describe("intrinsicGas", () => {
  test.each<[Hex, bigint, bigint]>([
    ["0x", 21_000n, 21_000n],
    ["0x00", 21_004n, 21_010n],
    ["0x01", 21_016n, 21_040n],
    ["0x10", 21_016n, 21_040n],
    ["0x0000ff", 21_024n, 21_060n],
    // 25 bytes that are not zero, 43 that are.
    [transfer, 21_000n + 25n * 16n + 43n * 4n, 21_000n + 25n * 40n + 43n * 10n],
  ])("of %s", (data, standard, floor) => {
    expect(intrinsicGas(data)).toEqual({ standard, floor });
  });

  test("counts each byte by itself", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const zeros = BigInt(bytes.filter((byte) => byte === 0).length);
        const others = BigInt(bytes.length) - zeros;
        expect(intrinsicGas(toHex(bytes))).toEqual({
          standard: 21_000n + 4n * zeros + 16n * others,
          floor: 21_000n + 10n * zeros + 40n * others,
        });
      }),
    );
  });
});

describe("transactionGas", () => {
  test("adds execution, but never charges less than the floor", () => {
    expect(transactionGas("0xff", 0n)).toBe(21_040n);
    expect(transactionGas("0xff", 24n)).toBe(21_040n);
    expect(transactionGas("0xff", 25n)).toBe(21_041n);
    expect(transactionGas("0x", 50_000n)).toBe(71_000n);
  });
});
