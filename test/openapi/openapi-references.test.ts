import { expect, test } from "vitest";
import * as z from "zod";
import { defineRoute } from "../../src/http/define-route.ts";
import { openApiDocument } from "../../src/openapi/openapi-document.ts";

/** What the document makes of an answer: its components, and the answer itself. */
function documented(schema: z.ZodType) {
  const route = defineRoute({
    operationId: "things.get",
    method: "get",
    path: "/things",
    summary: "A thing",
    tag: "Things",
    access: "public",
    cache: "no-store",
    response: { schema, description: "A thing" },
    errors: [],
    handler: () => ({}),
  });
  const document = openApiDocument([route], "https://causeway.example");
  const own = Object.entries(document.components?.schemas ?? {}).filter(
    ([name]) => !/Problem$|^PriceSubject$|^ValidationError$/.test(name),
  );
  const schemas = Object.fromEntries(own);
  return {
    schemas,
    answer: document.paths?.["/things"]?.["get"]?.responses?.["200"]?.content?.["application/json"]?.schema,
  };
}

const named = (id: string) =>
  z.object({ size: z.int().meta({ description: "Size." }) }).meta({ id, description: "A part." });
const size = { type: "integer", description: "Size." };

test("a field that describes a component refers to it, and the component keeps its own text", () => {
  const Part = named("PartA");
  const first = Part.meta({ description: "The first part." });
  const rest = z.array(Part).meta({ description: "The others." });
  expect(documented(z.object({ first, rest }).meta({ id: "WholeA", description: "A whole." }))).toEqual({
    answer: { $ref: "#/components/schemas/WholeA" },
    schemas: {
      PartA: { type: "object", description: "A part.", properties: { size }, required: ["size"] },
      WholeA: {
        type: "object",
        description: "A whole.",
        properties: {
          first: { $ref: "#/components/schemas/PartA", description: "The first part." },
          rest: {
            type: "array",
            description: "The others.",
            items: { $ref: "#/components/schemas/PartA" },
          },
        },
        required: ["first", "rest"],
      },
    },
  });
});

test("a component is not nullable when every field of its type is", () => {
  const Part = named("PartB");
  const one = Part.nullable().meta({ description: "One part." });
  const other = Part.nullable().meta({ description: "Another." });
  const { answer, schemas } = documented(z.object({ one, other }));
  expect(schemas["PartB"]).toMatchObject({ type: "object", description: "A part." });
  const anyOf = [{ $ref: "#/components/schemas/PartB" }, { type: "null" }];
  expect(answer?.properties).toEqual({
    one: { anyOf, description: "One part." },
    other: { anyOf, description: "Another." },
  });
});

test("a field says that it is nullable where another field of its type is not", () => {
  const Part = named("PartC");
  const maybe = Part.nullable().meta({ description: "Perhaps a part." });
  const always = Part.meta({ description: "A part in any case." });
  const { answer, schemas } = documented(z.object({ maybe, always }));
  expect(schemas["PartC"]).toMatchObject({ type: "object", description: "A part." });
  expect(answer?.properties).toEqual({
    maybe: {
      anyOf: [{ $ref: "#/components/schemas/PartC" }, { type: "null" }],
      description: "Perhaps a part.",
    },
    always: { $ref: "#/components/schemas/PartC", description: "A part in any case." },
  });
});

test("a component made by extending another has all of its fields", () => {
  const More = named("PartD").extend({ name: z.string().meta({ description: "Name." }) });
  const { schemas } = documented(More.meta({ id: "MoreD", description: "More." }));
  expect(schemas["MoreD"]).toEqual({
    type: "object",
    description: "More.",
    properties: { size, name: { type: "string", description: "Name." } },
    required: ["size", "name"],
  });
});
