import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zeroAddress } from "viem";
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
  "runAnvil() writes no block states to disk, and answers from those of the last 100 blocks",
  async () => {
    const chain = await runAnvil();
    onTestFinished(chain.close);
    const balanceAt = (block: number) =>
      rpc(chain.url, "eth_getBalance", zeroAddress, `0x${block.toString(16)}`);
    await rpc(chain.url, "anvil_mine", "0x400");
    expect(await balanceAt(0x400 - 100)).toBe("0x0");
    await expect(balanceAt(1)).rejects.toThrow("BlockOutOfRange");
    await chain.close();
    expect(readdirSync(folder, { recursive: true })).toEqual([]);
  },
);
