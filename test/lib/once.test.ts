import { expect, test, vi } from "vitest";
import { once, onceImported } from "../../src/lib/once.ts";

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

test("loads code at the first need, and makes one thing of it for all who ask at once", async () => {
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

test("lets the next asker load again when that fails", async () => {
  const load = vi.fn(async () => 7);
  load.mockRejectedValueOnce(new Error("not now"));
  const get = onceImported(load, (value) => value);
  await expect(get()).rejects.toThrow("not now");
  expect(await get()).toBe(7);
});
