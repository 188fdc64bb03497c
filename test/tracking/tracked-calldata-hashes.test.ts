import { concatHex, encodeFunctionData, type Hex, keccak256, numberToHex, parseAbi, size } from "viem";
import { expect, test } from "vitest";
import { innerDataHashes } from "../../src/tracking/tracked-calldata-hashes.ts";
import { OTHER, USDC } from "../support/deposits/fixtures.ts";
import { randomOf } from "../support/flows/random.ts";

const wanted: Hex = `0xdeadbeef${"5a".repeat(333)}`;
const approval: Hex = `0x095ea7b3${"01".repeat(64)}`;
const hash = keccak256(wanted);

const multicallAbi = parseAbi([
  "struct Call { address target; bool allowFailure; uint256 value; bytes callData; }",
  "function aggregate3Value(Call[] calls) payable",
  "function handle(address account, bytes callData, bytes signature)",
]);
const batch = encodeFunctionData({
  abi: multicallAbi,
  functionName: "aggregate3Value",
  args: [[approval, wanted].map((callData) => ({ target: USDC, allowFailure: false, value: 0n, callData }))],
});

/** As Safe's MultiSend packs a call: operation, target, value, length and data without padding. */
const packed = (data: Hex): Hex =>
  concatHex(["0x00", USDC, numberToHex(0n, { size: 32 }), numberToHex(size(data), { size: 32 }), data]);

test.each<[string, Hex]>([
  ["of a list of calls", batch],
  [
    "within an account's operation",
    encodeFunctionData({ abi: multicallAbi, functionName: "handle", args: [OTHER, batch, "0x1234"] }),
  ],
  ["that is packed", concatHex(["0x8d80ff0a", packed(approval), packed(wanted)])],
  ["in capital letters", batch.toUpperCase().replace("0X", "0x") as Hex],
])("innerDataHashes() finds calldata %s", (_what, input) => {
  const hashes = innerDataHashes(input);
  expect(hashes.has(hash)).toBe(true);
  expect(hashes.has(keccak256(approval))).toBe(true);
});

test("innerDataHashes() counts how often calldata stands in an input", () => {
  const input = concatHex(["0x8d80ff0a", packed(wanted), packed(approval), packed(wanted)]);
  const counts = [
    [hash, 2],
    [keccak256(approval), 1],
  ];
  expect([...innerDataHashes(input)]).toEqual(counts);
});

test("innerDataHashes() finds a call with one argument, such as a request by its number of shares", () => {
  const request: Hex = `0x69658e33${"01".repeat(32)}`;
  const hashes = innerDataHashes(concatHex(["0x8d80ff0a", packed(approval), packed(request)]));
  expect(hashes.has(keccak256(request))).toBe(true);
});

test.each<[string, Hex]>([
  ["that is the whole input", wanted],
  ["of which a byte is missing", batch.replace("5a5a5a5a", "5a5a5a") as Hex],
  ["of which a byte differs", batch.replace("deadbeef", "deadbeee") as Hex],
  ["that stands behind no length of its own", concatHex(["0x12345678", wanted])],
  ["that is shorter than it says", concatHex([numberToHex(size(wanted) + 1, { size: 32 }), wanted])],
])("innerDataHashes() does not find calldata %s", (_what, input) => {
  expect(innerDataHashes(input).has(hash)).toBe(false);
});

/** As innerDataHashes() for short inputs: looks for a length at every byte. */
function searchEveryByte(input: Hex): Hex[] {
  const hashes: Hex[] = [];
  for (let at = 2; at + 64 <= input.length; at += 2) {
    const length = BigInt(`0x${input.slice(at, at + 64)}`);
    const call: Hex = `0x${input.slice(at + 64)}`;
    if (length >= 36n && length <= BigInt(size(call)))
      hashes.push(keccak256(call.slice(0, 2 + 2 * Number(length)) as Hex));
  }
  return [...new Set(hashes)];
}

test("innerDataHashes() finds what a search of every byte finds, in random inputs", () => {
  const random = randomOf(11);
  const digits = (most: number, digit: () => number): string =>
    Array.from({ length: random.below(most) }, () => digit().toString(16)).join("");
  const parts: readonly (() => string)[] = [
    () => digits(140, () => 0),
    () => digits(12, () => random.below(16)),
    () => digits(300, () => 10),
    () => (30 + random.below(120)).toString(16).padStart(64, "0"),
  ];
  let found = 0;
  for (let round = 0; round < 2_000; round += 1) {
    const text = Array.from({ length: 1 + random.below(12) }, () => parts[random.below(parts.length)]?.());
    const input: Hex = `0x${text.join("")}`;
    const whole: Hex = input.length % 2 === 0 ? input : `${input}0`;
    const hashes = [...innerDataHashes(whole).keys()];
    expect(hashes).toEqual(searchEveryByte(whole));
    found += hashes.length;
  }
  expect(found).toBeGreaterThan(500);
});

test("innerDataHashes() stops at its limits", () => {
  const bytes = 100_000;
  const lengths = Array.from({ length: 900 }, () => numberToHex(bytes, { size: 32 }));
  const costly = concatHex([...lengths, `0x${"00".repeat(bytes)}`]);
  expect(innerDataHashes(costly).size).toBe(2);
  expect(innerDataHashes(concatHex([`0x${"ff".repeat(131_072)}`, packed(wanted)])).size).toBe(0);
});
