import fc from "fast-check";
import type { Address, Hex } from "viem";
import { describe, expect, test } from "vitest";
import type { LensVault } from "../../../src/vaults/lens/position-lens.ts";
import { encodePositionCalls, MAX_INITCODE_BYTES } from "../../../src/vaults/lens/position-lens.ts";
import { positionLensCreationCode } from "../../../src/vaults/lens/position-lens-artifact.ts";
import { anAddress, aVault, codeBytes, readPayload, sizeOf } from "../../support/vaults/lens-model.ts";

const USER: Address = "0x1111111111111111111111111111111111111111";
const TOKEN: Address = "0x2222222222222222222222222222222222222222";
const PRICER: Address = "0x3333333333333333333333333333333333333333";

const payloadOf = (data: Hex | undefined) => data?.slice(positionLensCreationCode.length);

describe("encodePositionCalls()", () => {
  test("appends entries, user, gas, count and length to the creation code", () => {
    const [call, ...rest] = encodePositionCalls({
      user: USER,
      readGas: 0x01020304,
      vaults: [
        { kind: "convert_or_ratio", shareToken: TOKEN, pricer: TOKEN },
        { kind: "convert", shareToken: TOKEN, pricer: PRICER },
        { kind: "balance", shareToken: TOKEN },
        { kind: "rate", shareToken: TOKEN, pricer: PRICER, selector: "0x820973da", argument: USER },
      ],
    });
    expect(rest).toEqual([]);
    expect(call?.data.startsWith(positionLensCreationCode)).toBe(true);
    expect(payloadOf(call?.data)?.match(/.{1,40}/g)).toMatchInlineSnapshot(`
      [
        "0022222222222222222222222222222222222222",
        "2203222222222222222222222222222222222222",
        "2222333333333333333333333333333333333333",
        "3333042222222222222222222222222222222222",
        "2222220722222222222222222222222222222222",
        "2222222233333333333333333333333333333333",
        "33333333820973da111111111111111111111111",
        "1111111111111111111111111111111111111111",
        "1111111111111111010203040004000094",
      ]
    `);
  });

  test("omits a pricer that is the share token in another letter case", () => {
    const lower: Address = "0xabcdefabcdefabcdefabcdefabcdefabcdefabcd";
    const upper: Address = "0xABCDEFABCDEFABCDEFABCDEFABCDEFABCDEFABCD";
    const [call] = encodePositionCalls({
      user: USER,
      vaults: [{ kind: "convert", shareToken: lower, pricer: upper }],
    });
    expect(payloadOf(call?.data)?.length).toBe((21 + 29) * 2);
  });

  test("returns no call for no vaults", () => {
    expect(encodePositionCalls({ user: USER, vaults: [] })).toEqual([]);
  });

  test("fits 2,288 vaults without a pricer into one call of maximum size", () => {
    const vaults = Array.from({ length: 2_289 }, () => ({ kind: "balance" as const, shareToken: TOKEN }));
    const calls = encodePositionCalls({ user: USER, vaults });
    expect(calls.map((call) => call.vaults.length)).toEqual([2_288, 1]);
    expect((calls[0]?.data.length ?? 0) / 2 - 1).toBeLessThanOrEqual(MAX_INITCODE_BYTES);
  });

  test("keeps every vault once and in order", () => {
    fc.assert(
      fc.property(
        anAddress,
        fc.array(aVault, { maxLength: 60 }),
        fc.integer({ min: 1, max: 2 ** 32 - 1 }),
        fc.integer({ min: 100, max: 2_000 }),
        (user, vaults, readGas, room) => {
          const calls = encodePositionCalls({ user, vaults, readGas, maxBytes: codeBytes + 29 + room });
          expect(calls.flatMap((call) => call.vaults)).toEqual(vaults);
          for (const call of calls) {
            expect(readPayload(call.data)).toEqual({ user, readGas, vaults: call.vaults });
          }
        },
      ),
    );
  });

  test("fills every call but the last as far as the next vault allows", () => {
    fc.assert(
      fc.property(
        fc.array(aVault, { minLength: 1, maxLength: 80 }),
        fc.integer({ min: 65, max: 900 }),
        (vaults, room) => {
          const calls = encodePositionCalls({ user: USER, vaults, maxBytes: codeBytes + 29 + room });
          const sizes = calls.map((call) => call.vaults.reduce((sum, vault) => sum + sizeOf(vault), 0));
          calls.forEach((call, index) => {
            const size = sizes[index] ?? 0;
            expect(size).toBeLessThanOrEqual(room);
            expect(call.data.length / 2 - 1).toBe(codeBytes + 29 + size);
            const next = calls[index + 1]?.vaults[0];
            if (next !== undefined) expect(size + sizeOf(next)).toBeGreaterThan(room);
          });
        },
      ),
    );
  });

  test("keeps the members of the caller's own vault type", () => {
    const vaults = [{ kind: "balance" as const, shareToken: TOKEN, vaultId: "1:0x22" }];
    expect(encodePositionCalls({ user: USER, vaults })[0]?.vaults[0]?.vaultId).toBe("1:0x22");
  });

  describe("throws for", () => {
    const vault: LensVault = { kind: "convert", shareToken: TOKEN, pricer: PRICER };
    test.each([0, -1, 1.5, 2 ** 32, Number.NaN])("%d gas per read", (readGas) => {
      expect(() => encodePositionCalls({ user: USER, vaults: [vault], readGas })).toThrow(RangeError);
    });
    test("a size limit without room for a vault", () => {
      const maxBytes = codeBytes + 29 + 40;
      expect(() => encodePositionCalls({ user: USER, vaults: [vault], maxBytes })).toThrow(RangeError);
    });
    test.each(["0x", "0x22", `0x${"2".repeat(41)}`, `0x${"g".repeat(40)}`, `${"2".repeat(42)}`])(
      "the address %s",
      (text) => {
        const bad = text as Address;
        for (const query of [
          { user: bad, vaults: [vault] },
          { user: USER, vaults: [{ ...vault, shareToken: bad }] },
          { user: USER, vaults: [{ ...vault, pricer: bad }] },
        ]) {
          expect(() => encodePositionCalls(query)).toThrow(TypeError);
        }
      },
    );
    test("a selector of another length", () => {
      const rate = { ...vault, kind: "rate" as const, argument: USER, selector: "0x010203" as const };
      expect(() => encodePositionCalls({ user: USER, vaults: [rate] })).toThrow("is not a selector");
    });
  });
});
