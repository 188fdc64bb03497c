import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { ApiOperation, JsonSchema } from "../../smoke/api-contract.ts";
import type { FuzzBody, FuzzRequest } from "./requests.ts";

/**
 * Function that returns the inputs of a request that violate the document, such as `query.limit` or `body.from_amount`.
 */
export type ForbiddenInputs = (request: FuzzRequest) => ReadonlySet<string>;

/** Creates the validator of an operation's requests. */
export function createForbiddenInputs(operation: ApiOperation): ForbiddenInputs {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  const parameters = operation.parameters.map((parameter) => ({
    ...parameter,
    key: `${parameter.in}:${parameter.name}`,
    validate: ajv.compile(parameter.schema),
  }));
  const validateBody = operation.body === null ? null : ajv.compile(operation.body);
  return (request) => {
    const wrong = new Set<string>();
    for (const { key, name, in: place, required, schema, validate } of parameters) {
      const texts = request.parameters[key] ?? [];
      const [text] = texts;
      const valid =
        text === undefined ? required !== true : texts.length === 1 && validate(read(text, schema));
      if (!valid) wrong.add(`${place}.${name}`);
    }
    if (operation.body !== null && validateBody !== null) {
      const { body: schema } = operation;
      for (const place of judgeBody(request.body, { schema, validate: validateBody })) wrong.add(place);
    }
    return wrong;
  };
}

/** Converts a parameter's text to its schema's type. Returns the text unchanged if it does not have that form. */
function read(text: string, schema: JsonSchema): unknown {
  const types = [schema.type ?? []].flat();
  if (types.includes("integer") && /^(0|-?[1-9][0-9]{0,15})$/.test(text)) return Number(text);
  if (types.includes("boolean") && (text === "true" || text === "false")) return text === "true";
  return text;
}

function judgeBody(
  body: FuzzBody,
  { schema, validate }: { schema: JsonSchema; validate: ValidateFunction },
): string[] {
  const json = jsonOf(body);
  if (json === undefined) return ["body"];
  if (validate(withoutNulls(json.value, schema))) return [];
  return (validate.errors ?? []).map(({ instancePath, params }) => {
    const { missingProperty, additionalProperty } = params as Record<string, string | undefined>;
    const member = instancePath.split("/")[1] ?? missingProperty ?? additionalProperty;
    return member === undefined ? "body" : `body.${member}`;
  });
}

/** Removes optional fields that are null, because null means absent. Required fields stay. */
function withoutNulls(value: unknown, { properties = {}, required = [] }: JsonSchema): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).flatMap(([name, item]: [string, unknown]) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (schema === undefined) return [[name, item]];
    return item === null && !required.includes(name) ? [] : [[name, withoutNulls(item, schema)]];
  });
  return Object.fromEntries(entries);
}

/** Parses the body; undefined when it is not JSON or not declared as JSON. */
function jsonOf(body: FuzzBody): { value: unknown } | undefined {
  if (body.kind === "none" || body.text.trim() === "") return undefined;
  if (body.kind === "raw" && body.type !== "application/json") return undefined;
  try {
    return { value: JSON.parse(body.text.replace(/^\ufeff/, "")) };
  } catch {
    return undefined;
  }
}
