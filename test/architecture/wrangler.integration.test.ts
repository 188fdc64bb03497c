import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

test("wrangler takes the configuration, previews included, without a warning", () => {
  const outdir = mkdtempSync(join(tmpdir(), "causeway-wrangler-"));
  try {
    const wrangler = "node_modules/wrangler/bin/wrangler.js";
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [wrangler, "deploy", "--dry-run", "--outdir", outdir],
      { encoding: "utf8", env: { ...process.env, WRANGLER_SEND_METRICS: "false", NO_COLOR: "1" } },
    );
    const said = `${stdout}${stderr}`;
    expect(said).not.toMatch(/WARNING|ERROR|Unexpected fields/);
    expect(status).toBe(0);
    expect(said).toContain("--dry-run: exiting now.");
    for (const binding of ["env.FLOWS", "env.LIMIT_600", "env.ASSETS"]) expect(said).toContain(binding);
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}, 120_000);
