import { type ErrorCode, errorCodes, errorTable } from "../errors.ts";
import { type ExampleValues, exampleTexts, exampleValues } from "./example-values.ts";
import { problemExample } from "./openapi-error-help.ts";
import type { DescribedDocument } from "./openapi-references.ts";
import { operationExampleValues } from "./operation-example-values.ts";

/** A schema in an OpenAPI document, with only the keywords from which an example follows. */
interface SchemaNode {
  $ref?: string;
  type?: string | string[];
  anyOf?: SchemaNode[];
  oneOf?: SchemaNode[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  example?: unknown;
  properties?: Record<string, SchemaNode>;
  items?: SchemaNode;
}

/** What the example of an operation is made of: the document's schemas, by name, and the operation's own values. */
interface Sources {
  schemas: Readonly<Record<string, SchemaNode>>;
  own: ExampleValues;
}

const PROBLEM = "application/problem+json";

/**
 * Adds examples to the responses of an OpenAPI document: bodies of successes, problem documents of the error codes, and
 * validation errors. Modifies the document in place.
 */
export function addResponseExamples(document: DescribedDocument, codesOf: CodesOf): void {
  const schemas: Sources["schemas"] = document.components?.schemas ?? {};
  const used = new Set<ErrorCode>();
  for (const [path, methods] of Object.entries(document.paths ?? {}))
    for (const [method, operation] of Object.entries(methods))
      for (const [status, { content = {} }] of Object.entries(operation.responses ?? {})) {
        const [json, problem]: (MediaType | undefined)[] = [content["application/json"], content[PROBLEM]];
        const own = operationExampleValues[operation.operationId ?? ""] ?? {};
        if (json !== undefined && status.startsWith("2"))
          json.example = compose({ schemas, own }, { node: json.schema });
        if (json !== undefined && status === "422") json.example = invalidInput(operation);
        if (problem === undefined) continue;
        const codes = codesOf({ path, method }).filter((code) => errorTable[code].status === Number(status));
        for (const code of codes) used.add(code);
        problem.examples = Object.fromEntries(
          codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
        );
      }
  const named = errorCodes.filter((code) => used.has(code));
  const examples = named.map((code) => [
    code,
    { summary: errorTable[code].title, value: problemExample(code) },
  ]);
  document.components = { ...document.components, examples: Object.fromEntries(examples) };
}

/** Returns the error codes that an operation can have. */
type CodesOf = (operation: { path: string; method: string }) => readonly ErrorCode[];

/** A media type of a response, with the examples that this file adds. */
interface MediaType {
  schema?: SchemaNode;
  example?: unknown;
  examples?: Readonly<Record<string, { $ref: string }>>;
}

/** Returns an example of a schema: its own, or one composed of the examples of its parts. */
function compose(
  sources: Sources,
  { node, name = "" }: { node: SchemaNode | undefined; name?: string },
): unknown {
  if (node?.$ref !== undefined) {
    const id = node.$ref.split("/").at(-1) ?? "";
    const made = compose(sources, { node: sources.schemas[id], name });
    const values = { ...exampleValues[id], ...sources.own[id] };
    return Object.keys(values).length === 0 ? made : Object.assign({}, made, values);
  }
  if (node === undefined) return null;
  const stated = [node.example, node.const, node.default].find((value) => value !== undefined);
  if (stated !== undefined) return stated;
  const option = [...(node.anyOf ?? []), ...(node.oneOf ?? [])].find(({ type }) => type !== "null");
  if (option !== undefined) return compose(sources, { node: option, name });
  if (node.enum !== undefined) return node.enum[0];
  if (node.items !== undefined) return [compose(sources, { node: node.items, name })];
  if (node.properties !== undefined)
    return Object.fromEntries(
      Object.entries(node.properties).map(([name, part]) => [name, compose(sources, { node: part, name })]),
    );
  return exampleTexts[name] ?? (node.type === "boolean" ? false : node.type === "object" ? {} : null);
}

/** Returns an operation's example validation error: invalid JSON, or an invalid path or unknown query parameter. */
function invalidInput(operation: {
  parameters?: readonly { name?: string; in?: string }[];
  requestBody?: { content?: Record<string, { schema?: SchemaNode }> };
}): { detail: readonly { loc: readonly string[]; msg: string; type: string }[] } {
  if (operation.requestBody !== undefined)
    return { detail: [{ loc: ["body"], msg: "the body must be valid JSON", type: "json_invalid" }] };
  const query = operation.parameters?.find((parameter) => parameter.in === "query")?.name;
  const path = operation.parameters?.find((parameter) => parameter.in === "path")?.name;
  if (query === undefined && path !== undefined)
    return { detail: [{ loc: ["path", path], msg: `must be a valid ${path}`, type: "invalid_format" }] };
  const [misspelt, hint] =
    query === undefined ? ["limit", "none is accepted here"] : [`${query}s`, `did you mean ${query}?`];
  const msg = `unknown field "${misspelt}": ${hint}`;
  return { detail: [{ loc: ["query", misspelt], msg, type: "unknown_field" }] };
}
