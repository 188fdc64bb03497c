import type { Hash } from "viem";

/** The part of the Web Storage API that the client uses. Methods may throw. */
export interface StepStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** Steps that were handed to the wallet together, and how to ask for their fate. */
export interface HandedStep {
  /** Keys of the steps, unique within the order. */
  keys: readonly string[];
  /** Id of the batch (EIP-5792), or null for a single transaction. */
  batchId: string | null;
  /** Hash of the transaction. Null for a batch, and while the wallet has not returned it. */
  txHash: Hash | null;
}

/**
 * What executions of an order have handed to the wallet and the API has not seen yet. Approvals are kept only in a
 * batch with another step. No method throws.
 */
export interface HandedSteps {
  /** Returns the entries, the one that was kept last at the end. */
  list(): readonly HandedStep[];
  /** Adds an entry, in place of the one with the same first key. */
  keep(step: HandedStep): void;
  /** Removes the entry with this first key; does nothing if there is none. */
  drop(key: string | undefined): void;
  /** Keeps the entries with at least one key for which `isOpen` returns true, and removes the others. */
  retain(isOpen: (key: string) => boolean): void;
}

const memory = new Map<string, string>();
const memoryStorage: StepStorage = {
  getItem: (key) => memory.get(key) ?? null,
  setItem: (key, value) => void memory.set(key, value),
  removeItem: (key) => void memory.delete(key),
};

/** Returns the page's storage, or the memory of the process where there is none or the platform refuses it. */
function defaultStorage(): StepStorage {
  try {
    const { window } = globalThis as { window?: { localStorage?: StepStorage | null } };
    return window?.localStorage ?? memoryStorage;
  } catch {
    return memoryStorage;
  }
}

/**
 * Opens the record of the steps of an order that were handed to the wallet and that the API has not seen yet. It is
 * kept in `storage`: by default the page's `localStorage`, or the memory of the process if there is none or access is
 * denied. While writes to `storage` fail, the record is kept in memory and read from there.
 */
export function openHandedSteps(trackingId: string, storage = defaultStorage()): HandedSteps {
  const name = `causeway:${trackingId}`;
  // What a failing storage still holds is out of date.
  const list = (): readonly HandedStep[] => read(memory.has(name) ? memoryStorage : storage, name);
  const write = (steps: readonly HandedStep[]): void => {
    try {
      put(storage, { name, steps });
      if (storage !== memoryStorage) memory.delete(name);
    } catch {
      memory.set(name, JSON.stringify(steps));
    }
  };
  const without = (key: string | undefined) => list().filter(({ keys }) => keys[0] !== key);
  return {
    list,
    keep: (step) => write([...without(step.keys[0]), step]),
    drop: (key) => write(without(key)),
    retain: (isOpen) => {
      const before = list();
      const after = before.filter(({ keys }) => keys.some(isOpen));
      if (after.length < before.length) write(after);
    },
  };
}

/** Returns true for an entry that `keep` may have stored. Anything on the page can write into its storage. */
const isHandedStep = (one: unknown): one is HandedStep =>
  typeof one === "object" && one !== null && "keys" in one && Array.isArray(one.keys);

function read(storage: StepStorage, name: string): readonly HandedStep[] {
  try {
    const kept: unknown = JSON.parse(storage.getItem(name) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isHandedStep) : [];
  } catch {
    return [];
  }
}

function put(storage: StepStorage, { name, steps }: { name: string; steps: readonly HandedStep[] }): void {
  if (steps.length === 0) storage.removeItem(name);
  else storage.setItem(name, JSON.stringify(steps));
}
