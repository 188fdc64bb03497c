import { defineRoute } from "../http/define-route.ts";
import { updateSettings } from "../partners/update-settings.ts";
import { Partner, SettingsInput } from "../schemas/partner.ts";

export const partnersSettings = defineRoute({
  operationId: "partners.settings",
  method: "put",
  path: "/v1/partners/settings",
  summary: "Change settings",
  description: "What the body leaves out stays as it is.",
  tag: "Partners",
  access: "session",
  cache: "no-store",
  body: SettingsInput,
  response: { schema: Partner, description: "The partner" },
  errors: ["partner_not_found"],
  handler: (ctx, { body }) => updateSettings(ctx, body),
});
