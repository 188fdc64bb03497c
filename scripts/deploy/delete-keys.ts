import { createRedis } from "../../src/redis/redis-client.ts";

const TIMEOUT_MS = 10_000;
const PAGE = 500;

/**
 * Deletes all keys of one deployment from Redis; each is `prefix:…`. Returns their number. The deployment must be gone,
 * because it would write new keys. Throws if the prefix has other characters than letters, digits, `_` and `-`.
 */
export async function deleteKeys(store: { url: string; token: string }, prefix: string): Promise<number> {
  if (!/^[\w-]+$/.test(prefix)) throw new Error(`${prefix} is no prefix of a preview's keys`);
  const redis = createRedis({ ...store, timeoutMs: TIMEOUT_MS });
  // Collected before the first deletion, because SCAN may return a key twice.
  const found = new Set<string>();
  let cursor = "0";
  do {
    const [next, keys] = await redis.scan(cursor, { match: `${prefix}:*`, count: PAGE });
    for (const key of keys) found.add(key);
    cursor = next;
  } while (cursor !== "0");
  const keys = [...found];
  let count = 0;
  for (let start = 0; start < keys.length; start += PAGE)
    count += await redis.unlink(...keys.slice(start, start + PAGE));
  return count;
}
