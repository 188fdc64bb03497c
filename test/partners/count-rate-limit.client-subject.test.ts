import fc from "fast-check";
import { expect, test } from "vitest";
import { clientSubject } from "../../src/partners/count-rate-limit.ts";

test.each([
  ["192.0.2.1", "192.0.2.1"],
  [" 192.0.2.1 ", "192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0DB8:0001:0002::", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["2001:db8::2:3:4:5", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["::", "0:0:0:0::/64"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["unknown", "unknown"],
])("clientSubject() counts %s as %s", (address, subject) => {
  expect(clientSubject(address)).toBe(subject);
});

test("clientSubject() groups IPv6 addresses by their /64 prefix", () => {
  const group = fc.integer({ min: 0, max: 0xffff });
  fc.assert(
    fc.property(
      fc.tuple(group, group, group, group),
      fc.tuple(group, group, group, group),
      (network, host) => {
        const write = (parts: number[], pad: number) =>
          parts.map((part) => part.toString(16).padStart(pad, "0")).join(":");
        const subject = clientSubject(write([...network, ...host], 1));
        expect(clientSubject(write([...network, ...host], 4).toUpperCase())).toBe(subject);
        expect(clientSubject(`${write(network, 1)}::`)).toBe(subject);
        const [first, ...rest] = network;
        expect(clientSubject(write([first ^ 1, ...rest, ...host], 1))).not.toBe(subject);
      },
    ),
  );
});

test("clientSubject() bounds any text and cannot forge another key", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 500 }), (text) => {
      expect(clientSubject(text).length).toBeLessThanOrEqual(46);
    }),
  );
});
