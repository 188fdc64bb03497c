/**
 * Makes a value when it is first asked for and keeps it for the isolate's life: what costs time to make and what not
 * every isolate needs takes no part in the start. `make` is pure; when it throws, the next asker tries again.
 */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
