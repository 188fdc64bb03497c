import { expect, test } from "vitest";
import { unreviewedSubject } from "../../../src/vaults/derivation.ts";
import { deriverOf } from "../../../src/vaults/families.ts";
import { OTHER, USDC } from "../../support/deposits/fixtures.ts";
import { answer } from "../../support/vaults/answer.ts";

/** What every vault of ERC-7540 says of itself; it previews nothing. */
const told = {
  ...{ "told/asset": USDC, "told/name": "A vault", "told/total": 5n, "told/price": 1n },
  ...{ "asset/symbol": "USDC", "asset/decimals": 6, "share/decimals": 18, "share/supply": 5n },
  ...{ "share/balance": 0n, "share/allowance": 0n },
};

function derived(adapter: string, marks: Record<string, unknown>) {
  const deriver = deriverOf(adapter);
  if (deriver === null) throw new Error(`${adapter} derives no addresses`);
  return answer(deriver.derive(unreviewedSubject({ chainId: 1, address: OTHER })), { ...told, ...marks });
}

test.each<[string, Record<string, unknown>, boolean]>([
  ["v0.5 and newer, by its valuation", { "own/valid": false }, true],
  [
    "v0.4, which takes requests alone, by its silo and its list",
    { "own/silo": OTHER, "own/listed": true },
    true,
  ],
  ["a silo without the list", { "own/silo": OTHER }, false],
  ["neither", {}, false],
])("Lagoon is recognised by its version's own views: %s", (_, marks, ok) => {
  expect(derived("lagoon", marks).ok).toBe(ok);
});

test.each([
  [0, { ok: true, deposit: "async" }],
  [1, { ok: false, deposit: undefined }],
  [2, { ok: true, deposit: "sync" }],
  [undefined, { ok: false, deposit: undefined }],
])("Centrifuge's vaults of kind %s are what that kind is, whatever their price", (kind, expected) => {
  const views = { "own/operator": false, "own/permitted": false, "own/kind": kind };
  const derivation = derived("centrifuge", views);
  const deposit = derivation.ok ? derivation.vault.params?.["deposit"] : undefined;
  expect({ ok: derivation.ok, deposit }).toEqual(expected);
});
