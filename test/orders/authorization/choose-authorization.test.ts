import { describe, expect, test } from "vitest";
import type { AuthorizationFacts } from "../../../src/orders/authorization/authorization-facts.ts";
import { chooseAuthorization } from "../../../src/orders/authorization/choose-authorization.ts";
import type { AuthorizeWay } from "../../../src/schemas/signing-schema.ts";
import { OTHER, USDC, USER } from "../../support/deposits/fixtures.ts";

const AMOUNT = 100n;

const facts: AuthorizationFacts = {
  token: {
    domain: { name: "USD Coin", version: "2", chainId: 1, verifyingContract: USDC },
    separator: "0x",
    permit: true,
    erc3009: true,
    checks: "code",
  },
  hasAuthorizations: true,
  permitNonce: 0n,
  permit2Allowance: AMOUNT,
  account: "plain",
};
type Token = NonNullable<AuthorizationFacts["token"]>;
const tokenWith = (change: Partial<Token>): AuthorizationFacts => ({
  ...facts,
  token: { ...(facts.token as Token), ...change },
});

interface Case {
  way: AuthorizeWay;
  of?: AuthorizationFacts | null;
  allowance?: bigint | null;
  relayed?: boolean;
}

/** What is chosen, or the code of the refusal. */
function chosen({ way, of = facts, allowance = 0n, relayed = false }: Case): string | null {
  const wish = { way, submitter: relayed ? OTHER : USER };
  try {
    return chooseAuthorization({ wish, owner: USER, amount: AMOUNT, allowance, facts: of });
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const NO = "authorization_unsupported";
const noErc3009 = tokenWith({ erc3009: false });
const onlyPermit2 = { ...facts, token: null };
const nothing = { ...onlyPermit2, permit2Allowance: AMOUNT - 1n };

describe("chooseAuthorization()", () => {
  const cases: readonly [string, Case, string | null][] = [
    ["approve is always possible", { way: "approve", of: null }, null],
    ["auto: a standing allowance first", { way: "auto", allowance: AMOUNT }, null],
    ["auto: an allowance one unit short is none", { way: "auto", allowance: AMOUNT - 1n }, "erc3009"],
    ["auto: then a permit", { way: "auto", of: noErc3009 }, "permit"],
    ["auto: then Permit2", { way: "auto", of: onlyPermit2 }, "permit2"],
    ["auto: else an approval", { way: "auto", of: nothing }, null],
    ["auto: without the Router an approval", { way: "auto", of: null }, null],
    [
      "auto, relayed: no allowance of the user helps",
      { way: "auto", allowance: AMOUNT, relayed: true },
      "erc3009",
    ],
    ["auto, relayed: no permit", { way: "auto", of: noErc3009, relayed: true }, "permit2"],
    ["auto, relayed: nothing", { way: "auto", of: nothing, relayed: true }, NO],
    ["auto, relayed: without the Router", { way: "auto", of: null, relayed: true }, NO],
    ["erc3009 named", { way: "erc3009", relayed: true }, "erc3009"],
    [
      "erc3009 that the token does not answer",
      { way: "erc3009", of: { ...facts, hasAuthorizations: false } },
      NO,
    ],
    ["erc3009 of a token that is not confirmed", { way: "erc3009", of: onlyPermit2 }, NO],
    ["permit named", { way: "permit", allowance: AMOUNT }, "permit"],
    ["permit without a nonce", { way: "permit", of: { ...facts, permitNonce: null } }, NO],
    ["permit, relayed", { way: "permit", relayed: true }, NO],
    ["permit2 named", { way: "permit2", of: onlyPermit2 }, "permit2"],
    ["permit2 one unit short", { way: "permit2", of: nothing }, NO],
    ["permit2 where it is not deployed", { way: "permit2", of: { ...facts, permit2Allowance: null } }, NO],
    ["any signature without the Router", { way: "permit2", of: null }, NO],
  ];
  test.each(cases)("%s", (_what, of, expected) => {
    expect(chosen(of)).toBe(expected);
  });

  const accounts: readonly [string, Case, string | null][] = [
    [
      "delegated, named: the delegate is asked",
      { way: "erc3009", of: { ...facts, account: "delegated" } },
      "erc3009",
    ],
    [
      "delegated, auto: the delegate may refuse",
      { way: "auto", of: { ...facts, account: "delegated" } },
      null,
    ],
    [
      "delegated, auto, ecrecover: the key signs",
      { way: "auto", of: { ...tokenWith({ checks: "ecrecover" }), account: "delegated" } },
      "erc3009",
    ],
    [
      "contract, named: the contract is asked",
      { way: "permit2", of: { ...facts, account: "contract" } },
      "permit2",
    ],
    ["contract, auto", { way: "auto", of: { ...facts, account: "contract" }, relayed: true }, NO],
    [
      "contract, ecrecover: never",
      { way: "permit", of: { ...tokenWith({ checks: "ecrecover" }), account: "contract" } },
      NO,
    ],
    ["unknown code", { way: "erc3009", of: { ...facts, account: null } }, NO],
  ];
  test.each(accounts)("an account with code: %s", (_what, of, expected) => {
    expect(chosen(of)).toBe(expected);
  });
});
