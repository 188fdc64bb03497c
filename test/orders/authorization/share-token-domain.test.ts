import { domainSeparator, zeroHash } from "viem";
import { expect, test } from "vitest";
import type { ReadResult } from "../../../src/chains/chain-reads.ts";
import { authorizationQuery } from "../../../src/orders/authorization/authorization-facts.ts";
import {
  digestOf,
  planAuthorization,
  typedDataOf,
} from "../../../src/orders/authorization/planned-authorization.ts";
import {
  findShareToken,
  type StatedDomain,
  sharePermitQuery,
} from "../../../src/orders/authorization/share-token-domain.ts";
import { testContext } from "../../support/context.ts";
import { OTHER, USDC, USER, VAULT } from "../../support/deposits/fixtures.ts";
import { plannedBy } from "../../support/orders/signed-chain.ts";

const of = { chainId: 8453, token: VAULT };
const here = { chainId: 8453, verifyingContract: VAULT };
const said: StatedDomain = { separator: null, own: null, name: null, apiVersion: null };
const own = { name: "Prime", version: "1", chainId: 8453n, verifyingContract: VAULT };
const separatorOf = (domain: object) => domainSeparator({ domain });

test.each<[string, object, Partial<StatedDomain>]>([
  ["EIP-5267", { name: "Prime", version: "1", ...here }, { own, name: "Renamed" }],
  [
    "EIP-5267 with another version",
    { name: "P", version: "9", ...here },
    { own: { ...own, name: "P", version: "9" } },
  ],
  ["OpenZeppelin before EIP-5267, and solmate", { name: "Solid", version: "1", ...here }, { name: "Solid" }],
  [
    "Yearn",
    { name: "Yearn Vault", version: "3.0.2", ...here },
    { name: "USDC-1 yVault", apiVersion: "3.0.2" },
  ],
  ["Morpho's Vault V2", here, { name: "Prime V2" }],
  ["an empty name", { name: "", version: "1", ...here }, { own: { ...own, name: "" }, name: "Prime" }],
])("a share token by %s takes permits in the domain that its separator shows", (_what, domain, stated) => {
  expect(findShareToken(of, { ...said, ...stated, separator: separatorOf(domain) })).toEqual({
    domain,
    separator: separatorOf(domain),
    permit: true,
    erc3009: false,
    checks: "code",
  });
});

test.each<[string, Partial<StatedDomain>]>([
  ["has no separator", { own, name: "Prime" }],
  ["has a separator of no domain known", { own, name: "Prime", separator: zeroHash }],
  [
    "has the domain of another token",
    {
      separator: separatorOf({ name: "USD Coin", version: "2", chainId: 8453, verifyingContract: USDC }),
      own: { name: "USD Coin", version: "2", chainId: 8453n, verifyingContract: USDC },
    },
  ],
  [
    "has the domain of another chain",
    { separator: separatorOf({ ...own, chainId: 1 }), own: { ...own, chainId: 1n } },
  ],
  [
    "says another contract beside a right separator",
    {
      separator: separatorOf({ name: "Prime", version: "1", ...here }),
      own: { ...own, verifyingContract: OTHER },
      name: "Prime",
    },
  ],
  [
    "has an endless name",
    { separator: separatorOf({ name: "x".repeat(101), version: "1", ...here }), name: "x".repeat(101) },
  ],
])("a share token that %s is not signed for", (_what, stated) => {
  expect(findShareToken(of, { ...said, ...stated })).toBeNull();
});

const seen = (value: unknown): ReadResult<unknown> => ({ ok: true, value });
const failed: ReadResult<unknown> = { ok: false, revert: null };

test("a salt or an extension is no domain that can be signed for", () => {
  const separator = separatorOf({ name: "Prime", version: "1", ...here });
  const answer = (fields: string, extensions: bigint[]) =>
    sharePermitQuery(of).interpret({
      separator: seen(separator),
      own: seen([fields, "Prime", "1", 8453n, VAULT, zeroHash, extensions]),
      name: failed,
      apiVersion: failed,
    });
  expect(answer("0x0f", [])).not.toBeNull();
  expect(answer("0x1f", [])).toBeNull();
  expect(answer("0x0f", [1n])).toBeNull();
});

test("a share token needs no row, and a token that is no share does", () => {
  const separator = separatorOf(here);
  const results = { "share/separator": seen(separator), "listed/nonce": seen(4n), "listed/code": failed };
  const asked = { chainId: 8453, token: VAULT, owner: USER };
  const factsOf = (share: boolean) => {
    const query = authorizationQuery(testContext(), { ...asked, share });
    const all = Object.keys(query.reads).map((name) => [
      name,
      results[name as keyof typeof results] ?? failed,
    ]);
    return query.interpret(Object.fromEntries(all));
  };
  expect(factsOf(true)).toMatchObject({ token: { domain: here }, permitNonce: 4n, hasAuthorizations: false });
  expect(factsOf(false).token).toBeNull();
});

test("a domain without name and version is signed as it is", () => {
  const { data, owner, submitter } = plannedBy("permit");
  const token = findShareToken(of, { ...said, separator: separatorOf(here) });
  const facts = {
    token,
    hasAuthorizations: false,
    permitNonce: 0n,
    permit2Allowance: null,
    account: "plain",
  } as const;
  const planned = planAuthorization({ kind: "permit", facts, owner, submitter, chainId: 8453, data });
  const message = typedDataOf(planned) as { domain: object; types: { EIP712Domain: { name: string }[] } };
  expect(message.domain).toEqual(here);
  expect(message.types.EIP712Domain.map(({ name }) => name)).toEqual(["chainId", "verifyingContract"]);
  expect(digestOf(planned)).not.toBe(digestOf({ ...planned, domain: { name: "", version: "", ...here } }));
});
