import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Ajv from "ajv";
import { describe, expect, test } from "vitest";
import { experimental_readRawConfig as readConfig } from "wrangler";
import { depositRoutes } from "../../src/routes/deposits-routes.ts";
import { VaultType } from "../../src/schemas/vault-schema.ts";

/** Maximum size of the minified bundle in MiB. */
const MAX_MIB = 1.6;

test("wrangler accepts the configuration, previews included, without a warning", () => {
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
    for (const binding of ["env.FLOWS", "env.FOLLOWING", "env.LIMIT_600", "env.ASSETS"])
      expect(said).toContain(binding);
    const worker = readFileSync(join(outdir, "worker.js"), "utf8");
    expect(worker).not.toContain("globalThis.process");
    // Descriptions of fields and operations are only in the document.
    const document = readFileSync("openapi.json", "utf8");
    const [field = "", operation = ""] = [VaultType.meta()?.description, depositRoutes[0]?.description];
    for (const text of [field, operation]) {
      expect(document).toContain(text);
      expect(text.length).toBeGreaterThan(10);
      expect(worker).not.toContain(text);
    }
    expect(Number(/Total Upload: ([\d.]+) KiB/.exec(said)?.[1]) / 1024).toBeLessThan(MAX_MIB);
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
});

describe("wrangler.toml against wrangler's schema", () => {
  const schema = JSON.parse(readFileSync("node_modules/wrangler/config-schema.json", "utf8")) as object;
  const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(schema);
  const { rawConfig } = readConfig({ config: "wrangler.toml" });
  /** Returns the paths of invalid settings. */
  const findings = (change: object = {}): (string | undefined)[] => {
    validate({ ...rawConfig, ...change });
    return (validate.errors ?? []).map(({ instancePath }) => instancePath);
  };

  test("has only known keys", () => {
    expect(Object.keys(rawConfig)).toEqual(expect.arrayContaining(["placement", "limits", "previews"]));
    expect(findings()).toEqual([]);
  });

  test.each<[path: string, change: object]>([
    ["/limits/cpu_ms", { limits: { cpu_ms: "30000" } }],
    ["/limits", { limits: { cpu: 1 } }],
    ["/placement", { placement: { zone: "aws:us-east-1" } }],
    ["/previews", { previews: { crons: [] } }],
    ["", { crons: [] }],
  ])("reports a planted defect at %j", (path, change) => {
    expect(findings(change)).toContain(path);
  });
});
