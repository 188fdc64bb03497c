import fc from "fast-check";
import type { ApiOperation } from "../../smoke/api-contract.ts";
import { allowed, arbitraryValue } from "./values.ts";

/** A generated request: each parameter, by `place:name`, as text, given any number of times. */
export interface FuzzRequest {
  parameters: Readonly<Record<string, readonly string[]>>;
  body: FuzzBody;
}

/** A generated body: none, a JSON text, or any text with its content type. */
export type FuzzBody =
  | { kind: "none" }
  | { kind: "json"; text: string }
  | { kind: "raw"; text: string; type: string | null };

/** Values that exist on the deployment. */
export interface KnownValues {
  /** Values by member or parameter name. */
  values: Readonly<Record<string, readonly unknown[]>>;
  /** Complete valid bodies by operation id. */
  bodies: Readonly<Record<string, readonly Record<string, unknown>[]>>;
}

const JSON_TYPE = "application/json";

/** Generates an operation's requests: mostly valid, with parts sometimes absent, repeated or arbitrary. */
export function requestsFor(operation: ApiOperation, known: KnownValues): fc.Arbitrary<FuzzRequest> {
  const parameters = operation.parameters.map((parameter) => {
    const value = sensible(parameter.name, { known, otherwise: allowed(parameter.schema) });
    const values = { path: pathValue, query: queryValues, header: headerValue }[parameter.in];
    return [`${parameter.in}:${parameter.name}`, values(value)] as const;
  });
  return fc.record({
    parameters: fc.record(Object.fromEntries(parameters)),
    body: operation.body === null ? fc.constant({ kind: "none" as const }) : bodies(operation, known),
  });
}

function sensible(
  name: string,
  { known, otherwise }: { known: KnownValues; otherwise: fc.Arbitrary<unknown> },
): fc.Arbitrary<unknown> {
  const values = known.values[name];
  if (values === undefined) return otherwise;
  return fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: otherwise });
}

/** Generates path segments that are neither empty nor consist of dots, because those would select another route. */
function pathValue(value: fc.Arbitrary<unknown>): fc.Arbitrary<readonly string[]> {
  const any = fc.oneof({ weight: 3, arbitrary: value }, { weight: 2, arbitrary: arbitraryValue });
  return any.map(asText).map((text) => [/^\.{0,2}$/.test(text) ? "x" : text]);
}

function queryValues(value: fc.Arbitrary<unknown>): fc.Arbitrary<readonly string[]> {
  const one = fc.oneof({ weight: 8, arbitrary: value }, { weight: 1, arbitrary: arbitraryValue }).map(asText);
  return fc.oneof(
    { weight: 16, arbitrary: one.map((text) => [text]) },
    { weight: 8, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(one, { minLength: 2, maxLength: 3 }) },
  );
}

/** Generates texts that are valid in HTTP headers: visible ASCII, with spaces only inside. */
function headerValue(value: fc.Arbitrary<unknown>): fc.Arbitrary<readonly string[]> {
  const visible = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, "?").trim();
  const any = fc.oneof(value, arbitraryValue).map(asText).map(visible);
  return fc.oneof(
    fc.constant([]),
    any.map((text) => [text]),
  );
}

type Members = Record<string, fc.Arbitrary<unknown>>;

function bodies(operation: ApiOperation, known: KnownValues): fc.Arbitrary<FuzzBody> {
  const { properties = {}, required = [] } = operation.body ?? {};
  const members: Members = Object.fromEntries(
    Object.entries(properties).map(([name, item]) => {
      const value = sensible(name, { known, otherwise: allowed(item) });
      return [name, fc.oneof({ weight: 12, arbitrary: value }, { weight: 1, arbitrary: arbitraryValue })];
    }),
  );
  const lacking = fc.record(members, { requiredKeys: [] });
  const value = fc.oneof(
    ...edited(known.bodies[operation.operationId] ?? [], { members, lacking }),
    { weight: 8, arbitrary: fc.record(members, { requiredKeys: required as never[] }) },
    { weight: 3, arbitrary: lacking },
    { weight: 1, arbitrary: arbitraryValue },
  );
  const json = value.map((item): FuzzBody => ({ kind: "json", text: JSON.stringify(item) ?? "null" }));
  return fc.oneof({ weight: 12, arbitrary: json }, { weight: 1, arbitrary: rawBody });
}

/** Generates a valid body with some of its optional members and at most two invalid ones. */
function edited(
  right: readonly Record<string, unknown>[],
  { members, lacking }: { members: Members; lacking: fc.Arbitrary<unknown> },
) {
  if (right.length === 0) return [];
  const edits = fc.dictionary(fc.constantFrom(...Object.keys(members)), arbitraryValue, { maxKeys: 2 });
  const arbitrary = fc
    .tuple(fc.constantFrom(...right), fc.oneof(fc.constant({}), lacking), fc.oneof(fc.constant({}), edits))
    .map(([body, optional, spoilt]): unknown => ({ ...(optional as object), ...body, ...spoilt }));
  return [{ weight: 16, arbitrary }];
}

const rawBody: fc.Arbitrary<FuzzBody> = fc.record({
  kind: fc.constant("raw" as const),
  text: fc.constantFrom("", " ", "{", "[]", "null", '{"a":', "\u0000", "'", "{}}", "\ufeff{}"),
  type: fc.constantFrom(JSON_TYPE, JSON_TYPE, "text/plain", "multipart/form-data; boundary=x", null),
});

/** Converts to text without lone surrogates, which a URL cannot carry. */
function asText(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined");
  return Buffer.from(text, "utf8").toString("utf8");
}
