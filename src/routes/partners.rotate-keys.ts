import { defineRoute } from "../http/define-route.ts";
import { rotateKeys } from "../partners/rotate-keys.ts";
import { RotatedKeys } from "../schemas/partner.ts";

export const partnersRotateKeys = defineRoute({
  operationId: "partners.rotate-keys",
  method: "post",
  path: "/v1/partners/api-keys/rotate",
  summary: "Rotate the API key",
  description: "The old pair and all other sessions stop working at once. The new pair is shown this once.",
  tag: "Partners",
  access: "session_or_pair",
  cache: "no-store",
  response: { schema: RotatedKeys, description: "The new pair" },
  errors: ["credentials_invalid", "session_expired", "store_unavailable"],
  handler: (ctx) => rotateKeys(ctx),
});
