import { expect, test } from "vitest";
import * as z from "zod";
import { defineRoute } from "../../src/http/define-route.ts";
import { appOf } from "../support/http/app.ts";

/** Creates an app with one route, and lists the inputs that its handler got and how often its path was parsed. */
function listening() {
  const inputs: unknown[] = [];
  let parsed = 0;
  const count = (text: string): string => {
    parsed += 1;
    return text;
  };
  const route = defineRoute({
    ...{ operationId: "things.get", summary: "Read a thing", tag: "Things", errors: [] },
    ...{ method: "get", path: "/things/{id}", access: "public", cache: "no-store" },
    params: z.object({
      id: z
        .string()
        .max(3)
        .transform((text) => ({ text: count(text) })),
    }),
    query: z.object({ limit: z.coerce.number().default(10) }),
    response: { schema: z.object({}), description: "The thing" },
    handler: (_ctx, input) => {
      inputs.push(input);
      return {};
    },
  });
  return { ...appOf([route]), inputs, parsed: () => parsed };
}

test("validate() parses a path without a query string once, and its input cannot be changed", async () => {
  const { send, inputs, parsed } = listening();
  for (const path of ["/things/a", "/things/b", "/things/a"]) await send(path);
  const inputOf = (text: string) => ({ params: { id: { text } } });
  expect(inputs).toMatchObject(["a", "b", "a"].map(inputOf));
  expect(parsed()).toBe(2);
  const [first, , again] = inputs;
  expect(again).toBe(first);
  const { params } = first as { params: { id: object } };
  expect([first, params, params.id].every(Object.isFrozen)).toBe(true);
});

test("validate() parses each request with a query string, and each that it refuses", async () => {
  const { send, inputs, parsed } = listening();
  for (const path of ["/things/a?limit=1", "/things/a?limit=1", "/things/a?limit=2"]) await send(path);
  expect(inputs).toMatchObject([{ query: { limit: 1 } }, { query: { limit: 1 } }, { query: { limit: 2 } }]);
  expect(parsed()).toBe(3);
  const refused = [await send("/things/long"), await send("/things/long")];
  expect(refused.map(({ status }) => status)).toEqual([422, 422]);
});
