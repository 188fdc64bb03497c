/**
 * Returns a function that computes a value on its first call and keeps it for the isolate's life, so that the
 * isolate's start does not pay for it. `make` is pure; when it throws, the next call tries again.
 */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * Returns a function that loads a module on its first call and keeps the value made from it for the isolate's life.
 * `load` is a dynamic import: the bundle stays one file, but the module is not evaluated at the isolate's start. Each
 * caller awaits an import of its own, because workerd may drop a promise that belongs to another request.
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
