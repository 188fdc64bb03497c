/** Fills `public` with the API reference viewer's script, the rendered guide and the OpenAPI document. */
import { readArguments } from "./command.ts";
import { writeStaticAssets } from "./static-assets.ts";

readArguments({
  help: `Writes the API reference viewer's script, the rendered guide and openapi.json into public.
wrangler runs it before bundling.

  node scripts/assets.ts

  --help  show this text`,
});
writeStaticAssets();
