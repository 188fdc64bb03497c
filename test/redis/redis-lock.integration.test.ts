import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";

let causeway: TestDeployment;

beforeAll(async () => {
  causeway = await startTestDeployment();
});
afterAll(() => causeway?.close());

test("extendIfEqual() renews a lock for its holder only, and takes one that has expired", async () => {
  const { redis } = causeway.isolate().context();
  expect(await redis.setIfAbsent("lock:job:one", "holder", 60_000)).toBe(true);
  expect(await redis.extendIfEqual("lock:job:one", "holder", 60_000)).toBe(true);
  expect(await redis.extendIfEqual("lock:job:one", "another", 60_000)).toBe(false);
  expect(await redis.get("lock:job:one")).toBe("holder");
  await redis.delete("lock:job:one");
  expect(await redis.extendIfEqual("lock:job:one", "holder", 60_000)).toBe(true);
  expect(await redis.setIfAbsent("lock:job:one", "another", 60_000)).toBe(false);
});
