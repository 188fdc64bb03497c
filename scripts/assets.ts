/** Fills `public` with the API reference viewer's script, copied from its npm package, and the OpenAPI document. */
import { readArguments } from "./command.ts";
import { writeStaticAssets } from "./static-assets.ts";

readArguments({
  help: `Copies the API reference viewer's script, from its npm package, and openapi.json into public.
wrangler runs it before bundling.

  node scripts/assets.ts

  --help  show this text`,
});
writeStaticAssets();
