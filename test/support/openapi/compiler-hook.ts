/**
 * Preloaded into generators of clients that need the TypeScript compiler's API, which TypeScript 7 does not have: they
 * get the compiler that attw brings.
 */
import { createRequire, registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

const attw = createRequire(import.meta.resolve("@arethetypeswrong/cli/package.json"));
const compiler = createRequire(attw.resolve("@arethetypeswrong/core")).resolve("typescript");
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === "typescript" ? pathToFileURL(compiler).href : specifier, context),
});
