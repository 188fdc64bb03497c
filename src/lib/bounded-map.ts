/** A map of at most `capacity` entries: writing one more removes the one written longest ago. Reading changes nothing. */
export class BoundedMap<V> {
  readonly #capacity: number;
  readonly #entries = new Map<string, V>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: string): V | undefined {
    return this.#entries.get(key);
  }

  /** Writes an entry, which thereby becomes the newest. */
  set(key: string, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#capacity) return;
    const oldest = this.#entries.keys().next();
    if (!oldest.done) this.#entries.delete(oldest.value);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}

interface MemoEntry<T> {
  of: readonly unknown[];
  value: T;
}

/** Values that are computed from inputs, kept by name until an input is a different object or primitive. */
export class MemoByInputs<T> {
  readonly #made: BoundedMap<MemoEntry<T>>;

  /** `capacity`: names at most; beyond it the one computed longest ago is removed. */
  constructor(capacity: number) {
    this.#made = new BoundedMap(capacity);
  }

  /** Returns the value of a name, computed by the pure `make` when it is new or an input differs. */
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
