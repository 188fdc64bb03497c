import { expect, test } from "vitest";
import { addResponseHeaders } from "../../src/openapi/openapi-document.ts";
import type { DescribedDocument } from "../../src/openapi/openapi-references.ts";

/** The headers that the document names for each status of one operation. */
function headersOf(operation: { statuses: readonly number[]; parameters: readonly string[] }) {
  const document: DescribedDocument = {
    paths: {
      "/things": {
        get: {
          parameters: operation.parameters.map((name) => ({ name })),
          responses: Object.fromEntries(operation.statuses.map((status) => [status, {}])),
        },
      },
    },
  };
  addResponseHeaders(document);
  const responses = document.paths?.["/things"]?.["get"]?.responses ?? {};
  return Object.entries(responses).map(([status, { headers = {} }]) => [status, Object.keys(headers)]);
}

test("addResponseHeaders() adds X-Request-Id to every response and Retry-After to 429", () => {
  expect(headersOf({ statuses: [201, 422, 429], parameters: [] })).toEqual([
    ["201", ["X-Request-Id", "RateLimit", "RateLimit-Policy"]],
    ["422", ["X-Request-Id"]],
    ["429", ["X-Request-Id", "RateLimit", "RateLimit-Policy", "Retry-After"]],
  ]);
});

test("addResponseHeaders() adds Idempotent-Replayed to the successes of operations with an idempotency key", () => {
  expect(headersOf({ statuses: [200, 409], parameters: ["idempotency-key"] })).toEqual([
    ["200", ["X-Request-Id", "Idempotent-Replayed"]],
    ["409", ["X-Request-Id"]],
  ]);
});

test("addResponseHeaders() adds ETag to cacheable responses and Link to pages", () => {
  expect(headersOf({ statuses: [200, 304], parameters: ["q", "cursor"] })).toEqual([
    ["200", ["ETag", "Cache-Control", "Cache-Tag", "Link"]],
    ["304", ["ETag", "Cache-Control", "Cache-Tag"]],
  ]);
  expect(headersOf({ statuses: [200], parameters: ["q"] })).toEqual([["200", ["X-Request-Id"]]]);
});
