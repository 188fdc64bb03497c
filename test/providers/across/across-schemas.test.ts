import { describe, expect, test } from "vitest";
import { AcrossDepositStatus, SuggestedFees } from "../../../src/providers/across/across-schemas.ts";
import { feesBody, hash, requestOf } from "../../support/across/stage.ts";

const AT = 1_900_000_000;
const body = feesBody(requestOf(), AT);

describe("SuggestedFees", () => {
  test("parses the documented fields and drops others", () => {
    expect(SuggestedFees.parse(body)).toMatchInlineSnapshot(`
      {
        "destinationSpokePoolAddress": "0xe35e9842fceaCA96570B734083f4a58e8F7C5f2A",
        "estimatedFillTimeSec": 3,
        "exclusiveRelayer": "0x0000000000000000000000000000000000000000",
        "exclusivityDeadline": 0,
        "fillDeadline": 1900007140,
        "inputToken": {
          "address": "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
          "chainId": 1,
          "decimals": 6,
        },
        "isAmountTooLow": false,
        "limits": {
          "maxDeposit": 1661211802629989209324n,
          "minDeposit": 1000n,
        },
        "outputAmount": 99900000n,
        "outputToken": {
          "address": "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
          "chainId": 42161,
          "decimals": 6,
        },
        "spokePoolAddress": "0x5c7BCd6E7De5423a257D81B442095A1a6ced35C5",
        "timestamp": 1899999940,
      }
    `);
  });

  test("accepts numbers as strings, strings as numbers and fractional seconds", () => {
    const drifted = {
      ...body,
      timestamp: AT,
      fillDeadline: AT + 7_200,
      exclusivityDeadline: String(AT + 30),
      outputAmount: 99_900_000,
      estimatedFillTimeSec: "2.5",
    };
    expect(SuggestedFees.parse(drifted)).toMatchObject({
      timestamp: AT,
      fillDeadline: AT + 7_200,
      exclusivityDeadline: AT + 30,
      outputAmount: 99_900_000n,
      estimatedFillTimeSec: 2.5,
    });
  });

  const required = Object.keys(SuggestedFees.shape);
  test.each(required)("refuses a response without %s", (key) => {
    const { [key]: _, ...rest } = body;
    expect(SuggestedFees.safeParse(rest).success).toBe(false);
  });

  test.each(required.flatMap((key) => [null, "", "x", -1, 1.5e30, [], {}].map((value) => [key, value])))(
    "refuses %s = %j",
    (key, value) => {
      expect(SuggestedFees.safeParse({ ...body, [String(key)]: value }).success).toBe(false);
    },
  );

  test.each([
    ["outputAmount", "1e18"],
    ["outputAmount", "-1"],
    ["outputAmount", 1.5],
    ["outputAmount", "9".repeat(78)],
    ["outputAmount", 2 ** 60],
    ["timestamp", String(2 ** 32)],
    ["spokePoolAddress", "0x1234"],
    ["isAmountTooLow", "false"],
  ])("refuses %s = %s", (key, value) => {
    expect(SuggestedFees.safeParse({ ...body, [key]: value }).success).toBe(false);
  });
});

describe("AcrossDepositStatus", () => {
  const wire = { status: "filled", originChainId: 1, destinationChainId: 42161 };

  test("accepts either name of a hash and converts it to lower case", () => {
    const upper = `0x${"AB".repeat(32)}`;
    expect(AcrossDepositStatus.parse({ ...wire, fillTx: upper }).fillTx).toBe(upper.toLowerCase());
    expect(AcrossDepositStatus.parse({ ...wire, fillTx: null, fillTxnRef: hash("1") }).fillTx).toBe(
      hash("1"),
    );
    expect(AcrossDepositStatus.parse({ ...wire, depositRefundTxnRef: hash("2") }).refundTx).toBe(hash("2"));
  });

  test.each([
    [true, true],
    [false, false],
    [null, null],
    ["null,", null],
    [undefined, null],
  ])("parses actionsSucceeded %j as %j", (actionsSucceeded, expected) => {
    expect(AcrossDepositStatus.parse({ ...wire, actionsSucceeded }).actionsSucceeded).toBe(expected);
    expect(AcrossDepositStatus.parse(wire).actionsSucceeded).toBeNull();
  });

  test.each([{ status: "done" }, { status: null }, { originChainId: "x" }, { fillTx: "0x12" }])(
    "refuses %j",
    (change) => {
      expect(AcrossDepositStatus.safeParse({ ...wire, ...change }).success).toBe(false);
    },
  );
});
