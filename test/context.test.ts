import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { composeApp } from "../src/app.ts";
import { createRuntime } from "../src/context.ts";
import { bindings } from "./support/context.ts";

const lines: Record<string, unknown>[] = [];
beforeEach(() => {
  lines.length = 0;
  vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(JSON.parse(line)));
});
afterEach(() => {
  vi.restoreAllMocks();
});

test.each([
  ["a missing variable", { DATABASE_URL: undefined }, "configuration: missing or invalid: DATABASE_URL"],
  [
    "wrong ones",
    { PUBLIC_URL: "not-an-0rigin", ADMIN_TOKEN: "t00-short" },
    "configuration: missing or invalid: PUBLIC_URL, ADMIN_TOKEN",
  ],
  ["a chain that lacks its settings", { CHAINS: '[{"chain_id":424242}]' }, expect.stringContaining("424242")],
])("createRuntime() throws and logs the name for %s", (_what, change, error) => {
  expect(() => createRuntime({ ...bindings, ...change })).toThrow(
    expect.objectContaining({ code: "internal" }),
  );
  expect(lines).toEqual([{ level: "error", event: "not_started", error }]);
  expect(JSON.stringify(lines)).not.toMatch(/pa55word|redis-t0ken|0rigin|t00/);
});

test("every request answers and logs a missing variable until it is set", async () => {
  const app = composeApp();
  const executionCtx = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} };
  const { DATABASE_URL: _, ...env } = bindings;
  for (const path of ["/v1/vaults", "/health"]) {
    const response = await app.fetch(
      new Request(`https://causeway.example${path}`),
      env,
      executionCtx as unknown as ExecutionContext,
    );
    expect([response.status, await response.json()]).toEqual([
      500,
      expect.objectContaining({
        code: "internal",
        detail: "configuration: missing or invalid: DATABASE_URL",
      }),
    ]);
  }
  expect(lines.map(({ event }) => event)).toEqual(["not_started", "not_started"]);
});

test("createRuntime() starts without a log line when complete", () => {
  expect(createRuntime(bindings).config.publicUrl).toBe("https://causeway.example");
  expect(lines).toEqual([]);
});
