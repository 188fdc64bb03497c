import { z } from "@hono/zod-openapi";
import { defineRoute } from "../http/define-route.ts";
import { Rule } from "../schemas/signal.ts";
import { listRules } from "../signals/list-rules.ts";

export const intelRules = defineRoute({
  operationId: "intel.rules",
  method: "get",
  path: "/v1/intel/rules",
  summary: "List the rules behind signals",
  description: "With their thresholds, why those, and the history without which a rule says nothing.",
  tag: "Signals",
  access: "public",
  cache: { sMaxAge: 300, staleWhileRevalidate: 3600 },
  response: { schema: z.array(Rule), description: "The rules" },
  errors: [],
  handler: () => listRules(),
});
