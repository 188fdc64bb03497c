/** Headers of the responses of every path. */
export const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "strict-transport-security": "max-age=31536000; includeSubDomains",
} as const;

/** Headers that let web pages of any origin read a response. */
export const CORS_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "ETag,Idempotent-Replayed,Link,RateLimit,RateLimit-Policy,Retry-After,X-Request-Id",
} as const;

/** Security and CORS headers, which every response has that web pages of any origin may read, errors included. */
export const PUBLIC_HEADERS = { ...SECURITY_HEADERS, ...CORS_HEADERS } as const;

/** Sets headers on an existing response; hono's `c.header` would copy the response for each header. */
export function setHeaders({ headers }: Response, fields: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(fields)) headers.set(name, value);
}
