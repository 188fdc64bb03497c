/**
 * Module hook for client generators that need the TypeScript compiler's API, which TypeScript 7 lacks. They get the
 * compiler that attw installs.
 */
import { createRequire, registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

const attw = createRequire(import.meta.resolve("@arethetypeswrong/cli/package.json"));
const compiler = createRequire(attw.resolve("@arethetypeswrong/core")).resolve("typescript");
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === "typescript" ? pathToFileURL(compiler).href : specifier, context),
});
