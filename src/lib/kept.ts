interface Made<T> {
  of: readonly unknown[];
  value: T;
}

/** What is made of other values, kept by name for as long as those are the very same. */
export class Kept<T> {
  readonly #capacity: number;
  readonly #made = new Map<string, Made<T>>();

  /** Of more than `capacity` names, the one that was made first is forgotten. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Gives the value of this name; `make` is pure, and called when any of what it is made of is another. */
  get(name: string, source: { of: readonly unknown[]; make: () => T }): T {
    const known = this.#made.get(name);
    if (known !== undefined && areSame(known.of, source.of)) return known.value;
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

function areSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, index) => Object.is(value, b[index]));
}
