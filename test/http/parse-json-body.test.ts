import fc from "fast-check";
import { expect, test } from "vitest";
import { duplicateMembers } from "../../src/http/parse-json-body.ts";

test.each([
  ["{}", []],
  ['{"a":1,"b":2}', []],
  ['{"a":1,"b":{"a":2,"a":3},"c":["a",{"a":1}]}', []],
  ['{"a":1,"b":"\\"a\\":1","a" :2,"a":3}', ["a"]],
  ['{"":1,"":2,"\\u0061":1,"a":2}', ["", "a"]],
  ['[{"a":1,"a":2}]', []],
  ['"a"', []],
])("duplicateMembers(%j) are %j", (text, names) => {
  expect(duplicateMembers(text)).toEqual(names);
});

test("duplicateMembers() finds nothing in what JSON.stringify writes, and every member that is added again", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (value) => {
      const text = JSON.stringify(value);
      const names = Object.keys(value);
      const again = names.map((name) => `${JSON.stringify(name)}:1`).join();
      expect(duplicateMembers(text)).toEqual([]);
      expect(duplicateMembers(`${text.slice(0, -1)},${again}}`).sort()).toEqual(names.sort());
    }),
  );
});
