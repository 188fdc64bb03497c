import { describe, expect, test } from "vitest";
import { findSiweMismatches, writeSiweMessage } from "../../src/partners/siwe-message.ts";
import { signingPurposes } from "../../src/schemas/signing-schema.ts";
import { expected, NOW } from "../support/partners/messages.ts";
import { isSiweMessage } from "../support/standards/siwe-grammar.ts";

interface Parts {
  domain?: string;
  address?: string;
  statement?: string;
  fields?: readonly string[];
}

const FIELDS = ["URI: https://service.org/login", "Version: 1", "Chain ID: 1", "Nonce: 12341234"];
const ISSUED = "Issued At: 2022-03-17T12:45:13.610Z";
const OPTIONAL = ["Expiration Time: 2023-03-17T12:45:13.610Z", "Not Before: 2022-03-17T12:45:13.610Z"];
const ALL = [
  ...FIELDS,
  ISSUED,
  ...OPTIONAL,
  "Request ID: some_id",
  "Resources:",
  "- https://service.org/login",
];

/** A message of the suite, from its parts. */
function messageOf({ domain = "service.org", address, statement, fields = ALL }: Parts): string {
  const account = address ?? "0xe5A12547fe4E872D192E3eCecb76F2Ce1aeA4946";
  const text = statement ?? "I accept the ServiceOrg Terms of Service: https://service.org/tos\n";
  return `${domain} wants you to sign in with your Ethereum account:\n${account}\n\n${text}\n${fields.join("\n")}`;
}

const without = (name: string) => ALL.filter((field) => !field.startsWith(name));
const changed = (name: string, field: string) => ALL.map((own) => (own.startsWith(name) ? field : own));
function swapped(one: string, two: string): string[] {
  const fields = [...ALL];
  const [a, b] = [one, two].map((name) => fields.findIndex((field) => field.startsWith(name)));
  [fields[a ?? 0], fields[b ?? 0]] = [fields[b ?? 0] ?? "", fields[a ?? 0] ?? ""];
  return fields;
}

/**
 * Vectors of the reference implementation, restated by their parts. Source: spruceid/siwe, `test/parsing_positive.json`
 * and `test/parsing_negative.json`.
 */
const valid: [string, Parts][] = [
  ["every field", {}],
  ["no optional field", { fields: [...FIELDS, ISSUED] }],
  ["a time without fractions", { fields: [...FIELDS, "Issued At: 2021-09-30T16:25:24Z"] }],
  ["a domain that is an IP address", { domain: "127.0.0.1" }],
  ["a domain with user information", { domain: "test@127.0.0.1" }],
  ["a domain with a port", { domain: "127.0.0.1:8080" }],
  ["a domain with both", { domain: "test@127.0.0.1:8080" }],
  ["no statement", { statement: "" }],
];
const invalid: [string, Parts][] = [
  ["extra line breaks", { statement: "\nI accept\n" }],
  ["a statement with a line break", { statement: "I accept: \nhttps://service.org/tos\n" }],
  ["no domain", { domain: "" }],
  ["no address", { address: "" }],
  ["an address without checksum", { address: "0xe5A12547fe4E872D192E3eCecb76F2Ce1aeA4947" }],
  ...["URI", "Version", "Chain ID", "Nonce", "Issued At"].map((name): [string, Parts] => [
    `no field ${name}`,
    { fields: without(name) },
  ]),
  ["URI out of order", { fields: swapped("URI", "Version") }],
  ["chain id out of order", { fields: swapped("Version", "Chain ID") }],
  ["nonce out of order", { fields: swapped("Nonce", "Issued At") }],
  ["expiration time out of order", { fields: swapped("Expiration Time", "Not Before") }],
  ["request id out of order", { fields: swapped("Not Before", "Request ID") }],
  ["a URI that is none", { fields: changed("URI", "URI: _not_a_rfc3986_valid_uri_") }],
  ["another version", { fields: changed("Version", "Version: 2") }],
  ["a chain id that is no number", { fields: changed("Chain ID", "Chain ID: ?") }],
  ["a nonce of 7 characters", { fields: changed("Nonce", "Nonce: 1234567") }],
  ...["Issued At", "Expiration Time", "Not Before"].map((name): [string, Parts] => [
    `another time format in ${name}`,
    { fields: changed(name, `${name}: Wed Oct 05 2011 16:48:00 GMT+0200 (CEST)`) },
  ]),
  ["a resource that is no URI", { fields: changed("- ", "- _not_a_rfc3986_valid_uri_") }],
  ["resources in one line", { fields: changed("- ", "- https://service.org/login - https://service.org/2") }],
];

describe("the grammar of sign-in messages", () => {
  test.each(valid)("accepts %s", (_what, parts) => {
    expect(isSiweMessage(messageOf(parts))).toBe(true);
  });
  test.each(invalid)("refuses %s", (_what, parts) => {
    expect(isSiweMessage(messageOf(parts))).toBe(false);
  });
});

test.each([...valid, ...invalid])("no message of the vectors passes for one of ours: %s", (_what, parts) => {
  expect(findSiweMismatches(messageOf(parts), { expected, now: NOW })).toContain("text");
});

const origins = ["https://causeway.example", "http://127.0.0.1:8787", "https://api.causeway.example:8443"];

test.each(origins.flatMap((publicUrl) => signingPurposes.map((purpose) => [publicUrl, purpose] as const)))(
  "writeSiweMessage() writes what the grammar accepts: %s, %s",
  (publicUrl, purpose) => {
    expect(isSiweMessage(writeSiweMessage({ ...expected, publicUrl, purpose }))).toBe(true);
  },
);
