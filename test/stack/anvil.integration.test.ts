import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { runAnvil } from "../../scripts/stack/chains/anvil.ts";
import { rpc } from "../../scripts/stack/chains/json-rpc.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "causeway-test-"));
  vi.stubEnv("TMPDIR", folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

// Windows uses another variable for its temporary folder.
test.skipIf(process.platform === "win32")(
  "runAnvil() removes anvil's state files when the chain is closed",
  async () => {
    const chain = await runAnvil();
    onTestFinished(chain.close);
    await rpc(chain.url, "anvil_mine", "0x400");
    const states = readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith(".json"));
    expect(states.length).toBeGreaterThan(100);
    await chain.close();
    expect(readdirSync(folder)).toEqual([]);
  },
);
