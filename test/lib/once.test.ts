import { expect, test, vi } from "vitest";
import { once } from "../../src/lib/once.ts";

test("makes nothing before it is asked, and one thing for all who ask", () => {
  const make = vi.fn(() => ({}));
  const get = once(make);
  expect(make).not.toHaveBeenCalled();
  expect(get()).toBe(get());
  expect(make).toHaveBeenCalledTimes(1);
});

test("keeps null and undefined too", () => {
  const make = vi.fn(() => undefined);
  const get = once(make);
  expect([get(), get()]).toEqual([undefined, undefined]);
  expect(make).toHaveBeenCalledTimes(1);
});

test("lets the next asker try again when making fails", () => {
  const make = vi.fn(() => 7);
  make.mockImplementationOnce(() => {
    throw new Error("not now");
  });
  const get = once(make);
  expect(get).toThrow("not now");
  expect(get()).toBe(7);
});
