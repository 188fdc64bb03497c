import { concatHex, encodeFunctionData, type Hex, numberToHex, pad } from "viem";
import { describe, expect, test } from "vitest";
import { depositAbi, handlerAbi } from "../../../src/providers/across/across-abi.ts";
import {
  decodeAcrossDeposit,
  decodeBalanceCall,
  decodeInstructions,
  wordToAddress,
} from "../../../src/providers/across/across-calldata.ts";
import { HANDLER, USDC_1, USDC_42161, USER } from "../../support/across/stage.ts";

const data = encodeFunctionData({
  abi: depositAbi(),
  functionName: "deposit",
  args: [pad(USER), pad(HANDLER), pad(USDC_1), pad(USDC_42161), 5n, 4n, 42161n, pad("0x"), 1, 2, 0, "0x1234"],
});
const MESSAGE_OFFSET_WORD = 4 + 11 * 32;

/** The calldata with a 32-byte word in the place of another. */
function withWord(at: number, word: Hex): Hex {
  return concatHex([`0x${data.slice(2, 2 + 2 * at)}`, word, `0x${data.slice(2 + 2 * (at + 32))}`]);
}

describe("decodeAcrossDeposit()", () => {
  test("decodes every field and the trailing bytes", () => {
    expect(decodeAcrossDeposit(concatHex([data, "0xC0FFEE"]))).toEqual({
      depositor: USER,
      recipient: HANDLER,
      inputToken: USDC_1,
      outputToken: USDC_42161,
      inputAmount: 5n,
      outputAmount: 4n,
      destinationChainId: 42161n,
      exclusiveRelayer: "0x0000000000000000000000000000000000000000",
      quoteTimestamp: 1,
      fillDeadline: 2,
      exclusivityParameter: 0,
      message: "0x1234",
      trailing: "0xc0ffee",
    });
  });

  test.each<[string, Hex]>([
    ["another function", concatHex(["0x7b939232", `0x${data.slice(10)}`])],
    ["no arguments", data.slice(0, 10) as Hex],
    ["one byte less", data.slice(0, -2) as Hex],
    ["an address wider than 20 bytes", withWord(4, numberToHex(2n ** 160n, { size: 32 }))],
    ["a time wider than 4 bytes", withWord(4 + 9 * 32, numberToHex(2n ** 32n, { size: 32 }))],
    // The message is 32 bytes further on, behind a word that the decoder skips.
    [
      "a message at a non-canonical offset",
      concatHex([
        withWord(MESSAGE_OFFSET_WORD, numberToHex(13 * 32, { size: 32 })),
        pad("0x02"),
        pad("0x1234", { dir: "right" }),
      ]),
    ],
    ["dirty padding", data.replace(/1234(0{60})$/, `1234${"0".repeat(59)}1`) as Hex],
    ["empty calldata", "0x"],
  ])("throws for %s", (_, calldata) => {
    expect(calldata).not.toBe(data);
    expect(() => decodeAcrossDeposit(calldata)).toThrow();
  });
});

test("decodeInstructions() and decodeBalanceCall() throw for other or non-canonical data", () => {
  const args = [USER, "0x12", 0n, []] as const;
  const call = encodeFunctionData({ abi: handlerAbi(), functionName: "makeCallWithBalance", args });
  expect(decodeBalanceCall(call)).toMatchObject({ target: USER, callData: "0x12", replacement: [] });
  expect(() => decodeBalanceCall(concatHex([call, "0x00"]))).toThrow();
  for (const message of ["0x", "0x1234", pad("0x20")] as const)
    expect(() => decodeInstructions(message)).toThrow();
});

test("wordToAddress() throws when the padding is not zero", () => {
  expect(wordToAddress(`0x${"0".repeat(24)}${USER.slice(2)}`)).toBe(USER);
  expect(() => wordToAddress(`0x${"0".repeat(23)}1${USER.slice(2)}`)).toThrow();
});
