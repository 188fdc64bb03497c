/** Fills `public` with the console, the API reference viewer's script, the rendered documentation and the OpenAPI document. */
import { readArguments } from "./command.ts";
import { buildConsole } from "./console/build-console.ts";
import { writeStaticAssets } from "./static-assets.ts";

readArguments({
  help: `Builds the console into public, and writes the API reference viewer's script, the rendered
documentation and openapi.json there.
wrangler runs it before bundling.

  node scripts/assets.ts

  --help  show this text`,
});
writeStaticAssets();
await buildConsole();
