import * as z from "zod";
import type { AnyRoute } from "../http/define-route.ts";

/** The members of a schema, parameter or operation that are read here. */
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

/** References to a component from fields that are not nullable, and from nullable ones. */
interface Uses {
  plain: Node[];
  nullable: Node[];
}

/** Components of a document, and the references to each component found so far. */
interface Components {
  schemas: Record<string, Node>;
  uses: Map<string, Uses>;
}

/**
 * Gives each reference the description of its field and each component its own description. The generator puts the first
 * field's description on the component, and repeats the whole component where a field adds a description
 * (`Vault.meta({ description })` has no id). Changes the document.
 */
export function describeReferences(document: DescribedDocument, routes: readonly AnyRoute[]): void {
  const components: Components = { schemas: { ...document.components?.schemas }, uses: new Map() };
  for (const { path, method, body, response } of routes) {
    const operation = document.paths?.[path]?.[method];
    for (const parameter of operation?.parameters ?? []) dropRepeatedText(parameter);
    if (body !== undefined) referenceContent(components, { holder: operation?.requestBody, schema: body });
    for (const [status, holder] of Object.entries(operation?.responses ?? {}))
      if (status.startsWith("2")) referenceContent(components, { holder, schema: response.schema });
  }
  for (const [id, uses] of components.uses) referenceNullable(components.schemas[id], uses);
  document.components = { ...document.components, schemas: components.schemas };
}

/** Content of a request or response by media type. */
interface Content {
  content?: Record<string, { schema?: Node }>;
}

function referenceContent(
  components: Components,
  { holder, schema }: { holder: Content | undefined; schema: z.core.$ZodType },
): void {
  for (const media of Object.values(holder?.content ?? {}))
    if (media.schema !== undefined)
      media.schema = referenceSchema(components, { node: media.schema, schema });
}

/** Returns the node of a schema: a reference when it is a component, otherwise its own node. */
function referenceSchema(components: Components, one: { node: Node; schema: z.core.$ZodType }): Node {
  const { node, schema } = one;
  const named = findNamed(schema);
  if (named === null) return referenceParts(components, one);
  const { id, base } = named;
  const known = components.uses.get(id);
  const uses = known ?? { plain: [], nullable: [] };
  if (known === undefined) {
    components.uses.set(id, uses);
    const component = components.schemas[id] ?? node;
    components.schemas[id] = component;
    referenceParts(components, { node: component, schema: base });
    setText(component, textOf(base));
  }
  const reference: Node = { $ref: `#/components/schemas/${id}` };
  (isNullable(schema) ? uses.nullable : uses.plain).push(reference);
  return setText(reference, schema === base ? undefined : textOf(schema));
}

function referenceParts(
  components: Components,
  { node, schema }: { node: Node; schema: z.core.$ZodType },
): Node {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodArray && node.items !== undefined)
    node.items = referenceSchema(components, { node: node.items, schema: inner.element });
  if (inner instanceof z.ZodObject) {
    const fields: Record<string, z.core.$ZodType> = inner.shape;
    for (const [name, property] of Object.entries(node.properties ?? {})) {
      const field = fields[name];
      if (field !== undefined && node.properties !== undefined)
        node.properties[name] = referenceSchema(components, { node: property, schema: field });
    }
  }
  return node;
}

/** Keeps a component nullable only when every reference is; otherwise the nullable references become `anyOf` with null. */
function referenceNullable(component: Node | undefined, { plain, nullable }: Uses): void {
  if (component === undefined || plain.length === 0 || nullable.length === 0) return;
  component.type = "object";
  for (const use of nullable) {
    use.anyOf = [{ $ref: use.$ref ?? "" }, { type: "null" }];
    delete use.$ref;
  }
}

/** Finds the component that a schema is, wraps, or copies with another description; null when there is none. */
function findNamed(schema: z.core.$ZodType): { id: string; base: z.core.$ZodType } | null {
  const id = z.globalRegistry.get(schema)?.id;
  if (id !== undefined) return { id, base: schema };
  const inner = unwrap(schema);
  if (inner !== schema) return findNamed(inner);
  const { parent, def } = schema._zod;
  return parent?._zod.def === def ? findNamed(parent) : null;
}

/** Removes nullable, optional and default wrappers from a schema. */
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

/** Removes a parameter's description from its schema when the parameter has it already. */
function dropRepeatedText(parameter: Node): void {
  if (parameter.schema?.description === parameter.description) delete parameter.schema?.description;
}
