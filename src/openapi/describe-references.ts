import * as z from "zod";
import type { AnyRoute } from "../http/define-route.ts";

/** What is looked into of a schema, parameter or operation of the document. */
interface Node {
  $ref?: string;
  type?: string | string[];
  anyOf?: Node[];
  description?: string;
  name?: string;
  schema?: Node;
  properties?: Record<string, Node>;
  items?: Node;
  parameters?: Node[];
  requestBody?: { content?: Record<string, { schema?: Node }> };
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

/** Where a component is referred to. */
interface Uses {
  plain: Node[];
  nullable: Node[];
}

/** The components of a document, and what refers to each of those that were settled so far. */
interface Components {
  schemas: Record<string, Node>;
  uses: Map<string, Uses>;
}

/**
 * Gives each reference the text of its field, and each component its own. The generator leaves the text of the first
 * field on the component, and spells out a component again where a field describes it (`Vault.meta({ description })`
 * has no id). Changes the document.
 */
export function describeReferences(document: DescribedDocument, routes: readonly AnyRoute[]): void {
  const components: Components = { schemas: { ...document.components?.schemas }, uses: new Map() };
  for (const { path, method, body, response } of routes) {
    const operation = document.paths?.[path]?.[method];
    for (const parameter of operation?.parameters ?? []) sayOnce(parameter);
    if (body !== undefined) settleContent(components, { holder: operation?.requestBody, schema: body });
    for (const [status, holder] of Object.entries(operation?.responses ?? {}))
      if (status.startsWith("2")) settleContent(components, { holder, schema: response.schema });
  }
  for (const [id, uses] of components.uses) settleNull(components.schemas[id], uses);
  document.components = { ...document.components, schemas: components.schemas };
}

interface Content {
  content?: Record<string, { schema?: Node }>;
}

function settleContent(
  components: Components,
  { holder, schema }: { holder: Content | undefined; schema: z.core.$ZodType },
): void {
  for (const media of Object.values(holder?.content ?? {}))
    if (media.schema !== undefined) media.schema = settle(components, { node: media.schema, schema });
}

/** What stands for a schema: a reference when it is a component, else its own node. */
function settle(components: Components, one: { node: Node; schema: z.core.$ZodType }): Node {
  const { node, schema } = one;
  const named = findNamed(schema);
  if (named === null) return settleParts(components, one);
  const { id, base } = named;
  const known = components.uses.get(id);
  const uses = known ?? { plain: [], nullable: [] };
  if (known === undefined) {
    components.uses.set(id, uses);
    const component = components.schemas[id] ?? node;
    components.schemas[id] = component;
    settleParts(components, { node: component, schema: base });
    setText(component, textOf(base));
  }
  const reference: Node = { $ref: `#/components/schemas/${id}` };
  (isNullable(schema) ? uses.nullable : uses.plain).push(reference);
  return setText(reference, schema === base ? undefined : textOf(schema));
}

function settleParts(
  components: Components,
  { node, schema }: { node: Node; schema: z.core.$ZodType },
): Node {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodArray && node.items !== undefined)
    node.items = settle(components, { node: node.items, schema: inner.element });
  if (inner instanceof z.ZodObject) {
    const fields: Record<string, z.core.$ZodType> = inner.shape;
    for (const [name, property] of Object.entries(node.properties ?? {})) {
      const field = fields[name];
      if (field !== undefined && node.properties !== undefined)
        node.properties[name] = settle(components, { node: property, schema: field });
    }
  }
  return node;
}

/** A component is nullable where every use of it is; otherwise the nullable uses say so themselves. */
function settleNull(component: Node | undefined, { plain, nullable }: Uses): void {
  if (component === undefined || plain.length === 0 || nullable.length === 0) return;
  component.type = "object";
  for (const use of nullable) {
    use.anyOf = [{ $ref: use.$ref ?? "" }, { type: "null" }];
    delete use.$ref;
  }
}

/** The component that a schema is, wraps, or is a copy of with other texts; null when it is none. */
function findNamed(schema: z.core.$ZodType): { id: string; base: z.core.$ZodType } | null {
  const id = z.globalRegistry.get(schema)?.id;
  if (id !== undefined) return { id, base: schema };
  const inner = unwrap(schema);
  if (inner !== schema) return findNamed(inner);
  const { parent, def } = schema._zod;
  return parent?._zod.def === def ? findNamed(parent) : null;
}

/** What a schema is when it is neither null nor absent. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const wraps =
    schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault;
  return wraps ? unwrap(schema.unwrap()) : schema;
}

function isNullable(schema: z.core.$ZodType): boolean {
  if (schema instanceof z.ZodNullable) return true;
  const wraps = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault;
  return wraps && isNullable(schema.unwrap());
}

const textOf = (schema: z.core.$ZodType): string | undefined => z.globalRegistry.get(schema)?.description;

function setText(node: Node, text: string | undefined): Node {
  if (text === undefined) delete node.description;
  else node.description = text;
  return node;
}

/** A parameter's text stands beside its name, not in its schema again. */
function sayOnce(parameter: Node): void {
  if (parameter.schema?.description === parameter.description) delete parameter.schema?.description;
}
