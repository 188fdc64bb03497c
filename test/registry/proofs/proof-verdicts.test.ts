import { encodeErrorResult, type Hex, parseAbi } from "viem";
import { expect, test } from "vitest";
import { revertVerdict, type Verdict } from "../../../src/registry/proofs/proof-verdicts.ts";
import { vault } from "../../support/deposits/fixtures.ts";

const full: Verdict = { kind: "closed", reason: "the vault takes no deposits from new accounts now" };
const abi = parseAbi([
  "error NotWhitelisted()",
  "error Mine()",
  "error DepositCapExceeded()",
  "error Paused()",
]);
const errorOf = (errorName: "NotWhitelisted" | "Mine" | "DepositCapExceeded" | "Paused"): Hex =>
  encodeErrorResult({ abi, errorName });
const reasonOf = (text: string): Hex =>
  encodeErrorResult({ abi: parseAbi(["error Error(string)"]), errorName: "Error", args: [text] });

test.each<[string, Hex]>([
  ["without a reason", "0x"],
  ["with an unknown error", errorOf("Mine")],
  ["with that of its cap", errorOf("DepositCapExceeded")],
  ["because nothing is minted within the limit", reasonOf("ZERO_SHARES")],
])("a vault that shows a limit is full when a deposit reverts %s", (_what, revert) => {
  expect(revertVerdict(vault, { revert, full })).toEqual(full);
});

test("a closed gate that shows itself as a limit is refused", () => {
  const refused = { kind: "refused", reason: "a deposit reverts: NotWhitelisted" };
  for (const limit of [full, null])
    expect(revertVerdict(vault, { revert: errorOf("NotWhitelisted"), full: limit })).toMatchObject(refused);
  expect(revertVerdict(vault, { revert: reasonOf("caller is not whitelisted"), full })).toMatchObject({
    kind: "refused",
  });
});

test("a pause counts before a limit", () => {
  expect(revertVerdict(vault, { revert: errorOf("Paused"), full })).toMatchObject({
    ...{ kind: "closed", closure: "stopped" },
  });
});
