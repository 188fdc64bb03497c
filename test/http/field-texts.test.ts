import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { loadRoutes } from "../../src/app.ts";
import { describeFields } from "../../src/http/describe-fields.ts";
import { fieldTexts, parameterTexts } from "../../src/http/field-texts.ts";
import { openApiDocument } from "../../src/openapi/document.ts";

const document = openApiDocument(await loadRoutes(), "https://causeway.example");

/** Every object in the document, with where it is. */
function* objects(value: unknown, at = ""): Generator<[at: string, object: Record<string, unknown>]> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield [at, Object.fromEntries(Object.entries(value))];
  for (const [name, part] of Object.entries(value)) yield* objects(part, `${at}/${name}`);
}

const everything = [...objects(document)];

describe("the document", () => {
  test("says of every field of a body what it means", () => {
    const fields = everything.filter(([at]) => /\/properties\/\w+$/.test(at));
    expect(fields.length).toBeGreaterThan(300);
    expect(fields.filter(([, { description }]) => !description).map(([at]) => at)).toEqual([]);
  });

  test("says of every parameter what it means", () => {
    const parameters = everything.filter(([at]) => /\/parameters\/\d+$/.test(at));
    expect(parameters.length).toBeGreaterThan(50);
    const silent = parameters.filter(([, { description }]) => !description);
    expect(silent.map(([at, { name }]) => [at, name])).toEqual([]);
  });

  test("gives examples and defaults that its own schemas admit", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const wrong = everything.flatMap(([at, schema]) =>
      [schema["example"], schema["default"]]
        .filter((value) => value !== undefined && typeof schema["type"] === "string")
        .filter((value) => !ajv.validate({ ...schema, components: document.components }, value))
        .map((value) => [at, value]),
    );
    expect(wrong).toEqual([]);
  });
});

test("what a schema says of itself stays", () => {
  const schema = () => ({ status: { description: "its own" }, state: {} });
  const described = { components: { schemas: { Thing: { properties: schema() } } } };
  describeFields(described);
  expect(described.components.schemas.Thing.properties).toEqual({
    status: { description: "its own" },
    state: { description: fieldTexts["state"] },
  });
});

test("every text is in the document", () => {
  const texts = new Set(everything.map(([, { description }]) => description));
  const unused = [...Object.entries(fieldTexts), ...Object.entries(parameterTexts)].filter(
    ([, text]) => !texts.has(text),
  );
  expect(unused).toEqual([]);
});
