/** Fills `public` with the static files of a deployment, and bundles the Worker for wrangler. */
import { fileURLToPath } from "node:url";
import { readArguments } from "./command.ts";
import { buildConsole } from "./console/build-console.ts";
import { writeStaticAssets } from "./static-assets.ts";
import { bundleSources } from "./worker/bundle-sources.ts";

readArguments({
  help: `Builds the console into public, and writes the API reference viewer's script, the rendered
documentation and openapi.json there. Bundles the Worker's sources into .cache/bundled without
what only openapi.json and migrations contain.
wrangler runs it before bundling.

  node scripts/assets.ts

  --help  show this text`,
});
await bundleSources(fileURLToPath(new URL("..", import.meta.url).href));
writeStaticAssets();
await buildConsole();
