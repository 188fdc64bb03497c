import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

test("the committed ERC-7730 descriptors are those of the committed Router", () => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/router/clear-signing.ts", "--check"], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(status).toBe(0);
});
