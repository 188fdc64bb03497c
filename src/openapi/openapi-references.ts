import * as z from "zod";
import type { AnyRoute } from "../http/define-route.ts";

/** A schema, parameter or operation in an OpenAPI document, with only the properties that post-processing uses. */
interface Node {
  operationId?: string;
  $ref?: string;
  type?: string | string[];
  anyOf?: Node[];
  oneOf?: Node[];
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

/** The parts of a generated OpenAPI document that post-processing reads or changes: its operations and components. */
export interface DescribedDocument {
  paths?: Record<string, Record<string, Node>>;
  components?: {
    schemas?: Record<string, Node>;
    headers?: Record<string, unknown>;
    examples?: Record<string, unknown>;
  };
}

/** All references to one component: those from fields that are not nullable, and those from nullable fields. */
interface Uses {
  plain: Node[];
  nullable: Node[];
}

/** The component schemas of an OpenAPI document, and the references found so far, both by component id. */
interface Components {
  schemas: Record<string, Node>;
  uses: Map<string, Uses>;
}

/**
 * Replaces the components in request bodies and 2xx responses by references. Gives each reference the description of
 * its field and each component its own, which the generator confuses. Modifies the document in place.
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

/** The content of a request or response in an OpenAPI document, by media type. */
interface Content {
  content?: Record<string, { schema?: Node }>;
}

/** Replaces components in the content of a request or response by references. */
function referenceContent(
  components: Components,
  { holder, schema }: { holder: Content | undefined; schema: z.core.$ZodType },
): void {
  for (const media of Object.values(holder?.content ?? {}))
    if (media.schema !== undefined)
      media.schema = referenceSchema(components, { node: media.schema, schema });
}

/**
 * Returns the document node for a zod schema: a reference if the schema is a component, otherwise the given node with
 * references in its parts.
 */
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

/** Replaces the components in a union's options by references. */
function referenceOptions(
  components: Components,
  { node, options }: { node: Node; options: readonly z.core.$ZodType[] },
): void {
  for (const list of [node.oneOf, node.anyOf])
    for (const [index, option] of [...(list ?? [])].entries()) {
      const schema = options[index];
      if (list !== undefined && schema !== undefined)
        list[index] = referenceSchema(components, { node: option, schema });
    }
}

/** Replaces components in a union's options, array's items or object's properties by references. Returns the node. */
function referenceParts(
  components: Components,
  { node, schema }: { node: Node; schema: z.core.$ZodType },
): Node {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodUnion) referenceOptions(components, { node, options: inner.options });
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

/**
 * Makes a component not nullable: nullable fields become `anyOf` of the component and null. Otherwise the generated
 * type of the component would include null for all fields.
 */
function referenceNullable(component: Node | undefined, { nullable }: Uses): void {
  if (component === undefined || nullable.length === 0) return;
  if (Array.isArray(component.type))
    component.type = component.type.find((type) => type !== "null") ?? "object";
  for (const use of nullable) {
    use.anyOf = [{ $ref: use.$ref ?? "" }, { type: "null" }];
    delete use.$ref;
  }
}

/**
 * Returns the component that a schema is, wraps, or copies with another description, or null if it is none of these.
 */
function findNamed(schema: z.core.$ZodType): { id: string; base: z.core.$ZodType } | null {
  const id = z.globalRegistry.get(schema)?.id;
  if (id !== undefined) return { id, base: schema };
  const inner = unwrap(schema);
  if (inner !== schema) return findNamed(inner);
  const { parent, def } = schema._zod;
  return parent?._zod.def === def ? findNamed(parent) : null;
}

/** Returns a schema without its nullable, optional and default wrappers. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const wraps =
    schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault;
  return wraps ? unwrap(schema.unwrap()) : schema;
}

/** Returns true if a schema accepts null, directly or inside optional and default wrappers. */
function isNullable(schema: z.core.$ZodType): boolean {
  if (schema instanceof z.ZodNullable) return true;
  const wraps = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault;
  return wraps && isNullable(schema.unwrap());
}

/** Returns the description of a schema, or undefined if it has none. */
const textOf = (schema: z.core.$ZodType): string | undefined => z.globalRegistry.get(schema)?.description;

/** Sets or removes the description of a node. Returns the node. */
function setText(node: Node, text: string | undefined): Node {
  if (text === undefined) delete node.description;
  else node.description = text;
  return node;
}

/** Removes the description from a parameter's schema if it repeats the parameter's own description. */
function dropRepeatedText(parameter: Node): void {
  if (parameter.schema?.description === parameter.description) delete parameter.schema?.description;
}
