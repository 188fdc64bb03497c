import { describe, expect, test } from "vitest";
import type * as z from "zod";
import { ApplicationInput } from "../../src/schemas/partner-application-schema.ts";
import { SettingsInput } from "../../src/schemas/partner-schema.ts";
import {
  AddressInput,
  AmountInput,
  ChainIdInput,
  ChainIdParam,
  integerParam,
  TokenInput,
  TokenNameInput,
  TrackingIdInput,
  UserInput,
  WEBSITE_RULE,
  WebsiteInput,
} from "../../src/schemas/primitive-schemas.ts";

/** The messages about a value, or none if it is accepted. */
const said = (schema: z.ZodType, value: unknown): string[] =>
  schema.safeParse(value).error?.issues.map(({ message }) => message) ?? [];

describe("ChainIdInput", () => {
  test.each([
    ["8453", "must be a JSON integer, without quotes"],
    ["base", "must be a chain id, a JSON integer such as 8453: GET /v1/chains lists the chains"],
    [null, "must be a chain id, a JSON integer such as 8453: GET /v1/chains lists the chains"],
    [-1, "must be a positive integer: GET /v1/chains lists the chains"],
    [1.5, "must be a positive integer: GET /v1/chains lists the chains"],
    [2 ** 53, "is too large for a chain id: GET /v1/chains lists the chains"],
  ])("says of %j what to send", (value, message) => {
    expect(said(ChainIdInput, value)).toEqual([message]);
  });
});

test.each([-1, 3, 0.5, "2"])("SettingsInput says of the partner type %j which there are", (partner_type) => {
  const kinds = "must be 0 (direct), 1 (creator) or 2 (wallet)";
  expect(said(SettingsInput, { partner_type })).toEqual([kinds]);
});

test.each([
  ["-5", "must be at least 1"],
  ["0", "must be at least 1"],
  ["101", "must be at most 100"],
  ["99999999999999999999", "must be at most 100"],
  ["007", "must be an integer in decimal digits, without leading zeros"],
  ["1e1", "must be an integer in decimal digits"],
  ["", "must be an integer in decimal digits"],
])("integerParam() says of %j what to send", (text, message) => {
  expect(said(integerParam({ minimum: 1, maximum: 100 }), text)).toEqual([message]);
});

test("ChainIdParam names the list of chains for one that is named in words", () => {
  const expected = "must be an integer in decimal digits: GET /v1/chains lists the chains";
  expect(said(ChainIdParam, "ethereum")).toEqual([expected]);
});

test.each(["100 USDC", "$100", "١٠٠", "１００", "+100", "100n", "Infinity", "0o17"])(
  "AmountInput says of %j that only digits are taken",
  (text) => {
    expect(said(AmountInput, text)).toEqual([
      "must be a positive integer in the smallest unit, as a decimal string, of the digits 0 to 9 and nothing else",
    ]);
  },
);

test.each([[["all"]], [{ value: "1" }], [true], [null]])(
  "AmountInput does not read %j as a text",
  (value) => {
    expect(said(AmountInput, value)).toEqual([
      "must be a positive integer in the smallest unit, as a decimal string",
    ]);
  },
);

test.each(["alice", "USDC", "USDC.e", "me"])("an address input explains %s as a name or a symbol", (text) => {
  const problem = "is a name or a symbol, not an address: send 0x and 40 hexadecimal digits";
  expect(said(AddressInput, text)).toEqual([problem]);
  expect(said(TokenInput, text)).toEqual([`${problem}; GET /v1/tokens lists the addresses of tokens`]);
});

test.each(["vitalik.eth", "pay.alice.base.eth"])("AddressInput explains %s as a name to resolve", (text) => {
  expect(said(AddressInput, text)).toEqual([expect.stringMatching(/^is a name, .*resolve the ENS name/)]);
});

test("UserInput takes no address that stands for the native currency", () => {
  const alias = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE";
  expect(said(UserInput, `0x${"0".repeat(40)}`)).toEqual(["must not be the zero address"]);
  for (const text of [alias, alias.toLowerCase()])
    expect(said(UserInput, text)).toEqual(["must not be the address that stands for the native currency"]);
  expect(said(AddressInput, alias)).toEqual([]);
});

describe("TokenNameInput", () => {
  const USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";

  test.each(["USDC", "usdc.e", "日本", USDC, USDC.toLowerCase()])("takes %j", (text) => {
    expect(TokenNameInput.parse(text)).toBe(text);
  });

  test.each([
    ["", /must not be empty/],
    ["0x1234", /40 hexadecimal digits/],
    [USDC.replace("fCD6", "fcD6"), /EIP-55/],
    [USDC.replace("0x", "0X"), /small x/],
  ])("refuses %j, which could only look like a token without vaults", (text, message) => {
    expect(said(TokenNameInput, text)).toEqual([expect.stringMatching(message)]);
  });
});

test("TrackingIdInput tells a transaction hash where it belongs", () => {
  expect(said(TrackingIdInput, `0x${"1".repeat(64)}`)).toEqual([
    "must be a tracking id: trk_ and 32 hexadecimal digits; this is a transaction hash, which GET /v1/status takes",
  ]);
});

describe("WebsiteInput", () => {
  const application = (website: string) => ({
    ...{ address: `0x${"1".repeat(40)}`, signature: "0x", nonce: "n" },
    form: { company: "C", email: "a@b.co", website },
  });

  test.each(["", "https://wallet.example/a?b", "HTTP://wallet.example", "wallet.example", "localhost:3000"])(
    "takes %j",
    (text) => {
      expect(WebsiteInput.parse(text)).toBe(text);
      expect(said(ApplicationInput, application(text))).toEqual([]);
    },
  );

  test.each([
    "javascript:alert(1)",
    "javascript:1;alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,x",
    "ftp://wallet.example",
    "tel:5551234",
  ])("refuses %j in settings and applications", (text) => {
    expect(said(SettingsInput, { website: text })).toEqual([WEBSITE_RULE]);
    expect(said(ApplicationInput, application(text))).toEqual([WEBSITE_RULE]);
  });
});
