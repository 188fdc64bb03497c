import { describe, expect, test } from "vitest";
import type * as z from "zod";
import { ApplicationInput } from "../../src/schemas/partner-application-schema.ts";
import { SettingsInput } from "../../src/schemas/partner-schema.ts";
import {
  ChainIdInput,
  TokenNameInput,
  TrackingIdInput,
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
  ])("says of %j what to send", (value, message) => {
    expect(said(ChainIdInput, value)).toEqual([message]);
  });
});

describe("TokenNameInput", () => {
  const USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";

  test.each(["USDC", "usdc.e", "日本", "", USDC, USDC.toLowerCase()])("takes %j", (text) => {
    expect(TokenNameInput.parse(text)).toBe(text);
  });

  test.each([
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

  test.each(["javascript:alert(1)", "java\nscript:alert(1)", "data:text/html,x", "ftp://wallet.example"])(
    "refuses %j in settings and applications",
    (text) => {
      expect(said(SettingsInput, { website: text })).toEqual([WEBSITE_RULE]);
      expect(said(ApplicationInput, application(text))).toEqual([WEBSITE_RULE]);
    },
  );
});
