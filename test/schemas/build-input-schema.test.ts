import { expect, test } from "vitest";
import { BuildInput } from "../../src/schemas/build-input-schema.ts";

const VAULT = `0x${"ab".repeat(20)}`;
const TOKEN = `0x${"cd".repeat(20)}`;
const order = {
  ...{ from_chain_id: 1, from_token: TOKEN, from_amount: "1", vault_id: `1:${VAULT}` },
  user_address: `0x${"12".repeat(20)}`,
};

test("BuildInput accepts any wallet as user", () => {
  expect(BuildInput.safeParse(order).success).toBe(true);
});

test.each([
  ["vault", VAULT],
  ["vault", `0x${VAULT.slice(2).toUpperCase()}`],
  ["token", TOKEN],
])("BuildInput refuses the %s %s as user, because the shares would be lost in it", (what, address) => {
  const { error } = BuildInput.safeParse({ ...order, user_address: address });
  expect(error?.issues).toMatchObject([
    {
      path: ["user_address"],
      message: expect.stringMatching(`^is the ${what}: send the address of the wallet`),
    },
  ]);
});
