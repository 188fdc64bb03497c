/**
 * A map of at most `capacity` entries that evicts the least recently written entry. Reading an entry does not affect
 * its eviction.
 */
export class BoundedMap<V> {
  readonly #capacity: number;
  readonly #entries = new Map<string, V>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Returns the value of a key, or undefined if there is none or it was evicted. */
  get(key: string): V | undefined {
    return this.#entries.get(key);
  }

  /**
   * Writes an entry, which becomes the most recently written one. If the map then has more entries than its capacity,
   * evicts the least recently written one.
   */
  set(key: string, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#capacity) return;
    const oldest = this.#entries.keys().next();
    if (!oldest.done) this.#entries.delete(oldest.value);
  }

  /** Removes an entry; does nothing if there is none. */
  delete(key: string): void {
    this.#entries.delete(key);
  }
}

interface MemoEntry<T> {
  of: readonly unknown[];
  value: T;
}

/**
 * Cache of computed values by name. A value is computed again when its inputs have changed or when it was evicted;
 * inputs are compared with `Object.is`.
 */
export class MemoByInputs<T> {
  readonly #made: BoundedMap<MemoEntry<T>>;

  /**
   * Creates the cache. `capacity` is the maximum number of names; the least recently computed value is evicted first.
   */
  constructor(capacity: number) {
    this.#made = new BoundedMap(capacity);
  }

  /** Returns the value of a name, computed by the pure function `make` if none is held for the inputs in `of`. */
  get(name: string, source: { of: readonly unknown[]; make: () => T }): T {
    const known = this.#made.get(name);
    if (known !== undefined && sameInputs(known.of, source.of)) return known.value;
    const value = source.make();
    this.#made.set(name, { of: source.of, value });
    return value;
  }
}

function sameInputs(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, index) => Object.is(value, b[index]));
}
