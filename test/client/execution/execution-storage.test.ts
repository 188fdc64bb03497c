import { expect, test } from "vitest";
import {
  type HandedStep,
  openHandedSteps,
  type StepStorage,
} from "../../../src/client/execution/execution-storage.ts";

const step = (key: string): HandedStep => ({ keys: [key], batchId: null, txHash: null });

/** A storage in which writing and removing can be made to fail, as when a browser's quota is used up. */
function storageOf() {
  const kept = new Map<string, string>();
  const state = { fails: false };
  const guard = (): void => {
    if (state.fails) throw new Error("QuotaExceededError");
  };
  const storage: StepStorage = {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => {
      guard();
      kept.set(key, value);
    },
    removeItem: (key) => {
      guard();
      kept.delete(key);
    },
  };
  return { state, storage };
}

test("openHandedSteps() forgets no step that it could not store beside an older one", () => {
  const { state, storage } = storageOf();
  const record = openHandedSteps("cw_quota", storage);
  record.keep(step("a"));
  state.fails = true;
  record.keep(step("b"));
  expect(record.list()).toEqual([step("a"), step("b")]);
  record.drop("a");
  expect(record.list()).toEqual([step("b")]);
  record.drop("b");
  expect(record.list()).toEqual([]);
});

test("openHandedSteps() returns to a storage that works again", () => {
  const { state, storage } = storageOf();
  const record = openHandedSteps("cw_again", storage);
  state.fails = true;
  record.keep(step("a"));
  state.fails = false;
  record.keep(step("b"));
  expect(record.list()).toEqual([step("a"), step("b")]);
  // Another page reads the storage only.
  expect(JSON.parse(storage.getItem("causeway:cw_again") ?? "null")).toEqual([step("a"), step("b")]);
});

test("openHandedSteps() ignores what is no entry of a record", () => {
  const { storage } = storageOf();
  storage.setItem("causeway:cw_foreign", JSON.stringify([null, {}, { keys: "a" }, step("a")]));
  const record = openHandedSteps("cw_foreign", storage);
  expect(record.list()).toEqual([step("a")]);
  record.retain(() => true);
  record.drop("a");
  expect(record.list()).toEqual([]);
});
