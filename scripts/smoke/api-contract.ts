import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { z } from "zod";
import { type HttpAnswer, sendRequest } from "./http-request.ts";

/** A JSON Schema of OpenAPI 3.1, with the keywords that the smoke test uses. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  allOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minItems?: number;
  maxItems?: number;
  unevaluatedProperties?: boolean;
}

const Schema: z.ZodType<JsonSchema> = z.record(z.string(), z.unknown());
const Content = z.record(z.string(), z.object({ schema: Schema }));
const Operation = z.object({
  operationId: z.string(),
  parameters: z
    .array(
      z.object({
        name: z.string(),
        in: z.enum(["path", "query", "header"]),
        required: z.boolean().optional(),
        schema: Schema,
      }),
    )
    .default([]),
  requestBody: z.object({ content: Content }).optional(),
  responses: z.record(
    z.string(),
    z.object({
      content: Content.optional(),
      headers: z.record(z.string(), z.object({ $ref: z.string() })).default({}),
    }),
  ),
  /** Alternative security schemes; an empty list or an empty alternative means public. */
  security: z.array(z.record(z.string(), z.array(z.string()))).default([]),
});
const Document = z.object({
  openapi: z.string(),
  info: z.object({ title: z.string(), version: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({
    schemas: z.record(z.string(), Schema),
    headers: z.record(z.string(), z.object({ required: z.boolean().default(false) })).default({}),
  }),
});

/** A parsed OpenAPI document. */
export type ApiDocument = z.output<typeof Document>;

/** One operation of the document; its method is in lowercase. */
export interface ApiOperation extends z.output<typeof Operation> {
  method: string;
  /** Path template, with its parameters in braces. */
  path: string;
  /** Schema of the JSON body with references resolved; null when it takes none. */
  body: JsonSchema | null;
}

/**
 * A service's OpenAPI document, by which responses are validated. The constructor throws a ZodError if it is not one.
 */
export class ApiContract {
  readonly document: ApiDocument;
  readonly operations: readonly ApiOperation[];
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: unknown) {
    this.document = Document.parse(document);
    this.operations = Object.entries(this.document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        const body = operation.requestBody?.content["application/json"]?.schema;
        const parameters = operation.parameters.map((one) => ({ ...one, schema: this.resolve(one.schema) }));
        return {
          ...operation,
          parameters,
          method,
          path,
          body: body === undefined ? null : this.resolve(body),
        };
      }),
    );
  }

  static async of(origin: string): Promise<ApiContract> {
    return new ApiContract((await sendRequest(`${origin}/openapi.json`)).json);
  }

  operation(operationId: string): ApiOperation {
    const found = this.operations.find((operation) => operation.operationId === operationId);
    if (found === undefined) throw new Error(`the document has no operation ${operationId}`);
    return found;
  }

  /** Returns the schema with every reference replaced by its target. */
  resolve(schema: JsonSchema): JsonSchema {
    const target = schema.$ref === undefined ? schema : this.#component(schema.$ref);
    const all = (list: JsonSchema[] | undefined) => list?.map((item) => this.resolve(item));
    const properties = Object.entries(target.properties ?? {}).map(([name, item]) => [
      name,
      this.resolve(item),
    ]);
    return defined({
      ...target,
      properties: target.properties === undefined ? undefined : Object.fromEntries(properties),
      items: target.items === undefined ? undefined : this.resolve(target.items),
      allOf: all(target.allOf),
      anyOf: all(target.anyOf),
      oneOf: all(target.oneOf),
    });
  }

  /**
   * Returns a description of each violation of the document by a response: an undeclared status or content type, a
   * missing required header, or a body that does not match its schema. Undeclared fields are violations too. Empty if
   * the response conforms.
   */
  problems(operation: ApiOperation, answer: HttpAnswer): string[] {
    const declared = operation.responses[String(answer.status)];
    if (declared === undefined) return [`status ${answer.status} is not declared`];
    const { headers } = this.document.components;
    const lacking = Object.keys(declared.headers).filter(
      (name) => headers[name]?.required === true && !answer.headers.has(name),
    );
    if (lacking.length > 0) return lacking.map((name) => `${answer.status} lacks the header ${name}`);
    if (declared.content === undefined && answer.text === "") return [];
    const type = answer.headers.get("content-type") ?? "";
    const schema = declared.content?.[type]?.schema;
    if (schema === undefined) return [`${answer.status} as ${type} is not declared`];
    const key = `${operation.operationId} ${answer.status} ${type}`;
    const validate = this.#validators.get(key) ?? this.#ajv.compile(close(this.resolve(schema)));
    this.#validators.set(key, validate);
    if (validate(answer.json)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${answer.status}${instancePath}: ${message} ${JSON.stringify(params)}`,
    );
  }

  #component(reference: string): JsonSchema {
    const name = reference.replace("#/components/schemas/", "");
    const schema = this.document.components.schemas[name];
    if (schema === undefined) throw new Error(`the document has no ${reference}`);
    return schema;
  }
}

/** Forbids undeclared fields in every object of a resolved schema. */
function close(schema: JsonSchema, outermost = true): JsonSchema {
  const whole = schema.properties !== undefined || schema.allOf !== undefined;
  const properties = Object.entries(schema.properties ?? {}).map(([name, item]) => [name, close(item)]);
  return defined({
    ...schema,
    properties: schema.properties === undefined ? undefined : Object.fromEntries(properties),
    items: schema.items === undefined ? undefined : close(schema.items),
    allOf: schema.allOf?.map((part) => close(part, false)),
    anyOf: schema.anyOf?.map((part) => close(part)),
    oneOf: schema.oneOf?.map((part) => close(part)),
    unevaluatedProperties: outermost && whole ? false : undefined,
  });
}

/** Removes undefined members. */
function defined(schema: { [K in keyof JsonSchema]: JsonSchema[K] | undefined }): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}
