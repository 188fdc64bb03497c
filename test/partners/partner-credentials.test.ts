import { crc32 as zlibCrc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redact } from "../../src/lib/logger.ts";
import {
  crc32,
  credentialPrefix,
  generateCredential,
  isCredential,
} from "../../src/partners/partner-credentials.ts";

const kinds = ["live", "secret", "session"] as const;
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

describe.each(kinds)("generateCredential(%s)", (kind) => {
  test("has its prefix, a fixed length and at least 192 random bits", () => {
    const made = Array.from({ length: 500 }, () => generateCredential(kind));
    const lengths = { live: 47, secret: 59, session: 60 };
    for (const text of made) {
      expect(text).toMatch(new RegExp(`^cw_${kind}_[0-9A-Za-z]+$`));
      expect(text).toHaveLength(lengths[kind]);
      expect(isCredential(kind, text)).toBe(true);
    }
    expect(new Set(made).size).toBe(500);
    const digits = lengths[kind] - `cw_${kind}_`.length - 6;
    expect(digits * Math.log2(62)).toBeGreaterThanOrEqual(kind === "live" ? 192 : 256);
  });

  test("uses every digit at every position but the first", () => {
    const made = Array.from({ length: 3_000 }, () =>
      generateCredential(kind).slice(`cw_${kind}_`.length, -6),
    );
    for (let place = 1; place < (made[0] ?? "").length; place += 1)
      expect(new Set(made.map((text) => text[place])).size).toBe(62);
  });

  test("isCredential() refuses it after a change of any character", () => {
    fc.assert(
      fc.property(fc.nat(100), fc.nat(61), (at, digit) => {
        const text = generateCredential(kind);
        const place = at % text.length;
        const changed = text.slice(0, place) + DIGITS[digit] + text.slice(place + 1);
        expect(isCredential(kind, changed)).toBe(changed === text);
      }),
      { numRuns: 2_000 },
    );
  });

  test("isCredential() refuses it truncated, extended, permuted or of another kind", () => {
    const text = generateCredential(kind);
    for (const other of kinds) expect(isCredential(other, text)).toBe(other === kind);
    for (const wrong of [
      "",
      text.slice(1),
      text.slice(0, -1),
      `${text}0`,
      ` ${text}`,
      text.toUpperCase(),
      "ü".repeat(47),
    ])
      expect(isCredential(kind, wrong)).toBe(false);
  });

  test("is redacted in log lines", () => {
    const text = generateCredential(kind);
    expect(redact(kind === "session" ? `Authorization: Bearer ${text}` : `key ${text}`)).not.toContain(
      text.slice(-12),
    );
  });
});

test("credentialPrefix() shows the beginning and the last four characters", () => {
  expect(credentialPrefix("cw_live_0123456789abcdefghijklmnopqrstuvwxyzABC")).toBe("cw_live_0123…zABC");
});

test("crc32() matches the test vectors of CRC-32", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(crc32(bytes)).toBe(zlibCrc32(bytes));
    }),
  );
});
