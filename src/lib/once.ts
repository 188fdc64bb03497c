/**
 * Returns a function that computes a value on its first call, which makes the isolate start faster, and keeps it for
 * the isolate's lifetime. `make` must be pure; if it throws, the next call tries again.
 */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * Returns a function that imports a module on its first call and keeps the value made from it for the isolate's
 * lifetime. `load` is a dynamic import: the bundle stays one file, but the module is not evaluated when the isolate
 * starts. Every caller awaits its own import until the value exists, because workerd may drop a promise that belongs to
 * another request. Errors of `load` and `make` propagate; the next call tries again.
 */
export function onceImported<M, T>(load: () => Promise<M>, make: (module: M) => T): () => Promise<T> {
  let made: { value: T } | null = null;
  return async () => {
    if (made !== null) return made.value;
    const module = await load();
    made ??= { value: make(module) };
    return made.value;
  };
}
