import fc from "fast-check";
import type { Hex } from "viem";
import { describe, expect, test } from "vitest";
import { decodePositions } from "../../../src/vaults/lens/position-lens.ts";
import { arbitraryLensAnswer, writeAnswer } from "../../support/vaults/lens-model.ts";

function attempt<T>(action: () => T): T | null {
  try {
    return action();
  } catch {
    return null;
  }
}

describe("decodePositions()", () => {
  test("reads chain, block, and a status with its numbers for each vault", () => {
    const head = "0000000000002105" + "0000000000000102" + "0000000065000000";
    const body = `00${"01"}${"02"}03${"0107"}04${"0180"}${"00"}05${"020100"}${"03ffffff"}06${`20${"ff".repeat(32)}`}${"010d"}`;
    expect(decodePositions(`0x${head}${body}`, 7)).toMatchInlineSnapshot(`
      {
        "blockNumber": 258n,
        "blockTimestamp": 1694498816n,
        "chainId": 8453,
        "positions": [
          {
            "status": "none",
          },
          {
            "status": "balance_unknown",
          },
          {
            "status": "not_reached",
          },
          {
            "balance": 7n,
            "status": "assets_unknown",
          },
          {
            "assets": 0n,
            "balance": 128n,
            "status": "converted",
          },
          {
            "assets": 16777215n,
            "balance": 256n,
            "status": "ratio",
          },
          {
            "balance": 115792089237316195423570985008687907853269984665640564039457584007913129639935n,
            "rate": 13n,
            "status": "rate",
          },
        ],
      }
    `);
  });

  test("decodes every possible answer of the lens", () => {
    fc.assert(
      fc.property(arbitraryLensAnswer, (answer) => {
        expect(decodePositions(writeAnswer(answer), answer.positions.length)).toEqual(answer);
      }),
    );
  });

  test("throws for an answer that is too short or too long", () => {
    fc.assert(
      fc.property(arbitraryLensAnswer, fc.nat(), fc.integer({ min: 1, max: 99 }), (answer, at, more) => {
        const data = writeAnswer(answer);
        const count = answer.positions.length;
        const cut = data.slice(0, 2 + 2 * (at % (data.length / 2 - 1))) as Hex;
        expect(() => decodePositions(cut, count)).toThrow(/^position answer ends at byte/);
        const longer = `${data}${"00".repeat(more)}` as Hex;
        expect(() => decodePositions(longer, count)).toThrow(/^position answer has \d+ bytes, expected/);
      }),
    );
  });

  test("accepts only one encoding of a position", () => {
    fc.assert(
      fc.property(arbitraryLensAnswer, fc.nat(), fc.nat({ max: 40 }), (answer, at, byte) => {
        const data = writeAnswer(answer);
        const count = answer.positions.length;
        const body = data.length / 2 - 25;
        fc.pre(body > 0);
        const place = 2 + 2 * (24 + (at % body));
        const other = `${data.slice(0, place)}${byte.toString(16).padStart(2, "0")}${data.slice(place + 2)}`;
        const reading = attempt(() => decodePositions(other as Hex, count));
        if (reading !== null) expect(writeAnswer(reading)).toBe(other);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each(["0x0", "0xzz", "00", "", "0x00 "])("throws for %j, which is not hex bytes", (data) => {
    expect(() => decodePositions(data as Hex, 0)).toThrow("position answer is not hex bytes");
  });

  test.each([7, 8, 255])("throws for the unknown status %i", (status) => {
    const data = `0x${"00".repeat(24)}${status.toString(16).padStart(2, "0")}` as Hex;
    expect(() => decodePositions(data, 1)).toThrow(`position answer has an unknown status ${status}`);
  });

  describe("throws for a word", () => {
    const answer = (body: string) => `0x${"00".repeat(24)}${body}` as Hex;

    test.each([33, 128, 255])("of %i bytes", (length) => {
      const size = length.toString(16).padStart(2, "0");
      const data = answer(`03${size}${"ff".repeat(length)}`);
      expect(() => decodePositions(data, 1)).toThrow(`position answer has a word of ${length} bytes`);
    });

    test.each([1, 2, 31, 32])("of %i bytes that starts with a zero byte", (length) => {
      const size = length.toString(16).padStart(2, "0");
      const padded = `${size}00${"ff".repeat(length - 1)}`;
      const reason = `position answer has a word of ${length} bytes with a leading zero byte`;
      expect(() => decodePositions(answer(`03${padded}`), 1)).toThrow(reason);
      expect(() => decodePositions(answer(`040101${padded}`), 1)).toThrow(reason);
      expect(() => decodePositions(answer(`060101${padded}`), 1)).toThrow(reason);
    });

    test.each(["03", "0301", "0302ff", "040101", "04010120", `04010120${"ff".repeat(31)}`])(
      "that is missing or cut off in %s",
      (body) => {
        expect(() => decodePositions(answer(body), 1)).toThrow(/^position answer ends at byte/);
      },
    );
  });
});
