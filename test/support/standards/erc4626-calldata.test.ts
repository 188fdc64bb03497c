import { toFunctionSelector } from "viem";
import { expect, test } from "vitest";
import { decodeErc4626Call, erc4626Functions } from "./erc4626-calldata.ts";

const word = (value: bigint): string => value.toString(16).padStart(64, "0");
const [amount, receiver, owner] = [word(5n), word(0xabn), word(0xcdn)];
const address = (value: string): string => `0x${value.slice(24)}`;

test.each(Object.entries(erc4626Functions))(
  "%s is the selector of its function",
  (selector, { signature }) => {
    expect(toFunctionSelector(signature)).toBe(`0x${selector}`);
  },
);

test("decodeErc4626Call() reads the four functions and no other", () => {
  const deposit = { name: "deposit", amount: 5n, receiver: address(receiver), owner: null };
  expect(decodeErc4626Call(`0x6e553f65${amount}${receiver}`)).toEqual(deposit);
  const redeem = { name: "redeem", amount: 5n, receiver: address(receiver), owner: address(owner) };
  expect(decodeErc4626Call(`0xBA087652${amount}${receiver}${owner}`)).toEqual(redeem);
  expect(decodeErc4626Call(`0x095ea7b3${amount}${receiver}`)).toBeNull();
});

test.each([
  ["a word too few", `0x6e553f65${amount}`],
  ["a word too many", `0x6e553f65${amount}${receiver}${owner}`],
  ["half a word", `0x6e553f65${amount}${receiver}00`],
  ["an address with bits above 160", `0x6e553f65${amount}${"f".repeat(64)}`],
])("decodeErc4626Call() refuses %s", (_what, data) => {
  expect(() => decodeErc4626Call(data)).toThrow(RangeError);
});
