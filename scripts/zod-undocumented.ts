/**
 * Takes the place of the OpenAPI package in the bundle (see `[alias]` in wrangler.toml). The document is made before,
 * by `npm run openapi:build`: an isolate neither carries its generator nor builds each schema twice for it.
 */
import { z } from "zod";

/** Says nothing of the schema. */
function openapi<T>(this: T): T {
  return this;
}

Object.assign(z.ZodType.prototype, { openapi });

export { z };
