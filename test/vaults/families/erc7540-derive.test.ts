import { expect, test } from "vitest";
import { centrifugeFamily } from "../../../src/vaults/families/centrifuge/centrifuge-family.ts";
import { deriverOf } from "../../../src/vaults/families/vault-families.ts";
import { unreviewedSubject } from "../../../src/vaults/vault-deriver.ts";
import { OTHER, USDC, USER, vault } from "../../support/deposits/fixtures.ts";
import { answer } from "../../support/vaults/answer.ts";

/** Answers of any ERC-7540 vault, without previews. */
const views = {
  ...{ "answers/asset": USDC, "answers/name": "A vault", "answers/total": 5n, "answers/price": 1n },
  ...{ "asset/symbol": "USDC", "asset/decimals": 6, "share/decimals": 18, "share/supply": 5n },
  ...{ "share/balance": 0n, "share/allowance": 0n },
};

function derived(adapter: string, own: Record<string, unknown>) {
  const deriver = deriverOf(adapter);
  if (deriver === null) throw new Error(`no family is called ${adapter}`);
  return answer(deriver.derive(unreviewedSubject({ chainId: 1, address: OTHER })), { ...views, ...own });
}

test.each<[string, Record<string, unknown>, boolean]>([
  ["v0.5 and newer by the validity of its valuation", { "identified/valid": false }, true],
  ["v0.4 by its silo and whitelist", { "identified/silo": OTHER, "identified/whitelist": true }, true],
  ["not a vault with a silo and no whitelist", { "identified/silo": OTHER }, false],
  ["not a vault without either", {}, false],
])("the Lagoon deriver identifies %s", (_, own, ok) => {
  expect(derived("lagoon", own).ok).toBe(ok);
});

test.each([
  [0, { ok: true, deposit: "async" }],
  [1, { ok: false, deposit: undefined }],
  [2, { ok: true, deposit: "sync" }],
  [undefined, { ok: false, deposit: undefined }],
])("the Centrifuge deriver reads the deposit mode of vaultKind() %s", (kind, expected) => {
  const own = { "identified/operator": false, "identified/permitted": false, "identified/kind": kind };
  const derivation = derived("centrifuge", own);
  const deposit = derivation.ok ? derivation.vault.params?.["deposit"] : undefined;
  expect({ ok: derivation.ok, deposit }).toEqual(expected);
});

test("a vault without a name has that of its share token", () => {
  const centrifuge = { "identified/operator": false, "identified/permitted": false, "identified/kind": 0 };
  const nameOf = (own: Record<string, unknown>) => {
    const derivation = derived("centrifuge", {
      ...centrifuge,
      "answers/share": USER,
      "share/name": "Fund",
      ...own,
    });
    return derivation.ok ? derivation.vault.name : derivation.reason;
  };
  expect(nameOf({ "answers/name": undefined })).toBe("Fund");
  expect(nameOf({})).toBe("A vault");
  expect(nameOf({ "answers/name": undefined, "share/name": undefined })).toBe("");
});

test.each([
  ["since version 3.1", { registry: USER, spoke: OTHER }, USER],
  ["before", { spoke: OTHER }, OTHER],
  ["of an unknown version", {}, undefined],
])("the Centrifuge deriver finds the register of linked vaults %s", (_, named, register) => {
  const own = { "identified/operator": false, "identified/permitted": false, "identified/kind": 2 };
  const derivation = derived("centrifuge", { ...own, "identified/manager": USDC, ...named });
  const params = derivation.ok ? derivation.vault.params : {};
  expect(params?.["vault_register"]).toBe(register);
});

test.each([
  [false, true],
  [true, false],
  [undefined, false],
])("a Centrifuge vault whose register answers %s to isLinked() is paused: %s", (linked, paused) => {
  const of = { ...vault, adapter: "centrifuge", params: { deposit: "async", vault_register: OTHER } };
  const { adapter } = centrifugeFamily;
  const views = { linked, asset: USDC, price: 5n };
  const asked = { token: vault.asset, amount: 1n, caller: USER, receiver: USER, now: 0 };
  expect(answer(adapter.state(of, 0), views).paused).toBe(paused);
  expect(answer(adapter.flags(of), views).paused).toBe(paused);
  expect(answer(adapter.terms(of, asked), views).paused).toBe(paused);
});
