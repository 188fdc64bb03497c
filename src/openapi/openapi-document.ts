import { OpenAPIHono, type RouteConfig } from "@hono/zod-openapi";
import { type ErrorCode, errorTable } from "../errors.ts";
import type { AnyRoute } from "../http/define-route.ts";
import { rateLimitOf, takesOrderSlot } from "../http/http-rate-limit.ts";
import { commonErrors } from "../http/problem-response.ts";
import { refusesUnknownParameters } from "../http/validate-request.ts";
import { ProblemBody, ValidationErrorBody } from "../schemas/error-schema.ts";
import { type DescribedDocument, describeReferences } from "./openapi-references.ts";
import { describeDefaults, nameSharedEnums, requireDefaultedFields } from "./prepare-for-generators.ts";
import { addResponseExamples } from "./response-examples.ts";

/** Adds the operation of a route to an OpenAPI document. */
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
      ...(response.unavailable === undefined ? {} : { 503: { description: response.unavailable, content } }),
      [response.status ?? 200]: { description: response.description, content },
      ...errorResponses(route),
    },
  });
}

/**
 * Security requirements in the OpenAPI document, by the credentials that an operation accepts. Entries of a list are
 * alternatives.
 */
const SECURITY_BY_ACCESS: Readonly<Record<AnyRoute["access"], NonNullable<RouteConfig["security"]>>> = {
  public: [{}, { api_key: [] }, { api_key: [], api_secret: [] }],
  sign_in: [],
  session: [{ session: [] }],
  read: [{ session: [] }, { api_key: [], api_secret: [] }],
  manage: [{ session: [] }, { api_key: [], api_secret: [] }],
  admin: [{ admin_token: [] }],
};

/** Adds the security schemes (API key, secret, session and administrator's token) to an OpenAPI document. */
function addSecuritySchemes(document: OpenAPIHono): void {
  const bearer = { type: "http", scheme: "bearer" } as const;
  const header = (name: string) => ({ type: "apiKey", in: "header", name }) as const;
  for (const [name, scheme] of Object.entries({
    api_key: {
      ...header("X-API-Key"),
      description: "Public API key of a partner: attributes the request to it and raises the rate limits.",
    },
    api_secret: {
      ...header("X-API-Secret"),
      description: "Secret of the API key, for backends only: authenticates the partner.",
    },
    session: { ...bearer, description: "`session_token` of a registration or login." },
    admin_token: { ...bearer, description: "Administrator's token of the deployment." },
  })) {
    document.openAPIRegistry.registerComponent("securitySchemes", name, scheme);
  }
}

/** Returns the error codes that authentication and rate limiting add to a route. */
function edgeErrors(route: AnyRoute): readonly ErrorCode[] {
  const limited: readonly ErrorCode[] = rateLimitOf(route) === null ? [] : ["rate_limited"];
  switch (route.access) {
    case "sign_in":
      return limited;
    case "public":
      return limited.length === 0 ? [] : [...limited, "credentials_invalid", "key_forbidden"];
    case "session":
    case "read":
    case "manage":
      return [
        ...limited,
        ...(route.access === "session" ? [] : (["key_forbidden"] as const)),
        "credentials_required",
        "credentials_invalid",
        "session_expired",
        "store_unavailable",
      ];
    case "admin":
      return [...limited, "route_not_found", "credentials_required", "credentials_invalid"];
  }
}

/** Returns all error codes that a route can return. */
function errorCodesOf(route: AnyRoute): ReadonlySet<ErrorCode> {
  // The size limit applies to every method except GET, even on routes that read no body.
  const takesBody: readonly ErrorCode[] = route.method === "get" ? [] : ["body_too_large"];
  const bounded: readonly ErrorCode[] = takesOrderSlot(route) ? ["overloaded"] : [];
  return new Set([...route.errors, ...edgeErrors(route), ...takesBody, ...bounded, ...commonErrors]);
}

/** Returns the error responses of a route by HTTP status, each described by its error codes and their titles. */
function errorResponses(route: AnyRoute): RouteConfig["responses"] {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodesOf(route)) {
    const { status } = errorTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses: RouteConfig["responses"] = {};
  if (route.cache !== "no-store")
    responses[304] = { description: "Not modified: the caller already has this response" };
  for (const [status, codes] of [...byStatus].sort(([a], [b]) => a - b)) {
    const description = codes.map((code) => `\`${code}\`: ${errorTable[code].title}`).join("; ");
    responses[status] = { description, content: { "application/problem+json": { schema: ProblemBody } } };
  }
  const takesInput = [route.params, route.query, route.headers, route.body].some(
    (part) => part !== undefined,
  );
  if (takesInput || refusesUnknownParameters(route)) {
    responses[422] = {
      description: "Invalid input; every problem found is listed",
      content: { "application/json": { schema: ValidationErrorBody } },
    };
  }
  return responses;
}

