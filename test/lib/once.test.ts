import { expect, test, vi } from "vitest";
import { once, onceImported } from "../../src/lib/once.ts";

test("once() computes on the first call only", () => {
  const make = vi.fn(() => ({}));
  const get = once(make);
  expect(make).not.toHaveBeenCalled();
  expect(get()).toBe(get());
  expect(make).toHaveBeenCalledTimes(1);
});

test("once() keeps null and undefined too", () => {
  const make = vi.fn(() => undefined);
  const get = once(make);
  expect([get(), get()]).toEqual([undefined, undefined]);
  expect(make).toHaveBeenCalledTimes(1);
});

test("once() tries again after an error", () => {
  const make = vi.fn(() => 7);
  make.mockImplementationOnce(() => {
    throw new Error("not now");
  });
  const get = once(make);
  expect(get).toThrow("not now");
  expect(get()).toBe(7);
});

test("onceImported() loads on the first call and returns one value to concurrent callers", async () => {
  const load = vi.fn(async () => ({ seven: 7 }));
  const make = vi.fn((module: { seven: number }) => ({ value: module.seven }));
  const get = onceImported(load, make);
  expect(load).not.toHaveBeenCalled();
  const [one, other] = await Promise.all([get(), get()]);
  expect([one, other, await get()]).toEqual([{ value: 7 }, { value: 7 }, { value: 7 }]);
  expect(other).toBe(one);
  expect(make).toHaveBeenCalledTimes(1);
  // Nobody waits for what another request has begun.
  expect(load).toHaveBeenCalledTimes(2);
});

test("onceImported() loads again after an error", async () => {
  const load = vi.fn(async () => 7);
  load.mockRejectedValueOnce(new Error("not now"));
  const get = onceImported(load, (value) => value);
  await expect(get()).rejects.toThrow("not now");
  expect(await get()).toBe(7);
});
