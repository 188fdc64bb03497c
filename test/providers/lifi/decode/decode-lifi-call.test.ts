import { concat, type Hex, slice, toFunctionSelector } from "viem";
import { describe, expect, test } from "vitest";
import { decodeLifiCall, lifiDecoders } from "../../../../src/providers/lifi/decode/decode-lifi-call.ts";
import { decodeLayerZeroOptions } from "../../../../src/providers/lifi/decode/stargate-facet.ts";
import { lifiAbi } from "../../../support/lifi/abi.ts";
import { encodeCall } from "../../../support/lifi/calls.ts";
import { scenarios } from "../../../support/lifi/scenarios.ts";

describe("lifiDecoders", () => {
  test("has exactly the selectors of the test's function signatures", () => {
    const selectors = lifiAbi.map((item) => toFunctionSelector(item)).sort();
    expect(Object.keys(lifiDecoders).sort()).toEqual(selectors);
  });

  test("decodes no other function", () => {
    expect(decodeLifiCall("0x")).toBeNull();
    expect(decodeLifiCall("0x1794958f")).toBeNull();
    expect(decodeLifiCall("0xdeadbeef00")).toBeNull();
    expect(decodeLifiCall("0x1794958f00")).toBeNull();
  });
});

describe("decodeLifiCall() returns null for non-canonical encodings", () => {
  test.each(scenarios.map((scenario) => [scenario.name, scenario] as const))("%s", (_, { tree }) => {
    const data = encodeCall(tree);
    expect(decodeLifiCall(data)).not.toBeNull();
    expect(decodeLifiCall(concat([data, "0x00"]))).toBeNull();
    expect(decodeLifiCall(concat([data, `0x${"00".repeat(32)}`]))).toBeNull();
    expect(decodeLifiCall(slice(data, 0, -1))).toBeNull();
    // The first word after the selector may be an offset: pointing elsewhere must not be followed.
    const moved = concat([slice(data, 0, 4), `0x${"ff".repeat(32)}`, slice(data, 36)]);
    const call = decodeLifiCall(moved);
    expect(call === null || "transactionId" in call).toBe(true);
  });
});

describe("decodeLayerZeroOptions()", () => {
  const gas = "00000000000000000000000000030d40";
  test.each<[Hex, bigint | null | "refused"]>([
    ["0x", null],
    [`0x000301001101${gas}`, null],
    [`0x0003010013030000${gas}`, 200_000n],
    [`0x000301001101${gas}010013030000${gas}`, 200_000n],
    [`0x0003010013030001${gas}`, "refused"],
    [`0x000301002101${gas}${gas}`, "refused"],
    [`0x000301003102${gas}${"11".repeat(32)}`, "refused"],
    [`0x000302001101${gas}`, "refused"],
    [`0x000301001101${gas.slice(2)}`, "refused"],
    ["0x0003010011", "refused"],
    ["0x0001", "refused"],
    ["0x00", "refused"],
  ])("decodes %s to %s", (options, expected) => {
    const read = decodeLayerZeroOptions(options);
    expect(read === null ? "refused" : read.composeGas).toBe(expected);
  });
});
