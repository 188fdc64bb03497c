import { expect, test } from "vitest";
import { editDistance, nearestName } from "../../src/lib/nearest-name.ts";

const list = ["chain_id", "asset", "q", "sort", "cursor", "limit"];
const withdrawal = ["vault_id", "user_address", "shares", "to_token", "slippage"];
const deposit = ["from_chain_id", "from_token", "from_amount", "vault_id", "user_address"];

test.each([
  ["page", list, "cursor"],
  ["offset", list, "cursor"],
  ["pageSize", list, "limit"],
  ["per_page", list, "limit"],
  ["amount", withdrawal, "shares"],
  ["fromAmount", withdrawal, "shares"],
  ["assets", withdrawal, "shares"],
  ["from_token", withdrawal, null],
  ["fromToken", withdrawal, null],
  ["token", withdrawal, "to_token"],
  ["wallet", withdrawal, "user_address"],
  ["amount", deposit, "from_amount"],
  ["fromAmount", deposit, "from_amount"],
  ["offset", ["limit", "offset"], "offset"],
  ["page", ["limit", "offset"], null],
  ["constructor", list, null],
  ["chain", list, "chain_id"],
  ["chain_id", ["tx_hash", "from_chain_id", "to_chain_id"], "from_chain_id"],
  ["wallet", ["address", "signature"], "address"],
  ["tokens", ["ids"], "ids"],
])("nearestName() takes %s of %j for %s", (text, names, meant) => {
  expect(nearestName(text, names)).toBe(meant);
});

test.each([
  ["😀a", "a😀", 2],
  ["😀", "😁", 1],
  ["", "😀😀", 2],
  ["kitten", "sitting", 3],
])("editDistance() counts characters between %j and %j", (a, b, distance) => {
  expect([editDistance(a, b), editDistance(b, a)]).toEqual([distance, distance]);
});
