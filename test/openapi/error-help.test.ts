import { expect, test } from "vitest";
import { errorCodes } from "../../src/errors.ts";
import { errorHelp } from "../../src/openapi/error-help.ts";

test.each(errorCodes)("errorHelp states cause and remedy of %s as sentences", (code) => {
  const { cause, remedy } = errorHelp[code];
  for (const text of [cause, remedy]) expect(text).toMatch(/^[A-Z`].{10,160}\.$/);
});
