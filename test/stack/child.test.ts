import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Child } from "../../scripts/stack/processes/child.ts";

/** A server, which the process below starts and never ends. */
const SERVER = `import { createServer } from "node:http";
createServer((_, response) => response.end()).listen(0, "127.0.0.1", function () {
  process.send(this.address().port);
});`;
/** A process that does not end when its parent asks it to. */
const STUBBORN = `import { fork } from "node:child_process";
const port = new Promise((resolve) => fork("./server.mjs").once("message", resolve));
process.on("message", async ({ id }) => process.send({ id, output: await port }));
process.on("disconnect", () => undefined);
setInterval(() => undefined, 1_000);`;

test("close() ends a process that does not end by itself, with what it has started", async () => {
  const folder = mkdtempSync(join(tmpdir(), "causeway-child-"));
  try {
    const entry = join(folder, "stubborn.mjs");
    writeFileSync(entry, STUBBORN.replace("./server.mjs", join(folder, "server.mjs")));
    writeFileSync(join(folder, "server.mjs"), SERVER);
    const child = new Child({ name: "stubborn", entry, logFile: join(folder, "log") });
    const url = `http://127.0.0.1:${await child.ask<number>("port")}`;
    expect((await fetch(url)).status).toBe(200);
    await child.close();
    await expect.poll(() => fetch(url).then(String, () => "gone")).toBe("gone");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
