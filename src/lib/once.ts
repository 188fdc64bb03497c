/**
 * Returns a function that calls `make` on its first call and returns the same value on every later call. It keeps work
 * out of the start of an isolate. If `make` throws, the next call tries again.
 */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * Returns a function that imports a module (`load` is a dynamic import) only when it is called, and returns one value
 * that `make` creates from it. Errors of `load` and `make` propagate; the next call tries again.
 */
export function onceImported<M, T>(load: () => Promise<M>, make: (module: M) => T): () => Promise<T> {
  let made: { value: T } | null = null;
  return async () => {
    if (made !== null) return made.value;
    // Every caller awaits its own import: workerd may drop a promise that belongs to another request.
    const module = await load();
    made ??= { value: make(module) };
    return made.value;
  };
}
