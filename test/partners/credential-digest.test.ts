import { createHash, createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pepperedDigest, sha256, timingSafeEqual } from "../../src/partners/credential-digest.ts";

const pepper = { version: 1, secret: "a-pepper-of-thirty-two-characters" };

describe("digests", () => {
  test("are HMAC-SHA-256 and SHA-256 of the text", async () => {
    const value = "cw_live_x";
    const digest = Buffer.from(await pepperedDigest(pepper, { use: "key", value })).toString("hex");
    expect(digest).toBe(createHmac("sha256", pepper.secret).update("key:cw_live_x").digest("hex"));
    expect(await sha256("abc")).toBe(createHash("sha256").update("abc").digest("hex"));
  });

  test("differ by use, pepper and text", async () => {
    const other = { version: 2, secret: "another-pepper-of-thirty-two-chars" };
    const all = await Promise.all([
      pepperedDigest(pepper, { use: "key", value: "a" }),
      pepperedDigest(pepper, { use: "secret", value: "a" }),
      pepperedDigest(pepper, { use: "key", value: "b" }),
      pepperedDigest(other, { use: "key", value: "a" }),
    ]);
    expect(new Set(all.map((bytes) => Buffer.from(bytes).toString("hex"))).size).toBe(4);
  });

  test("timingSafeEqual() compares every byte", () => {
    const digest = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(digest, fc.nat(31), fc.integer({ min: 1, max: 255 }), (bytes, at, flip) => {
        const changed = Uint8Array.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ flip;
        expect([timingSafeEqual(bytes, Uint8Array.from(bytes)), timingSafeEqual(bytes, changed)]).toEqual([
          true,
          false,
        ]);
      }),
    );
  });

  test("timingSafeEqual() throws for digests of different lengths", () => {
    expect(() => timingSafeEqual(new Uint8Array(32), new Uint8Array(31))).toThrow(RangeError);
  });
});
