/**
 * Takes the place of zod's writing of JSON Schema in the bundle (see `[alias]` in wrangler.toml): the OpenAPI document is
 * made before. A CommonJS module, for one that lacks a name that is asked for is no fault to the bundler.
 */
function leftOut() {
  throw new Error("this part of zod is left out of the bundle");
}

module.exports = {
  createStandardJSONSchemaMethod: leftOut,
  createToJSONSchemaMethod: leftOut,
  toJSONSchema: leftOut,
};
