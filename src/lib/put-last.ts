/** Puts an entry behind all others of a map; where they are more than `capacity` then, the first one goes. */
export function putLast<T>(map: Map<string, T>, put: { key: string; value: T; capacity: number }): void {
  map.delete(put.key);
  map.set(put.key, put.value);
  if (map.size <= put.capacity) return;
  const first = map.keys().next();
  if (!first.done) map.delete(first.value);
}
