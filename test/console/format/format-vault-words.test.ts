import { expect, test } from "vitest";
import { describeSettlement, familyName } from "../../../src/console/format/format-vault-words.ts";

test("settlements and families are in plain words", () => {
  expect(describeSettlement("instant", 5)).toBe("Instant");
  expect(describeSettlement("request", 259_200)).toBe("On request, 3 days");
  expect(describeSettlement("cooldown")).toBe("Cooldown");
  expect(["metamorpho", "mellow_lrt", "some-new_family"].map(familyName)).toEqual([
    "Morpho",
    "Mellow",
    "Some new family",
  ]);
});
