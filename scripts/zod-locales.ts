/**
 * Takes the place of zod's list of 64 languages in the bundle (see `[alias]` in wrangler.toml): the whole of
 * zod is reachable through the OpenAPI package's `z`, so nothing of that list would be left out by itself.
 */
import en from "zod/v4/locales/en.js";

export { en };
