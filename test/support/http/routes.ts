import * as z from "zod";
import { defineRoute, Reply } from "../../../src/http/define-route.ts";
import { AddressInput, AmountInput, integerParam } from "../../../src/schemas/primitive-schemas.ts";

const common = {
  tag: "Things",
  access: "public",
  cache: "no-store",
  errors: [],
  summary: "A thing",
} as const;
const Thing = z.object({ thing_id: z.int(), name: z.string() });
export const thingId = integerParam({ minimum: 1, maximum: 1_000 });

/** A cacheable GET route with a path parameter. */
export const thingsGet = defineRoute({
  ...common,
  operationId: "things.get",
  method: "get",
  path: "/things/{thing_id}",
  cache: { sMaxAge: 5, staleWhileRevalidate: 30 },
  params: z.object({ thing_id: thingId }),
  response: { schema: Thing, description: "The thing" },
  handler: (_ctx, { params }) => ({ thing_id: params.thing_id, name: "a thing", secret: "s3cret" }),
});

/** A POST route with parameters in path, query, headers and body. */
export const thingsMake = defineRoute({
  ...common,
  operationId: "things.make",
  method: "post",
  path: "/things/{thing_id}",
  params: z.object({ thing_id: thingId }),
  query: z.object({ limit: integerParam({ minimum: 1, maximum: 100 }).optional(), kind: z.enum(["a", "b"]) }),
  headers: z.object({
    "x-count": z
      .string()
      .regex(/^[0-9]+$/, "must be digits")
      .optional(),
  }),
  body: z.object({
    owner: AddressInput,
    amount: AmountInput,
    slippage: z.number().gt(0).max(0.5).default(0.03),
    tags: z.array(z.string()).optional(),
  }),
  response: { schema: z.unknown(), description: "What was read", status: 201 },
  handler: (_ctx, { params, query, headers, body }) => ({
    params,
    query,
    header: headers["x-count"] ?? null,
    body: { ...body, amount: body.amount.toString() },
  }),
});

/** Defines a GET route whose handler runs `work`. */
export function routeDoing(
  work: () => unknown,
  cache: "no-store" | { sMaxAge: number; staleWhileRevalidate: number } = "no-store",
) {
  return defineRoute({
    ...common,
    cache,
    operationId: "work.do",
    method: "get",
    path: "/work",
    response: { schema: z.object({ done: z.boolean() }), description: "Done" },
    handler: async () => (await work()) as { done: boolean },
  });
}

/** A GET route whose response has an additional header. */
export const thingsList = defineRoute({
  ...common,
  operationId: "things.list",
  method: "get",
  path: "/things",
  response: { schema: z.array(Thing), description: "Things" },
  handler: () =>
    new Reply([{ thing_id: 1, name: "one" }], { headers: { link: '</things?cursor=x>; rel="next"' } }),
});
