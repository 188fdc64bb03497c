import { expect, test } from "vitest";
import { WithdrawInput } from "../../src/schemas/withdraw-build-schema.ts";
import { USER, vault } from "../support/deposits/fixtures.ts";

const messagesOf = (mode: string) =>
  WithdrawInput.safeParse({
    vault_id: vault.vaultId,
    user_address: USER,
    shares: "all",
    mode,
  }).error?.issues.map(({ message }) => message);

test("a withdrawal says how a cooldown is asked for, which its answers call a mode", () => {
  expect(messagesOf("cooldown")).toEqual(["must be `request`, which also starts a cooldown"]);
  expect(messagesOf("request")).toBe(undefined);
  expect(messagesOf("later")?.join()).toContain('"auto"|"instant"|"request"');
});
