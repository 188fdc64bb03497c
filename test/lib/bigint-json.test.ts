import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseWithBigints, stringifyWithBigints } from "../../src/lib/bigint-json.ts";

const aLeaf = fc.oneof(
  fc.bigInt(),
  fc.string(),
  fc.boolean(),
  fc.constant(null),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
);
const aKey = fc.string().filter((key) => key !== "__proto__" && key !== "$n");
const { value: aValue } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, aLeaf, fc.array(tie("value")), fc.dictionary(aKey, tie("value"))),
}));

describe("stringifyWithBigints() and parseWithBigints()", () => {
  test("writes bigint as text under $n", () => {
    expect(stringifyWithBigints({ a: 2n ** 256n, b: [-1n], c: "1" })).toBe(
      '{"a":{"$n":"115792089237316195423570985008687907853269984665640564039457584007913129639936"},"b":[{"$n":"-1"}],"c":"1"}',
    );
  });

  test("round-trip every value with every digit", () => {
    fc.assert(
      fc.property(aValue, (value) => {
        expect(parseWithBigints(stringifyWithBigints(value))).toEqual(value);
      }),
    );
  });

  test("keeps numbers numbers and texts texts", () => {
    expect(parseWithBigints('{"v":1,"t":"1","n":{"$n":"1"},"m":{"$n":1}}')).toEqual({
      v: 1,
      t: "1",
      n: 1n,
      m: { $n: 1 },
    });
  });

  test.each(["", "{", "undefined", '{"$n":"12x"}', '{"$n":"0.5"}'])("throws a SyntaxError on %j", (text) => {
    expect(() => parseWithBigints(text)).toThrow(SyntaxError);
  });
});
