import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { describe, expect, test } from "vitest";
import {
  type ExpectedSiweMessage,
  findSiweMismatches,
  nonceKey,
  readStoredMessage,
  verifySignedNonce,
  writeSiweMessage,
  writeStoredMessage,
} from "../../src/partners/siwe-message.ts";
import { signingPurposes } from "../../src/schemas/signing-schema.ts";
import { testContext } from "../support/context.ts";
import { account, changedMessages, expected, message, NOW } from "../support/partners/messages.ts";

const mismatches = (text: string, now = NOW) => findSiweMismatches(text, { expected, now });

test("writeSiweMessage() contains address, domain, purpose and expiry", () => {
  expect(message).toBe(`causeway.example wants you to sign in with your Ethereum account:
0x70997970C51812dc3A010C7d01b50e0d17dc79C8

Register this wallet as a Causeway partner and create its API keys. This costs nothing.

URI: https://causeway.example
Version: 1
Chain ID: 8453
Nonce: 0123456789abcdef0123456789abcdef
Issued At: 2023-11-14T22:13:20.000Z
Expiration Time: 2023-11-14T22:23:20.000Z`);
  expect(mismatches(message)).toEqual([]);
});

test.each([
  ["http://127.0.0.1:8787", "127.0.0.1:8787"],
  ["http://localhost:8787", "localhost:8787"],
  ["https://api.causeway.example:8443", "api.causeway.example:8443"],
])("writeSiweMessage() for %s has the domain %s", (publicUrl, domain) => {
  const own = { ...expected, publicUrl };
  expect(writeSiweMessage(own)).toMatch(new RegExp(`^${domain} wants you`));
  expect(findSiweMismatches(writeSiweMessage(own), { expected: own, now: NOW })).toEqual([]);
});

test("writeSiweMessage() has a distinct statement for each purpose", () => {
  const texts = signingPurposes.map((purpose) => writeSiweMessage({ ...expected, purpose }));
  expect(new Set(texts).size).toBe(signingPurposes.length);
  for (const [i, purpose] of signingPurposes.entries()) {
    const others = texts.filter((_, j) => j !== i);
    for (const other of others) {
      const found = findSiweMismatches(other, { expected: { ...expected, purpose }, now: NOW });
      expect(found).toEqual(["statement", "text"]);
    }
  }
});

test.each<[string, Partial<ExpectedSiweMessage>, string[]]>([
  ["another domain", { publicUrl: "https://causeway.example.evil.example" }, ["domain", "uri", "text"]],
  ["another port", { publicUrl: "https://causeway.example:444" }, ["domain", "uri", "text"]],
  ["another path", { publicUrl: "https://causeway.example/v2" }, ["uri", "text"]],
  ["another scheme", { publicUrl: "http://causeway.example" }, ["uri", "text"]],
  ["another address", { address: "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359" }, ["address", "text"]],
  ["another chain", { chainId: 1 }, ["chain_id", "text"]],
  ["another nonce", { nonce: "1123456789abcdef0123456789abcdef" }, ["nonce", "text"]],
  ["another time", { issuedAt: NOW - 1 }, ["issued_at", "expiration_time", "text"]],
])("findSiweMismatches() detects %s", (_what, change, fields) => {
  expect(mismatches(writeSiweMessage({ ...expected, ...change }))).toEqual(fields);
});

test.each<[string, (text: string) => string, string[]]>([
  ["an added scheme", (text) => `https://${text}`, ["scheme", "text"]],
  ["an added resource", (text) => `${text}\nResources:\n- https://evil.example`, ["resources", "text"]],
  ["an added request id", (text) => `${text}\nRequest ID: 1`, ["request_id", "text"]],
  ["an added not-before", (text) => `${text}\nNot Before: 2023-11-14T22:13:20.000Z`, ["not_before", "text"]],
  ["trailing text", (text) => `${text}\nand more`, ["text"]],
  ["leading text", (text) => `Hello\n${text}`, ["domain", "address", "statement", "text"]],
  ["no expiry", (text) => text.replace(/\nExpiration.*/, ""), ["expiration_time", "text"]],
  ["no statement", (text) => text.replace(/Register.*\n\n/, ""), ["statement", "text"]],
  ["another version", (text) => text.replace("Version: 1", "Version: 2"), ["version", "text"]],
  ["a different format of the time", (text) => text.replace("20.000Z\nExp", "20Z\nExp"), ["text"]],
  [
    "a lower-case address",
    (text) => text.replace(account.address, account.address.toLowerCase()),
    ["address", "text"],
  ],
  ["Windows' line ends", (text) => text.replaceAll("\n", "\r\n"), expect.arrayContaining(["text"])],
])("findSiweMismatches() detects a message with %s", (_what, change, fields) => {
  expect(mismatches(change(message))).toEqual(fields);
});

test("findSiweMismatches() accepts a message for ten minutes, with clock skew", () => {
  expect(mismatches(message, NOW + 599_999)).toEqual([]);
  expect(mismatches(message, NOW + 600_000)).toEqual(["expiration_time"]);
  expect(mismatches(message, NOW - 60_000)).toEqual([]);
  expect(mismatches(message, NOW - 60_001)).toEqual(["issued_at"]);
});

describe("5,000 mutations of one field", () => {
  test("are all detected in the message", () => {
    expect(changedMessages).toHaveLength(5_000);
    expect(changedMessages.filter((text) => mismatches(text).length === 0)).toEqual([]);
  });

  test("are all refused when they come from the store", async () => {
    const context = testContext({ nowMs: NOW, config: { publicUrl: expected.publicUrl } });
    const { address, nonce } = expected;
    const key = nonceKey({ purpose: "register", address, nonce });
    for (const text of changedMessages.slice(0, 300)) {
      await context.nonces.put(key, writeStoredMessage({ message: text, chainId: 8453, issuedAt: NOW }), 1);
      const signature = await account.signMessage({ message: text });
      const proof = verifySignedNonce(context, {
        purposes: ["register"],
        signed: { address, nonce, signature },
      });
      await expect(proof).rejects.toMatchObject({ code: "nonce_invalid" });
    }
  });
});

test("readStoredMessage() parses what writeStoredMessage() wrote and nothing else", () => {
  const stored = { message, chainId: 1, issuedAt: NOW };
  expect(readStoredMessage(writeStoredMessage(stored))).toEqual(stored);
  for (const text of ["", "null", "5", "{}", "[]", '{"message":1}', message, '{"message":"a","chainId":"1"}'])
    expect(readStoredMessage(text)).toBe(null);
});

test("verifySignedNonce() refuses the signature of another key", async () => {
  const context = testContext({ nowMs: NOW, config: { publicUrl: expected.publicUrl } });
  const { address, nonce } = expected;
  const key = nonceKey({ purpose: "register", address, nonce });
  await context.nonces.put(key, writeStoredMessage({ message, chainId: 8453, issuedAt: NOW }), 1);
  const signature = await privateKeyToAccount(generatePrivateKey()).signMessage({ message });
  const proof = verifySignedNonce(context, { purposes: ["register"], signed: { address, nonce, signature } });
  await expect(proof).rejects.toMatchObject({ code: "signature_invalid" });
});
