import { OpenAPIHono, type RouteConfig } from "@hono/zod-openapi";
import { type ErrorCode, errorTable } from "../errors.ts";
import { ProblemBody, ValidationErrorBody } from "../schemas/error.ts";
import type { AnyRoute } from "./define-route.ts";
import { type DescribedDocument, describeFields } from "./describe-fields.ts";
import { describeHeaders } from "./describe-headers.ts";
import { limitOf } from "./limit.ts";
import { commonErrors } from "./problem.ts";

/** Adds an operation to the document. */
function describeRoute(document: OpenAPIHono, route: AnyRoute): void {
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
    security: limitOf(route) === null ? [] : SECURITY[route.access],
    request,
    responses: {
      ...(response.standing === undefined ? {} : { 200: { description: response.standing, content } }),
      [response.status ?? 200]: { description: response.description, content },
      ...errorResponses(route),
    },
  });
}

/** The ways in which each kind of operation can be called. */
const SECURITY: Readonly<Record<AnyRoute["access"], NonNullable<RouteConfig["security"]>>> = {
  public: [{}, { api_key: [] }, { api_key: [], api_secret: [] }],
  sign_in: [],
  session: [{ session: [] }],
  session_or_pair: [{ session: [] }, { api_key: [], api_secret: [] }],
  admin: [{ admin_token: [] }],
};

/** Adds the credentials that operations name to the document. */
function describeCredentials(document: OpenAPIHono): void {
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
function entryErrors(route: AnyRoute): readonly ErrorCode[] {
  const limited: readonly ErrorCode[] = limitOf(route) === null ? [] : ["rate_limited"];
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
  const codes = [...route.errors, ...entryErrors(route), ...takesBody, ...commonErrors];
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
  describeCredentials(document);
  for (const route of routes) describeRoute(document, route);
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
  describeHeaders(described);
  return described;
}
