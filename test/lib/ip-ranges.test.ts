import { expect, test } from "vitest";
import { isAddressRange, isInRanges } from "../../src/lib/ip-ranges.ts";

test.each([
  ["203.0.113.7", "203.0.113.0/24", true],
  ["203.0.114.7", "203.0.113.0/24", false],
  ["203.0.113.7", "203.0.113.7", true],
  ["203.0.113.8", "203.0.113.7", false],
  ["10.1.2.3", "0.0.0.0/0", true],
  ["10.127.0.1", "10.64.0.0/10", true],
  ["10.128.0.1", "10.64.0.0/10", false],
  ["2001:db8::1", "2001:db8::/32", true],
  ["2001:db9::1", "2001:db8::/32", false],
  ["2001:DB8:0:0:0:0:0:1", "2001:db8::1", true],
  ["::ffff:10.0.0.1", "::ffff:10.0.0.0/104", true],
  ["10.0.0.1", "::/0", false],
  ["unknown", "0.0.0.0/0", false],
  ["10.0.0.1", "not a range", false],
])("%s in %s: %s", (address, range, expected) => {
  expect(isInRanges(address, ["192.0.2.0/24", range])).toBe(expected);
});

test.each([
  "10.0.0.0/33",
  "10.0.0/8",
  "10.0.0.0/8/8",
  "256.0.0.1",
  "::/129",
  "1::2::3",
  "1.2.3.4::/32",
  "1.2.3.4::5.6.7.8",
  "1.2.3.4:5::",
  "",
  "10.0.0.0/08",
  "a.b.c.d",
])("%j is no range", (text) => {
  expect(isAddressRange(text)).toBe(false);
});
