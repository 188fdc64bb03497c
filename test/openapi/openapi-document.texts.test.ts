import { Ajv2020 } from "ajv/dist/2020.js";
import { getAddress } from "viem";
import { describe, expect, test } from "vitest";
import { loadRoutes } from "../../src/app.ts";
import { openApiDocument } from "../../src/openapi/openapi-document.ts";

const document = openApiDocument(await loadRoutes(), "https://causeway.example");

/** Every object in the document, with where it is. */
function* objects(value: unknown, at = ""): Generator<[at: string, object: Record<string, unknown>]> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield [at, Object.fromEntries(Object.entries(value))];
  for (const [name, part] of Object.entries(value)) yield* objects(part, `${at}/${name}`);
}

const everything = [...objects(document)];
const fields = everything.filter(([at]) => /\/properties\/\w+$/.test(at));
const parameters = everything.filter(([at]) => /\/parameters\/\d+$/.test(at));
const components = everything.filter(([at]) => /^\/components\/schemas\/\w+$/.test(at));

describe("the OpenAPI document", () => {
  test("describes every field of a body", () => {
    expect(fields.length).toBeGreaterThan(300);
    expect(fields.filter(([, { description }]) => !description).map(([at]) => at)).toEqual([]);
  });

  test("describes every parameter, once", () => {
    expect(parameters.length).toBeGreaterThan(50);
    const silent = parameters.filter(([, { description }]) => !description);
    expect(silent.map(([at, { name }]) => [at, name])).toEqual([]);
    const schemas = everything.filter(([at]) => /\/parameters\/\d+\/schema$/.test(at));
    expect(schemas.filter(([, { description }]) => description).map(([at]) => at)).toEqual([]);
  });

  test("describes every component", () => {
    expect(components.length).toBeGreaterThan(50);
    expect(components.filter(([, { description }]) => !description).map(([at]) => at)).toEqual([]);
  });

  test("describes in sentences that stand by themselves", () => {
    const texts = [...fields, ...parameters, ...components].map(([at, { description }]) => [at, description]);
    expect(texts.filter(([, text]) => !/^[A-Z`].*\.$/s.test(String(text)))).toEqual([]);
    // What a reader of the document cannot open.
    expect(texts.filter(([, text]) => /\b(SPEC|DESIGN)\b|\bsection \d/i.test(String(text)))).toEqual([]);
  });

  test("gives each name of a component to one schema, and no id to a schema", () => {
    const schemas = everything.filter(([at]) => !/\/(?:properties|example\/\d+)$/.test(at));
    const named = schemas.filter(([, { id }]) => typeof id === "string");
    expect(named.map(([at]) => at)).toEqual([]);
    const spelledOut = fields.filter(([, field]) => "allOf" in field);
    expect(spelledOut.map(([at]) => at)).toEqual([]);
  });
});

describe("examples and defaults", () => {
  test("are admitted by their own schemas", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const wrong = everything.flatMap(([at, schema]) =>
      [schema["example"], schema["default"]]
        .filter((value) => value !== undefined && ("type" in schema || "anyOf" in schema))
        .filter((value) => !ajv.validate({ ...schema, components: document.components }, value))
        .map((value) => [at, value]),
    );
    expect(wrong).toEqual([]);
  });

  const examples = everything.flatMap(([at, { example }]) =>
    typeof example === "string" ? [{ at, example }] : [],
  );

  test("have addresses with their checksum", () => {
    const addresses = examples.filter(({ example }) => /^0x[0-9a-fA-F]{40}$/.test(example));
    expect(addresses.length).toBeGreaterThan(30);
    expect(addresses.filter(({ example }) => getAddress(example) !== example)).toEqual([]);
  });

  test("have vault ids in lower case", () => {
    const ids = examples.filter(({ example }) => /^\d+:0x/.test(example));
    expect(ids.length).toBeGreaterThan(5);
    expect(ids.filter(({ example }) => example !== example.toLowerCase())).toEqual([]);
  });

  test("have amounts as decimal integers, where a text says that they count a smallest unit", () => {
    const amounts = fields.flatMap(([at, { description, example }]) =>
      /smallest unit/.test(String(description)) && typeof example === "string" ? [{ at, example }] : [],
    );
    expect(amounts.length).toBeGreaterThan(20);
    expect(amounts.filter(({ example }) => !/^(0|[1-9][0-9]*)$/.test(example))).toEqual([]);
  });
});

test("a vault id of a request is said to be taken in any letter case, one of an answer to be in lower case", () => {
  const vaultIds = fields.filter(([at]) => at.endsWith("/vault_id"));
  const inputs = vaultIds.filter(([at]) =>
    /\/(BuildInput|ClaimedVault|NewVaultInput|WithdrawInput|RequestActionInput)\//.test(at),
  );
  expect(inputs).toHaveLength(5);
  for (const [at, { description }] of vaultIds) {
    const expected = inputs.some(([one]) => one === at) ? /any letter case/ : /lowercase/;
    expect([at, description]).toEqual([at, expect.stringMatching(expected)]);
  }
});
