import fc from "fast-check";
import type { JsonSchema } from "../../smoke/api-contract.ts";

/** Values of any type that often break parsers. */
const nasty: readonly unknown[] = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "𝕏".repeat(33),
  "-1",
  "+1",
  "01",
  "1.0",
  "1e3",
  "1e309",
  "NaN",
  "Infinity",
  "0x",
  "0x0",
  "9".repeat(78),
  "9".repeat(400),
  String(2n ** 256n),
  String(2n ** 256n - 1n),
  "' OR 1=1--",
  "../../etc/passwd",
  "%00",
  "%zz",
  "<script>",
  "__proto__",
  "constructor",
  "null",
  "undefined",
  `0x${"0".repeat(40)}`,
  `0x${"0".repeat(41)}`,
  `0X${"1".repeat(40)}`,
  `0x${"g".repeat(40)}`,
  "0xAbCdEfAbCdEfAbCdEfAbCdEfAbCdEfAbCdEfAbCd",
  null,
  true,
  false,
  0,
  -0,
  -1,
  0.1,
  1e21,
  2 ** 31,
  2 ** 53,
  [],
  {},
  [[]],
  ["x"],
  { a: 1 },
];

/**
 * Generates JSON values of any type; four in ten come from a list that often breaks parsers, such as lone surrogates,
 * huge numbers and injections.
 */
export const arbitraryValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...nasty) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 80 }) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }) },
  { weight: 1, arbitrary: fc.bigInt({ min: -(2n ** 260n), max: 2n ** 260n }).map(String) },
  { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
  { weight: 1, arbitrary: fc.integer() },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

const hex = (digits: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: digits, maxLength: digits });

/** Generates values that a schema without references allows. */
export function allowed(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return fc.oneof(...variants.map(allowed));
  const types = [schema.type ?? []].flat();
  return types.length === 0 ? arbitraryValue : fc.oneof(...types.map((type) => ofType(type, schema)));
}

function ofType(type: string, schema: JsonSchema): fc.Arbitrary<unknown> {
  switch (type) {
    case "integer":
      return integer(schema);
    case "number":
      return number(schema);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(allowed(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: schema.maxItems ?? 4,
      });
    case "object":
      return object(schema);
    default:
      return text(schema);
  }
}

function integer({ minimum, exclusiveMinimum, maximum }: JsonSchema): fc.Arbitrary<number> {
  const min = minimum ?? (exclusiveMinimum === undefined ? -1_000_000 : exclusiveMinimum + 1);
  const max = maximum ?? min + 2_000_000;
  return fc.oneof(fc.integer({ min, max: Math.min(max, min + 1_000) }), fc.constantFrom(min, max));
}

function number({ minimum, exclusiveMinimum, maximum = 1e9 }: JsonSchema): fc.Arbitrary<number> {
  const min = minimum ?? exclusiveMinimum ?? -1e9;
  return fc.double({ min, max: maximum, minExcluded: minimum === undefined, noNaN: true });
}

function object(schema: JsonSchema): fc.Arbitrary<unknown> {
  const members = Object.entries(schema.properties ?? {}).map(([name, item]) => [name, allowed(item)]);
  const requiredKeys = (schema.required ?? []) as never[];
  return fc.record(Object.fromEntries(members) as Record<string, fc.Arbitrary<unknown>>, { requiredKeys });
}

function text(schema: JsonSchema): fc.Arbitrary<string> {
  const { pattern, minLength = 0, maxLength = 40 } = schema;
  const digits = /^\^0x\[0-9a-fA-F\]\{(\d+)\}\$$/.exec(pattern ?? "")?.[1];
  if (digits !== undefined) return hex(Number(digits)).map((body) => `0x${body}`);
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  if (schema.format === "uuid") return fc.uuid();
  if (schema.format === "date-time")
    return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  const bounds = { minLength, maxLength };
  return fc.oneof(
    { weight: 3, arbitrary: fc.string(bounds) },
    { weight: 1, arbitrary: fc.string({ ...bounds, unit: "grapheme" }) },
    {
      weight: 1,
      arbitrary: fc.string({ ...bounds, unit: fc.constantFrom("\u0000", "\ud800", "\u202e", "a", "€") }),
    },
  );
}
