import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bootStack, type Stack } from "../../scripts/stack/boot.ts";
import { demonstrateDeposit } from "../../scripts/stack/demo/deposit.ts";
import { KeptData } from "../../scripts/stack/kept-data.ts";
import { DELIVERY_POLLING } from "../support/stack/bridged.ts";

const demonstrate = ({ manifest }: Stack) => demonstrateDeposit(manifest, DELIVERY_POLLING.timeout);

/** Runs a stack that keeps its data in `folder`, and stops it. */
async function runKept<T>(folder: string, work: (stack: Stack) => Promise<T>): Promise<T> {
  const stack = await bootStack({ quiet: true, keep: folder });
  try {
    return await work(stack);
  } finally {
    await stack.close();
  }
}

test("a stack with `keep` goes on where the last one stopped, with chains and database", async () => {
  const parent = mkdtempSync(join(tmpdir(), "causeway-kept-"));
  const folder = join(parent, "kept");
  try {
    const first = await runKept(folder, async (stack) => {
      expect(stack.resumed).toBe(false);
      return demonstrate(stack);
    });
    expect(first.status).toMatchObject({ status: "DONE", substatus: "COMPLETED" });
    expect(readdirSync(parent)).toEqual(["kept"]);

    const { second, deposit } = await runKept(folder, async (stack) => {
      expect(stack.resumed).toBe(true);
      const answer = await fetch(`${stack.manifest.api}/v1/deposits/${first.built.tracking_id}`);
      return { deposit: await answer.json(), second: await demonstrate(stack) };
    });
    expect(deposit).toMatchObject({ state: "completed", source_tx_hash: first.deposit.hash });
    expect(second.before?.share_balance).toBe(first.after?.share_balance);
    expect(second.status).toMatchObject({ status: "DONE", substatus: "COMPLETED" });
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
});

test("nothing is read where nothing is kept", () => {
  expect(new KeptData("/nonexistent").read()).toBeNull();
});
