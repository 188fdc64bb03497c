import { expect, test } from "vitest";
import { readEmbedSearch } from "../../../src/console/embed/embed-search.ts";

test.each([
  ["https://shop.example", "https://shop.example"],
  ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
  ["https://shop.example/", ""],
  ["https://shop.example/path", ""],
  ["javascript:alert(1)", ""],
  ["data:text/html,x", ""],
  ["*", ""],
  ["null", ""],
  ["", ""],
])("takes %j as the origin %j", (host, origin) => {
  expect(readEmbedSearch({ vault: "1:0xaa", host })).toEqual({ vault: "1:0xaa", host: origin });
});

test("takes a deposit by its tracking id only", () => {
  expect(readEmbedSearch({ deposit: "trk_0a" })).toEqual({ vault: "", host: "", deposit: "trk_0a" });
  expect(readEmbedSearch({ deposit: "../x", vault: 5 })).toEqual({ vault: "", host: "" });
});
