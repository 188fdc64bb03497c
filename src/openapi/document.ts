import { OpenAPIHono, type RouteConfig } from "@hono/zod-openapi";
import { type ErrorCode, errorTable } from "../errors.ts";
import type { AnyRoute } from "../http/define-route.ts";
import { type DescribedDocument, describeFields } from "../http/describe-fields.ts";
import { commonErrors } from "../http/problem.ts";
import { rateLimitOf } from "../http/rate-limit.ts";
import { ProblemBody, ValidationErrorBody } from "../schemas/error.ts";

/** Adds an operation to the document. */
function addOperation(document: OpenAPIHono, route: AnyRoute): void {
  const request: NonNullable<RouteConfig["request"]> = {};
  if (route.params !== undefined) request.params = route.params;
  if (route.query !== undefined) request.query = route.query;
  if (route.headers !== undefined) request.headers = route.headers;
  if (route.body !== undefined) {
    request.body = { required: true, content: { "application/json": { schema: route.body } } };
  }
  const { response } = route;
  const content = { "application/json": { schema: response.schema } };
  document.openAPIRegistry.registerPath({
    operationId: route.operationId,
    method: route.method,
    path: route.path,
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    tags: [route.tag],
    security: rateLimitOf(route) === null ? [] : SECURITY_BY_ACCESS[route.access],
    request,
    responses: {
      ...(response.existing === undefined ? {} : { 200: { description: response.existing, content } }),
      [response.status ?? 200]: { description: response.description, content },
      ...errorResponses(route),
    },
  });
}

/** The ways in which each kind of operation can be called. */
const SECURITY_BY_ACCESS: Readonly<Record<AnyRoute["access"], NonNullable<RouteConfig["security"]>>> = {
  public: [{}, { api_key: [] }, { api_key: [], api_secret: [] }],
  sign_in: [],
  session: [{ session: [] }],
  session_or_pair: [{ session: [] }, { api_key: [], api_secret: [] }],
  admin: [{ admin_token: [] }],
};

/** Adds the credentials that operations name to the document. */
function addSecuritySchemes(document: OpenAPIHono): void {
  const bearer = { type: "http", scheme: "bearer" } as const;
  const header = (name: string) => ({ type: "apiKey", in: "header", name }) as const;
  for (const [name, scheme] of Object.entries({
    api_key: { ...header("X-API-Key"), description: "Attributes, and raises the limits" },
    api_secret: {
      ...header("X-API-Secret"),
      description: "Proves that the key is the caller's; for backends",
    },
    session: { ...bearer, description: "The session_token of registering or signing in" },
    admin_token: { ...bearer, description: "The deployment's ADMIN_TOKEN" },
  })) {
    document.openAPIRegistry.registerComponent("securitySchemes", name, scheme);
  }
}

/** What an operation can fail with before its handler sees it. */
function edgeErrors(route: AnyRoute): readonly ErrorCode[] {
  const limited: readonly ErrorCode[] = rateLimitOf(route) === null ? [] : ["rate_limited"];
  switch (route.access) {
    case "sign_in":
      return limited;
    case "public":
      return limited.length === 0 ? [] : [...limited, "credentials_invalid"];
    case "session":
    case "session_or_pair":
      return [
        ...limited,
        "credentials_required",
        "credentials_invalid",
        "session_expired",
        "store_unavailable",
      ];
    case "admin":
      return [...limited, "route_not_found", "credentials_required", "credentials_invalid"];
  }
}

