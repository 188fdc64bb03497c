/** Fills `public`: the viewer's script out of its npm package, so that our origin serves it, and the document. */
import { readArguments } from "./command.ts";
import { copyAssets } from "./copy-assets.ts";

readArguments({
  help: `Copies the reference viewer's script out of its npm package, and openapi.json, into public.
wrangler runs it before it bundles.

  node scripts/assets.ts

  --help  show this text`,
});
copyAssets();
