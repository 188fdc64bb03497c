import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { decodeModel } from "../../src/client/client-wire-format.ts";

/** The parts of a schema of openapi.json from which a sample is made. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  pattern?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  additionalProperties?: unknown;
}
interface Operation {
  responses?: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const text = (path: string): string => readFileSync(join(import.meta.dirname, "../..", path), "utf8");
const { paths, components } = JSON.parse(text("openapi.json")) as Document;

/** Digits, which every text of a sample consists of: what is converted by mistake shows. */
const DIGITS = "125000000";
/** A record whose names are those of other fields, with digits as their values. */
const RECORD = { total_assets: DIGITS, from_amount: DIGITS, nested: { min_shares: DIGITS }, value: DIGITS };
const camel = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());

/** A sample of a schema, and what the client should make of it: amounts are patterns of decimal digits. */
type Sample = readonly [wire: unknown, model: unknown];

function samplesOf(schema: Schema): Sample[] {
  const { $ref, type, enum: values, pattern = "", items, properties } = schema;
  if ($ref !== undefined) return samplesOf(components.schemas[$ref.split("/").at(-1) ?? ""] ?? {});
  const variants = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (variants !== undefined) return variants.flatMap(samplesOf);
  const types = [type].flat();
  if (items !== undefined) return samplesOf(items).map(([wire, model]) => [[wire], [model]]);
  if (properties !== undefined) return objectsOf(properties);
  if (types.includes("object")) return [[RECORD, RECORD]];
  const [first] = values ?? [];
  if (first !== undefined) return [[first, first]];
  if (types.includes("string")) return [stringOf(pattern)];
  const other = types.includes("boolean") ? true : types.includes("null") ? null : 5;
  return [[other, other]];
}

function stringOf(pattern: string): Sample {
  if (pattern.startsWith("^0x")) return ["0x12", "0x12"];
  return pattern.startsWith("^(0|") ? [DIGITS, BigInt(DIGITS)] : [DIGITS, DIGITS];
}

/** One sample for each variant of a property, with the first variant of the other properties. */
function objectsOf(properties: Record<string, Schema>): Sample[] {
  const all = Object.entries(properties).map(([name, inner]) => ({ name, samples: samplesOf(inner) }));
  const count = Math.max(1, ...all.map(({ samples }) => samples.length));
  return Array.from({ length: count }, (_none, index) => {
    const chosen = all.map(({ name, samples }) => ({ name, sample: samples[index] ?? samples[0] ?? [5, 5] }));
    return [
      Object.fromEntries(chosen.map(({ name, sample }) => [name, sample[0]])),
      Object.fromEntries(chosen.map(({ name, sample }) => [camel(name), sample[1]])),
    ];
  });
}

const responses = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([method, { responses: replies = {} }]) =>
    Object.entries(replies)
      .filter(([status]) => status.startsWith("2"))
      .flatMap(([status, { content = {} }]) =>
        Object.values(content).map(({ schema = {} }) => [`${method} ${path} ${status}`, schema] as const),
      ),
  ),
);

describe("a response of the API", () => {
  test("is one of many", () => expect(responses.length).toBeGreaterThan(50));

  test.each(responses)("of %s has exactly its amounts as bigint", (_name, schema) => {
    for (const [wire, model] of samplesOf(schema)) expect(decodeModel(wire)).toEqual(model);
  });

  test("has the type bigint for the same fields, schema by schema", () => {
    const types = text("src/client/api-types.generated.ts").split(/^ {4}schemas: \{$/m)[1] ?? "";
    const schemas = [...types.matchAll(/^ {8}(\w+): \{\n(.*?)^ {8}\}/gms)];
    expect(schemas.length).toBeGreaterThan(50);
    for (const [, name = "", body = ""] of schemas) {
      const typed = [...body.matchAll(/^ +(\w+)\??: bigint(?: \| null)?;$/gm)].map(([, field]) => field);
      expect([name, typed]).toEqual([name, amountsOf(components.schemas[name] ?? {})]);
    }
  });
});

/** Names of the amounts in a schema, in the order of the document; schemas that it refers to are left out. */
function amountsOf({ properties = {}, items = {}, anyOf = [] }: Schema): string[] {
  const own = Object.entries(properties).flatMap(([name, schema]) =>
    /^\^(\(0\||\[1-9\])/.test(schema.pattern ?? "") ? [name] : amountsOf(schema),
  );
  return [...own, ...(Object.keys(items).length > 0 ? amountsOf(items) : []), ...anyOf.flatMap(amountsOf)];
}

describe("a record of any names and values", () => {
  test("reaches the caller unchanged, so that it can be stored as JSON", () => {
    const evidence = { total_assets: "125000000", from_block: "7" };
    const decoded = decodeModel({ signal_id: "sig", evidence }) as { evidence: unknown };
    expect(decoded).toEqual({ signalId: "sig", evidence });
    expect(JSON.stringify(decoded.evidence)).toBe(JSON.stringify(evidence));
  });

  test("of the audit log keeps names and values before and after the change", () => {
    const entry = { before: null, after: { min_deposit: "5", params: { exit_kind: "7" } } };
    expect(decodeModel([entry])).toEqual([entry]);
  });
});
