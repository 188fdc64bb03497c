import { describe, expect, test } from "vitest";
import { loadRoutes } from "../../src/app.ts";
import { errorCodes } from "../../src/errors.ts";
import { openApiDocument } from "../../src/openapi/openapi-document.ts";

const document = openApiDocument(await loadRoutes(), "https://causeway.example");
const schemas = (document.components?.schemas ?? {}) as Record<string, Record<string, unknown>>;

/** Returns every object of a part of the document that `fits`, with its place. */
function find(part: unknown, fits: (node: Record<string, unknown>) => boolean, place = ""): string[] {
  if (part === null || typeof part !== "object") return [];
  const node = part as Record<string, unknown>;
  const inner = Object.entries(node).flatMap(([name, value]) => find(value, fits, `${place}/${name}`));
  return fits(node) ? [place, ...inner] : inner;
}

/** Returns a schema with every schema that it references in place of the reference. */
function resolve(schema: unknown): unknown {
  if (schema === null || typeof schema !== "object") return schema;
  const name = "$ref" in schema ? String(schema.$ref).split("/").at(-1) : undefined;
  if (name !== undefined) return resolve(schemas[name]);
  if (Array.isArray(schema)) return schema.map(resolve);
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, resolve(value)]));
}

const isNull = (node: unknown) => (node as { type?: unknown } | null)?.type === "null";

describe("the document for generators of clients", () => {
  test("has no component that is null itself", () => {
    const nullable = Object.entries(schemas).filter(
      ([, { type, anyOf, oneOf }]) =>
        (Array.isArray(type) && type.includes("null")) ||
        [anyOf, oneOf].some((list) => Array.isArray(list) && list.some(isNull)),
    );
    expect(nullable.map(([name]) => name)).toEqual([]);
  });

  test("names the enumerations that many fields have", () => {
    const places = new Map<string, number>();
    find(document, (node) => {
      const values = node["enum"];
      if (!Array.isArray(values) || values.length < 2) return false;
      const key = JSON.stringify(values.filter((value) => value !== null));
      places.set(key, (places.get(key) ?? 0) + 1);
      return false;
    });
    // Add what is listed here to `sharedEnums` in src/openapi/prepare-for-generators.ts.
    expect([...places].filter(([, count]) => count > 2).map(([key]) => key)).toEqual([]);
    expect(Object.keys(schemas)).toEqual(
      expect.arrayContaining(["DepositState", "Substatus", "VaultType", "BridgeKey"]),
    );
  });

  test("has no request body with a default, which generators would demand", () => {
    const bodies = Object.values(document.paths ?? {})
      .flatMap((path) => Object.values(path))
      .flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {}))
      .map(({ schema }) => resolve(schema));
    expect(bodies.length).toBeGreaterThan(15);
    expect(find(bodies, (node) => "default" in node && "description" in node)).toEqual([]);
    expect(JSON.stringify(bodies)).toContain("Adapter that reads the vault's contracts");
    const { properties } = schemas["BuildInput"] as { properties: Record<string, { description: string }> };
    expect(properties["slippage"]?.description).toMatch(/Default: /);
  });

  test("requires every field of a response, because every response has them all", () => {
    /** Adds the names of the components that a part of the document references, at every depth. */
    const reach = (part: unknown, names: Set<string>): Set<string> => {
      for (const [, name = ""] of JSON.stringify(part ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g))
        if (!names.has(name)) reach(schemas[name], names.add(name));
      return names;
    };
    const operations = Object.values(document.paths ?? {}).flatMap((path) => Object.values(path));
    const inputs = reach(
      operations.map(({ requestBody }) => requestBody),
      new Set(),
    );
    const responses = operations.map((operation) => operation.responses);
    const outputs = [...reach(responses, new Set())].filter((name) => !inputs.has(name));
    expect(outputs.length).toBeGreaterThan(50);
    const leavesOut = (node: Record<string, unknown>) => {
      const { properties, required = [] } = node as { properties?: object; required?: readonly string[] };
      return (
        node["type"] === "object" && Object.keys(properties ?? {}).some((name) => !required.includes(name))
      );
    };
    expect(find({ responses, outputs: outputs.map((name) => [name, schemas[name]]) }, leavesOut)).toEqual([]);
  });

  test("tells problems apart by their code, and steps by their kind", () => {
    const { discriminator } = schemas["Problem"] as {
      discriminator: { propertyName: string; mapping: object };
    };
    expect(discriminator.propertyName).toBe("code");
    expect(Object.keys(discriminator.mapping).sort()).toEqual([...errorCodes].sort());
    expect(schemas["Step"]).toMatchObject({ discriminator: { propertyName: "kind" } });
  });
});