/** The failures of a route by status; the codes come from the error table. */
function errorResponses(route: AnyRoute): RouteConfig["responses"] {
  const byStatus = new Map<number, ErrorCode[]>();
  // Whether or not a body is read.
  const takesBody: readonly ErrorCode[] = route.method === "get" ? [] : ["body_too_large"];
  const codes = [...route.errors, ...edgeErrors(route), ...takesBody, ...commonErrors];
  for (const code of new Set(codes)) {
    const { status } = errorTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses: RouteConfig["responses"] = {};
  if (route.cache !== "no-store") responses[304] = { description: "The caller has this answer already" };
  for (const [status, codes] of [...byStatus].sort(([a], [b]) => a - b)) {
    const description = codes.map((code) => `\`${code}\`: ${errorTable[code].title}`).join("; ");
    responses[status] = { description, content: { "application/problem+json": { schema: ProblemBody } } };
  }
  const takesInput = [route.params, route.query, route.headers, route.body].some(
    (part) => part !== undefined,
  );
  if (takesInput) {
    responses[422] = {
      description: "Invalid input; every finding is listed",
      content: { "application/json": { schema: ValidationErrorBody } },
    };
  }
  return responses;
}

/** The OpenAPI 3.1 document of these operations, in their order, for a deployment at this address. */
export function openApiDocument(routes: readonly AnyRoute[], publicUrl: string): DescribedDocument {
  const document = new OpenAPIHono();
  addSecuritySchemes(document);
  for (const route of routes) addOperation(document, route);
  const made = document.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Causeway",
      version: "1.0.0",
      description: "Cross-chain deposits into yield vaults: builds, checks and follows the transactions.",
      license: { name: "MIT", url: "https://spdx.org/licenses/MIT" },
    },
    servers: [{ url: publicUrl }],
    tags: [
      { name: "Vaults", description: "What can be deposited into" },
      { name: "Deposits", description: "Quoting, building and following deposits" },
      { name: "Positions", description: "What a user holds" },
      { name: "Signals", description: "What happens to vaults and their money" },
      { name: "Partners", description: "Applying, signing in with a wallet, keys and figures" },
      { name: "Administration", description: "Deciding applications, and the vault registry" },
      { name: "Service", description: "Chains, health and documents" },
    ],
  });
  // Shared parts are told apart, and what has no value is left out.
  const described: DescribedDocument = JSON.parse(JSON.stringify(made));
  describeFields(described);
  addResponseHeaders(described);
  return described;
}

/** Headers of answers. */
const RESPONSE_HEADERS = {
  "X-Request-Id": "Names the request: the caller's own id where it sent a well-formed one",
  ETag: "Names this very answer, for If-None-Match",
  Link: 'The next page, as `<…>; rel="next"`; not there on the last one',
  RateLimit: "How many requests are left (`r`), and for how many seconds (`t`)",
  "RateLimit-Policy": "How many requests are admitted (`q`) in how many seconds (`w`)",
  "Retry-After": "Seconds to wait before the next try",
} as const;
type HeaderName = keyof typeof RESPONSE_HEADERS;
/** Those that are there wherever they are named; the others only where there is something to say. */
const ALWAYS_PRESENT: ReadonlySet<string> = new Set<HeaderName>(["X-Request-Id", "ETag", "Retry-After"]);

/** Says of every answer of a document which headers it has. Changes the document. */
export function addResponseHeaders(document: DescribedDocument): void {
  const schema = { type: "string" };
  const described = Object.entries(RESPONSE_HEADERS).map(([name, description]) => [
    name,
    { description, required: ALWAYS_PRESENT.has(name), schema },
  ]);
  document.components = { ...document.components, headers: Object.fromEntries(described) };
  for (const operation of Object.values(document.paths ?? {}).flatMap((path) => Object.values(path))) {
    const { responses = {}, parameters = [] } = operation;
    const paged = parameters.some(({ name }) => name === "cursor");
    for (const [status, response] of Object.entries(responses)) {
      const names: HeaderName[] = ["X-Request-Id"];
      if ((status === "200" || status === "304") && "304" in responses) names.push("ETag");
      if (status === "200" && paged) names.push("Link");
      if ("429" in responses && status.startsWith("2")) names.push("RateLimit-Policy");
      if (status === "429") names.push("RateLimit", "RateLimit-Policy", "Retry-After");
      response.headers = Object.fromEntries(
        names.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
      );
    }
  }
}
