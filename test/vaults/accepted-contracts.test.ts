import { expect, test } from "vitest";
import { keepAccepted } from "../../src/vaults/accepted-contracts.ts";

const [FIRST, SECOND] = [`0x${"a".repeat(40)}`, `0x${"b".repeat(40)}`];

test.each([
  ["withdraw_queue", "queue_requests"],
  ["delayed_withdraw", "delayed_requests"],
  ["redemption_vault", "redemption_requests"],
])("a changed %s starts the list that its entry lacks with the replaced contract", (present, accepted) => {
  const before = { [present]: FIRST.toUpperCase().replace("0X", "0x") };
  const changed = (params: Record<string, string>, at: Record<string, string> = before) =>
    keepAccepted(params, { before: at });
  expect(changed({ [present]: SECOND })).toEqual({ [present]: SECOND, [accepted]: FIRST });
  expect(changed({})).toEqual({ [accepted]: FIRST });
  // A proof that accepts the present contract lists it.
  expect(changed({ [present]: FIRST })).toEqual({ [present]: FIRST });
  expect(changed({ [present]: SECOND, [accepted]: "" })).toEqual({ [present]: SECOND, [accepted]: "" });
  const listed = { ...before, [accepted]: SECOND };
  expect(changed({ [present]: SECOND }, listed)).toEqual({ [present]: SECOND, [accepted]: SECOND });
  // An operator may have emptied the list, and a proof the contract that is not the vault's.
  expect(changed({ [present]: SECOND }, { ...before, [accepted]: "" })).toMatchObject({ [accepted]: "" });
  expect(changed({ [present]: SECOND }, { [present]: "" })).toEqual({ [present]: SECOND });
});
