/**
 * Takes the place of parts of zod in the bundle (see `[alias]` in wrangler.toml) that nobody asks for: compiling schemas
 * to source text, which Workers may not evaluate, and reading JSON Schema.
 */
function leftOut(): never {
  throw new Error("this part of zod is left out of the bundle");
}

export const compile = leftOut;
export const withParser = leftOut;
export const fromJSONSchema = leftOut;
export const INVALID = Symbol.for("zod.compile.invalid");
export class ZodCompileAsyncError extends Error {}
export class ZodCompileUnsupportedError extends Error {}
