import { z } from "@hono/zod-openapi";
import { defineRoute } from "../http/define-route.ts";
import { getApplication } from "../partners/get-application.ts";
import { Application } from "../schemas/application.ts";
import { AddressInput } from "../schemas/primitives.ts";

export const applicationsGet = defineRoute({
  operationId: "applications.get",
  method: "get",
  path: "/v1/applications/{address}",
  summary: "See how an application stands",
  tag: "Partners",
  access: "sign_in",
  cache: "no-store",
  params: z.object({ address: AddressInput }),
  response: { schema: Application, description: "The application's state" },
  errors: ["application_not_found", "store_unavailable"],
  handler: (ctx, { params }) => getApplication(ctx, params.address),
});
