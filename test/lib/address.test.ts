import fc from "fast-check";
import { getAddress, toHex } from "viem";
import { describe, expect, test } from "vitest";
import { explainAddress, isNative, isNativeAlias, parseAddress, sameAddress } from "../../src/lib/address.ts";

const anAddress = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => toHex(bytes));
const upper = (address: string): string => `0x${address.slice(2).toUpperCase()}`;
/** Examples of EIP-55 itself. */
const EIP55 = [
  "0x52908400098527886E0F7030069857D2E4169EE7",
  "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
  "0xde709f2102306220921060314715629080e2fb77",
  "0x27b1fdb04752bbc536007a920d24acb045561c26",
  "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
  "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
  "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
] as const;

describe("parseAddress", () => {
  test.each(EIP55)("gives %s as the EIP writes it, from any valid case", (address) => {
    expect(parseAddress(address)).toBe(address);
    expect(parseAddress(address.toLowerCase())).toBe(address);
    expect(parseAddress(upper(address))).toBe(address);
  });

  test("refuses every address with one letter in the wrong case", () => {
    fc.assert(
      fc.property(anAddress, fc.nat(39), (address, at) => {
        const good = getAddress(address);
        const letter = good[at + 2] ?? "";
        const flipped = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
        const bad = good.slice(0, at + 2) + flipped + good.slice(at + 3);
        fc.pre(bad !== good && bad !== bad.toLowerCase() && bad !== upper(bad));
        expect(parseAddress(bad)).toBe(null);
      }),
    );
  });

  test.each([
    ["nothing", ""],
    ["no prefix", "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"],
    ["a prefix in upper case", "0X5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"],
    ["39 digits", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beae"],
    ["41 digits", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed0"],
    ["a digit that is none", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaeg"],
    ["a line break", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed\n"],
    ["a space", " 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"],
    ["a name", "vitalik.eth"],
  ])("refuses %s", (_what, text) => {
    expect(parseAddress(text)).toBe(null);
  });

  test("keeps the address through any round trip", () => {
    fc.assert(
      fc.property(anAddress, (address) => {
        expect(parseAddress(address)?.toLowerCase()).toBe(address);
        expect(parseAddress(parseAddress(upper(address)) ?? "")).toBe(getAddress(address));
      }),
    );
  });

  test("never throws", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseAddress(text) === null || /^0x[0-9a-fA-F]{40}$/.test(text)).toBe(true);
      }),
    );
  });
});

describe("isNative", () => {
  test("is the zero address only, never its alias or a token", () => {
    expect(isNative(`0x${"0".repeat(40)}`)).toBe(true);
    expect(isNative(`0x${"e".repeat(40)}`)).toBe(false);
    expect(isNative(EIP55[0])).toBe(false);
  });
});

describe("isNativeAlias", () => {
  test.each([
    ["0x0000000000000000000000000000000000000000", true],
    ["0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE", true],
    ["0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", true],
    ["0xEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEE", true],
    ["0x0000000000000000000000000000000000000001", false],
    ["0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeef", false],
    ["", false],
  ])("%s: %s", (address, native) => {
    expect(isNativeAlias(address)).toBe(native);
  });
});

test("sameAddress ignores case and nothing else", () => {
  fc.assert(
    fc.property(anAddress, anAddress, (a, b) => {
      expect(sameAddress(getAddress(a), a)).toBe(true);
      expect(sameAddress(a, b)).toBe(a === b);
    }),
  );
});

test.each([" 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed\n"])(
  "explainAddress() names the blanks around %j",
  (text) => {
    expect(explainAddress(text, "account")).toBe("must be an address: remove the spaces around it");
  },
);

test.each(["native", "ETH", "ether", "MATIC"])("explainAddress() says what stands for %s", (text) => {
  expect(explainAddress(text, "token")).toMatch(
    /^is a name or a symbol, .*: send the zero address for the native currency; /,
  );
});

test.each(["alice", "ETH", "USDC"])("explainAddress() names no list of tokens for the account %s", (text) => {
  const digits = "send 0x and 40 hexadecimal digits";
  expect(explainAddress(text, "account")).toBe(`is a name or a symbol, not an address: ${digits}`);
});

test("explainAddress() warns of a private key, which looks like a hash", () => {
  expect(explainAddress(`0x${"ab".repeat(32)}`, "account")).toMatch(
    /it has 64, as a hash or a private key: never send a private key$/,
  );
  expect(explainAddress(`0x${"ab".repeat(31)}`, "account")).toBe(
    "must have 40 hexadecimal digits after 0x; it has 62",
  );
});
