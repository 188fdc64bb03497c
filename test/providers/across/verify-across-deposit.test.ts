import fc from "fast-check";
import { type Address, concatHex, encodeFunctionData, type Hex } from "viem";
import { describe, expect, test } from "vitest";
import { depositAbi } from "../../../src/providers/across/across-abi.ts";
import { decodeAcrossDeposit } from "../../../src/providers/across/across-calldata.ts";
import {
  findDepositDifferences,
  verifyAcrossDeposit,
} from "../../../src/providers/across/verify-across-deposit.ts";
import type { TransferRequest } from "../../../src/providers/provider.ts";
import { built, kinds } from "../../support/across/built.ts";
import { call, failureOf, HANDLER, USER } from "../../support/across/stage.ts";

describe.each(kinds)("verifyAcrossDeposit() of a transfer %s", (_, change, integratorId) => {
  const { transaction, expected } = built(change, integratorId);

  test("accepts the built transaction", () => {
    expect(findDepositDifferences(transaction, expected)).toEqual([]);
    expect(() => verifyAcrossDeposit(transaction, expected)).not.toThrow();
  });

  test("rejects every change of one byte", () => {
    const bytes = (transaction.data.length - 2) / 2;
    for (let at = 0; at < bytes; at += 1)
      expect(findDepositDifferences(flip(transaction, { at, bit: 1 << (at % 8) }), expected)).not.toEqual([]);
  });

  test("rejects truncated calldata and trailing bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 64 }), (extra) => {
        const data = concatHex([transaction.data, toHex(extra)]);
        expect(findDepositDifferences({ ...transaction, data }, expected)).not.toEqual([]);
        const cut = transaction.data.slice(0, -2 * extra.length) as Hex;
        expect(findDepositDifferences({ ...transaction, data: cut }, expected)).not.toEqual([]);
      }),
    );
  });

  test("rejects another target or value", () => {
    expect(findDepositDifferences({ ...transaction, to: HANDLER }, expected)).toEqual(["to"]);
    expect(findDepositDifferences({ ...transaction, value: transaction.value + 1n }, expected)).toEqual([
      "value",
    ]);
  });
});

const toHex = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString("hex")}`;

function flip(
  transaction: { to: Address; data: Hex; value: bigint },
  { at, bit }: { at: number; bit: number },
) {
  const bytes = Buffer.from(transaction.data.slice(2), "hex");
  bytes[at] = (bytes[at] ?? 0) ^ bit;
  return { ...transaction, data: toHex(bytes) };
}

const FIELDS = [
  "depositor",
  "recipient",
  "inputToken",
  "outputToken",
  "inputAmount",
  "outputAmount",
  "destinationChainId",
  "exclusiveRelayer",
  "quoteTimestamp",
  "fillDeadline",
  "exclusivityParameter",
] as const;

const anAddress = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => toHex(bytes));
const word = (address: Hex): Hex => `0x${"0".repeat(24)}${address.slice(2).toLowerCase()}`;

describe("findDepositDifferences()", () => {
  const { transaction, expected } = built();
  const deposit = decodeAcrossDeposit(transaction.data);
  const encodeWith = (change: Partial<typeof deposit>): Hex => {
    const d = { ...deposit, ...change };
    return encodeFunctionData({
      abi: depositAbi(),
      functionName: "deposit",
      args: [
        word(d.depositor),
        word(d.recipient),
        word(d.inputToken),
        word(d.outputToken),
        d.inputAmount,
        d.outputAmount,
        d.destinationChainId,
        word(d.exclusiveRelayer),
        d.quoteTimestamp,
        d.fillDeadline,
        d.exclusivityParameter,
        d.message,
      ],
    });
  };
  const other = (field: (typeof FIELDS)[number]): fc.Arbitrary<unknown> => {
    const now = deposit[field];
    if (typeof now === "bigint") return fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
    return typeof now === "number" ? fc.nat(2 ** 32 - 1) : anAddress;
  };

  test("is tested with an encoder that reproduces the transaction", () => {
    expect(encodeWith({})).toBe(transaction.data.toLowerCase());
  });

  test.each(FIELDS)("names %s for every other value", (field) => {
    fc.assert(
      fc.property(other(field), (value) => {
        fc.pre(String(value).toLowerCase() !== String(deposit[field]).toLowerCase());
        const data = encodeWith({ [field]: value });
        expect(findDepositDifferences({ ...transaction, data }, expected)).toEqual([field]);
      }),
      { numRuns: 200 },
    );
  });

  test("refuses every other message", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        const data = encodeWith({ message: toHex(bytes) });
        expect(findDepositDifferences({ ...transaction, data }, expected)).not.toEqual([]);
      }),
    );
  });

  test.each<[string, Partial<TransferRequest>]>([
    ["another user", { user: HANDLER }],
    ["another call", { call: { ...call, data: "0x12345678" } }],
    ["another router", { call: { ...call, target: USER } }],
    ["no call", { call: null }],
  ])("refuses the transaction of %s", async (_, change) => {
    const foreign = built(change).transaction;
    const { code } = await failureOf(Promise.resolve().then(() => verifyAcrossDeposit(foreign, expected)));
    expect(code).toBe("upstream_rejected");
  });
});
