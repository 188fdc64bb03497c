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

/**
 * Makes a value of code that is evaluated when it is first needed, and keeps it for the isolate's life. `load` is a
 * dynamic import: the bundle stays one file, but what no static import reaches takes no part in the isolate's start.
 * Each caller awaits an import of its own: workerd may drop a promise that belongs to another request.
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
