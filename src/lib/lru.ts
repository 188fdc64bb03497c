/** Puts an entry behind all others of a map; where they are more than `capacity` then, the first one goes. */
export function setNewest<T>(map: Map<string, T>, put: { key: string; value: T; capacity: number }): void {
  map.delete(put.key);
  map.set(put.key, put.value);
  if (map.size <= put.capacity) return;
  const first = map.keys().next();
  if (!first.done) map.delete(first.value);
}

interface MemoEntry<T> {
  of: readonly unknown[];
  value: T;
}

/** What is made of other values, kept by name for as long as those are the very same. */
export class MemoByInputs<T> {
  readonly #capacity: number;
  readonly #made = new Map<string, MemoEntry<T>>();

  /** Of more than `capacity` names, the one that was made first is forgotten. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Gives the value of this name; `make` is pure, and called when any of what it is made of is another. */
  get(name: string, source: { of: readonly unknown[]; make: () => T }): T {
    const known = this.#made.get(name);
    if (known !== undefined && sameInputs(known.of, source.of)) return known.value;
    const value = source.make();
    this.#made.delete(name);
    this.#made.set(name, { of: source.of, value });
    if (this.#made.size > this.#capacity) {
      const oldest = this.#made.keys().next();
      if (!oldest.done) this.#made.delete(oldest.value);
    }
    return value;
  }
}

function sameInputs(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, index) => Object.is(value, b[index]));
}
