import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bootStack, type Stack } from "../../scripts/stack/boot.ts";
import { demonstrateDeposit } from "../../scripts/stack/demo/deposit.ts";
import { describeDeposit } from "../../scripts/stack/demo/describe-deposit.ts";
import type { StackManifest } from "../../scripts/stack/manifest.ts";
import { findPort, StackError } from "../../scripts/stack/processes/port.ts";
import { DELIVERY_POLLING } from "../support/stack/bridged.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await bootStack({ quiet: true });
});
afterAll(() => stack.close());

describe("bootStack()", () => {
  test("writes a manifest with the addresses of all parts", async () => {
    const manifest = JSON.parse(readFileSync(stack.file, "utf8")) as StackManifest;
    expect(manifest).toEqual(JSON.parse(JSON.stringify(stack.manifest)));
    expect(manifest.accounts).toHaveLength(10);
    expect(manifest.admin_token.length).toBeGreaterThanOrEqual(32);
    expect(manifest.vaults.every(({ vault_id }) => /^3133[78]:0x[0-9a-f]{40}$/.test(vault_id))).toBe(true);
    expect(manifest.chains.map(({ contracts }) => contracts.multicall3 === null)).toEqual([false, true]);
    const { neon, upstash, rpc } = manifest.emulators;
    for (const url of [neon, upstash, ...Object.values(rpc)])
      expect((await fetch(`${url}/__control`)).status).toBe(200);
  });

  test("serves the Worker, which reports database, Redis and nodes as ready", async () => {
    // A store that once takes long, on a busy machine, counts as one that does not respond.
    const ready = async () => {
      const response = await fetch(`${stack.manifest.api}/health/ready`);
      return { code: response.status, ...((await response.json()) as { status: string }) };
    };
    await expect.poll(ready).toMatchObject({ code: 200, status: "ok" });
  });

  test("rejects a port in use with a message that names it", async () => {
    const port = Number(new URL(stack.manifest.api).port);
    await expect(bootStack({ port, quiet: true })).rejects.toThrow(
      `port ${port} is already in use: stop what is using it, or choose another with --port`,
    );
  });

  test("completes a deposit made with the API alone", async () => {
    const demonstration = await demonstrateDeposit(stack.manifest, DELIVERY_POLLING.timeout);
    expect(demonstration.status).toMatchObject({ status: "DONE", substatus: "COMPLETED" });
    const gained = (demonstration.after?.share_balance ?? 0n) - (demonstration.before?.share_balance ?? 0n);
    expect(gained).toBeGreaterThanOrEqual(demonstration.built.estimate.min_shares ?? 1n);
    const labels = describeDeposit(demonstration).map(([label]) => label);
    expect(labels).toEqual(
      expect.arrayContaining(["vault", "approval", "transaction", "shares", "position"]),
    );
  });

  test("ends every process when the parent is killed", async () => {
    const module = join(import.meta.dirname, "../../scripts/stack/boot.ts");
    const code = `const { bootStack } = await import(${JSON.stringify(module)});
      console.log(JSON.stringify((await bootStack({ quiet: true })).manifest));`;
    const parent = spawn(process.execPath, ["--input-type=module", "-e", code]);
    // The manifest is longer than what a pipe passes on at once.
    const [line] = (await once(createInterface(parent.stdout), "line")) as [string];
    const { api, emulators, chains } = JSON.parse(line) as StackManifest;
    expect((await fetch(`${api}/health`)).status).toBe(200);
    parent.kill("SIGKILL");
    const urls = [api, emulators.neon, emulators.upstash, ...chains.map(({ rpc_url }) => rpc_url)];
    for (const url of urls) await expect.poll(() => fetch(url).then(String, () => "gone")).toBe("gone");
  });

  test("finds free ports below the ephemeral range", async () => {
    const found = await Promise.all(Array.from({ length: 32 }, () => findPort(0)));
    for (const port of found) expect(port).toBeLessThan(32_768);
    expect(new Set(found).size).toBeGreaterThan(28);
  });

  test("rejects a port that is taken during the start and keeps the other stack's manifest", async () => {
    const folder = mkdtempSync(join(tmpdir(), "causeway-boot-"));
    const port = await findPort(0);
    const other = createServer();
    const report = () => {
      if (!other.listening) other.listen(port, "127.0.0.1");
    };
    writeFileSync(join(folder, "stack.json"), "another's");
    const failed = await bootStack({ port, folder, report }).catch((error: unknown) => error);
    other.close();
    expect(failed).toBeInstanceOf(StackError);
    expect(String(failed)).toContain(`port ${port} is already in use: `);
    expect(readFileSync(join(folder, "stack.json"), "utf8")).toBe("another's");
    rmSync(folder, { recursive: true });
  });

  test("ends every process on close", async () => {
    const own = await bootStack({ quiet: true });
    const { api, emulators, chains } = own.manifest;
    await own.close();
    const urls = [api, emulators.neon, emulators.upstash, ...chains.map(({ rpc_url }) => rpc_url)];
    for (const url of urls) await expect(fetch(url)).rejects.toThrow("fetch failed");
    expect(() => readFileSync(own.file)).toThrow("ENOENT");
  });
});