/**
 * Returns the OpenAPI 3.1 document of the routes, in their order, with the public URL of a deployment as its server.
 * Source: OpenAPI Specification 3.1.
 */
export function openApiDocument(routes: readonly AnyRoute[], publicUrl: string): DescribedDocument {
  const document = new OpenAPIHono();
  addSecuritySchemes(document);
  for (const route of routes) addOperation(document, route);
  const made = document.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Causeway",
      version: "1.0.0",
      description:
        "Cross-chain deposits into yield vaults: builds, simulates and tracks the transactions. " +
        "Start with the [guide](/docs/guide); [every error](/docs/errors) has a cause and a remedy.",
      license: { name: "MIT", url: "https://spdx.org/licenses/MIT" },
    },
    servers: [{ url: publicUrl }],
    tags: [
      { name: "Vaults", description: "Vaults that deposits can go to, with their state, yields and history" },
      { name: "Deposits", description: "Quoting, building and tracking deposits" },
      { name: "Withdrawals", description: "Quoting, building and tracking withdrawals" },
      { name: "Positions", description: "Vault shares that a user holds" },
      { name: "Signals", description: "Incidents at vaults: capital, performance, risk and trust" },
      {
        name: "Partners",
        description: "Partner applications, wallet sign-in, API keys, settings and figures of partners",
      },
      {
        name: "Administration",
        description: "Decisions on partner applications, the vault registry and the audit log",
      },
      { name: "Service", description: "Chains, bridges, tokens and health" },
    ],
  });
  // A deep copy, so that shared objects become separate and undefined values disappear.
  const described: DescribedDocument = JSON.parse(JSON.stringify(made));
  describeReferences(described, routes);
  nameSharedEnums(described);
  describeDefaults(described);
  requireDefaultedFields(described);
  addResponseHeaders(described);
  addResponseExamples(described, ({ path, method }) => {
    const route = routes.find((one) => one.path === path && one.method === method);
    return route === undefined ? [] : [...errorCodesOf(route)];
  });
  return described;
}

/** Descriptions of the response headers in the OpenAPI document, by header name. */
const RESPONSE_HEADERS = {
  "X-Request-Id": "Id of the request: the caller's own when it sent a well-formed one, otherwise a new one.",
  "Cache-Control":
    "How long shared caches may serve the response; `private, no-store` if the request had credentials or another spelling of the URL.",
  "Cache-Tag": "Tags by which the deployment purges the response from its own cache.",
  ETag: "Entity tag of the response, for `If-None-Match`.",
  "Idempotent-Replayed": "`true` if the response repeats an earlier one with the same `Idempotency-Key`.",
  Link: 'URL of the next page, relative to the API, as `<…>; rel="next"`; absent on the last page.',
  RateLimit:
    "Requests left in the current window (`r`), and seconds until it ends (`t`). Successful responses have it only if every request is counted exactly, as for quotes and builds.",
  "RateLimit-Policy": "Requests admitted per window (`q`), and the window's length in seconds (`w`).",
  "Retry-After": "Seconds to wait before the next request.",
  "WWW-Authenticate": "HTTP scheme of the credentials that the API takes: `Bearer`, for sessions.",
} as const;
/** Name of a documented response header. */
type HeaderName = keyof typeof RESPONSE_HEADERS;
/** Response headers that every response which lists them has. The other documented headers are optional. */
const ALWAYS_PRESENT: ReadonlySet<string> = new Set<HeaderName>([
  "X-Request-Id",
  "ETag",
  "Retry-After",
  "WWW-Authenticate",
]);

/**
 * Documents the response headers in an OpenAPI document: defines them in its components, and references some of them
 * from each response, by its status. Modifies the document in place.
 */
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
    const repeatable = parameters.some(({ name }) => name === "idempotency-key");
    for (const [status, response] of Object.entries(responses)) {
      // A response that caches may store has no request id, because it belongs to no single request.
      const kept = (status === "200" || status === "304") && "304" in responses;
      const names: HeaderName[] = kept ? ["ETag", "Cache-Control", "Cache-Tag"] : ["X-Request-Id"];
      if (status === "200" && paged) names.push("Link");
      if ("429" in responses && (status.startsWith("2") || status === "429"))
        names.push("RateLimit", "RateLimit-Policy");
      if (repeatable && status.startsWith("2")) names.push("Idempotent-Replayed");
      if (status === "401") names.push("WWW-Authenticate");
      if (status === "429" || status === "503" || status === "504") names.push("Retry-After");
      response.headers = Object.fromEntries(
        names.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
      );
    }
  }
}
