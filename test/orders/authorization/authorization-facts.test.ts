import { encodeAbiParameters, type Hex } from "viem";
import { expect, test } from "vitest";
import type { ReadResult } from "../../../src/chains/chain-reads.ts";
import { accountKindOf, authorizationQuery } from "../../../src/orders/authorization/authorization-facts.ts";
import { signingTokensOf } from "../../../src/orders/authorization/signing-tokens.ts";
import { hashPermit2Domain } from "../../../src/router/router-signature-messages.ts";
import { testContext } from "../../support/context.ts";
import { USDC, USER } from "../../support/deposits/fixtures.ts";

const BASE = 8453;
const separator = signingTokensOf(BASE)?.get(USDC.toLowerCase())?.separator ?? "0x";
const seen = (value: unknown): ReadResult<unknown> => ({ ok: true, value });
const failed: ReadResult<unknown> = { ok: false, revert: null };
const plain = { size: 0n, head: `0x${"0".repeat(64)}` as Hex };
const honest = {
  separator: seen(separator),
  nonce: seen(3n),
  state: seen(false),
  permit2: seen(hashPermit2Domain(BASE)),
  allowance: seen(5n),
  code: seen(plain),
};

function factsOf(change: Partial<Record<keyof typeof honest, ReadResult<unknown>>> = {}) {
  const ctx = testContext();
  const query = authorizationQuery(ctx, { chainId: BASE, token: USDC, owner: USER });
  return { facts: query.interpret({ ...honest, ...change }), logged: ctx.logged };
}

test("takes from one batch what the chain shows", () => {
  const { facts, logged } = factsOf();
  expect(facts).toEqual({
    token: signingTokensOf(BASE)?.get(USDC.toLowerCase()),
    hasAuthorizations: true,
    permitNonce: 3n,
    permit2Allowance: 5n,
    account: "plain",
  });
  expect(logged).toEqual([]);
});

test.each([
  ["another separator", seen(`0x${"1".repeat(64)}`)],
  ["no separator", failed],
])("a token that shows %s is not signed for, and reported", (_what, shown) => {
  const { facts, logged } = factsOf({ separator: shown });
  expect(facts.token).toBeNull();
  expect(logged).toMatchObject([{ event: "token_separator_unexpected", chain_id: BASE }]);
});

test("what cannot be read is no way to pay", () => {
  expect(factsOf({ state: failed }).facts.hasAuthorizations).toBe(false);
  expect(factsOf({ nonce: failed }).facts.permitNonce).toBeNull();
  expect(factsOf({ code: failed }).facts.account).toBeNull();
  expect(factsOf({ permit2: failed }).facts.permit2Allowance).toBeNull();
  expect(factsOf({ permit2: seen(hashPermit2Domain(1)) }).facts.permit2Allowance).toBeNull();
  expect(factsOf({ allowance: failed }).facts.permit2Allowance).toBeNull();
});

test("a token without a row takes no signature of its own", () => {
  const ctx = testContext();
  const facts = authorizationQuery(ctx, { chainId: BASE, token: USER, owner: USER }).interpret(honest);
  expect(facts).toMatchObject({ token: null, permit2Allowance: 5n });
  expect(ctx.logged).toEqual([]);
});

test("an account is what its code says", () => {
  const word = (start: string): Hex => `0x${start.padEnd(64, "0")}`;
  expect(accountKindOf(plain)).toBe("plain");
  expect(accountKindOf({ size: 23n, head: word(`ef0100${"ab".repeat(20)}`) })).toBe("delegated");
  expect(accountKindOf({ size: 24n, head: word(`ef0100${"ab".repeat(20)}`) })).toBe("contract");
  expect(accountKindOf({ size: 23n, head: word("6080") })).toBe("contract");
});

test("the code of an account is read with the batch's own program", () => {
  const { reads } = authorizationQuery(testContext(), { chainId: BASE, token: USDC, owner: USER });
  const answer = encodeAbiParameters([{ type: "uint256" }, { type: "bytes32" }], [23n, plain.head]);
  expect(reads["code"]?.decode(answer)).toEqual({ size: 23n, head: plain.head });
  expect(reads["code"]?.data.toLowerCase()).toContain(USER.slice(2).toLowerCase());
});
