import type { DescribedDocument } from "./describe-fields.ts";

/** Headers of answers. */
const HEADERS = {
  "X-Request-Id": "Names the request: the caller's own id where it sent a well-formed one",
  ETag: "Names this very answer, for If-None-Match",
  Link: 'The next page, as `<…>; rel="next"`; not there on the last one',
  RateLimit: "How many requests are left (`r`), and for how many seconds (`t`)",
  "RateLimit-Policy": "How many requests are admitted (`q`) in how many seconds (`w`)",
  "Retry-After": "Seconds to wait before the next try",
} as const;
type HeaderName = keyof typeof HEADERS;
/** Those that are there wherever they are named; the others only where there is something to say. */
const ALWAYS: ReadonlySet<string> = new Set<HeaderName>(["X-Request-Id", "ETag", "Retry-After"]);

/** Says of every answer of a document which headers it has. Changes the document. */
export function describeHeaders(document: DescribedDocument): void {
  const schema = { type: "string" };
  const described = Object.entries(HEADERS).map(([name, description]) => [
    name,
    { description, required: ALWAYS.has(name), schema },
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
