import { fieldTexts, parameterTexts } from "./field-texts.ts";

/** What is looked into of a schema, parameter or operation of the document. */
interface Node {
  description?: string;
  name?: string;
  properties?: Record<string, Node>;
  items?: Node;
  allOf?: Node[];
  anyOf?: Node[];
  oneOf?: Node[];
  parameters?: Node[];
  operationId?: string;
  responses?: Record<
    string,
    { content?: Record<string, { schema?: Node }>; headers?: Record<string, unknown> }
  >;
}

/** The parts of an OpenAPI document that have fields. */
export interface DescribedDocument {
  paths?: Record<string, Record<string, Node>>;
  components?: { schemas?: Record<string, Node>; headers?: Record<string, unknown> };
}

/** Says of every field and parameter of a document what it means, where it does not say so itself. Changes the document. */
export function describeFields(document: DescribedDocument): void {
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {}))
    describeSchema(schema, name);
  for (const operation of Object.values(document.paths ?? {}).flatMap((path) => Object.values(path))) {
    for (const parameter of operation.parameters ?? []) describeParameter(parameter);
    for (const { content = {} } of Object.values(operation.responses ?? {}))
      for (const { schema = {} } of Object.values(content))
        describeSchema(schema, operation.operationId ?? "");
  }
}

function describeParameter(parameter: Node): void {
  const text = parameterTexts[parameter.name ?? ""];
  if (text !== undefined) parameter.description ??= text;
}

function describeSchema(schema: Node, path: string): void {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const own = `${path}.${name}`;
    const text = fieldTexts[own] ?? fieldTexts[name];
    if (text !== undefined) field.description ??= text;
    describeSchema(field, own);
  }
  const parts = [schema.allOf, schema.anyOf, schema.oneOf, schema.items].flat();
  for (const part of parts) if (part !== undefined) describeSchema(part, path);
}
