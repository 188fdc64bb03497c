/** `npm run smoke -- --url U`: tests a deployment from outside. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand, wholeNumber } from "./command.ts";
import { ApiContract } from "./smoke/api-contract.ts";
import { planProbes } from "./smoke/probes.ts";
import { smoke } from "./smoke/run-smoke.ts";

const DEFAULT_MAX_MS = "15000";
/** Default maximum lag in blocks: ninety minutes on the fastest supported chain, which has four blocks per second. */
const DEFAULT_MAX_LAG = "20000";

function listPlan(): void {
  const file = join(import.meta.dirname, "../openapi.json");
  const { operations } = new ApiContract(JSON.parse(readFileSync(file, "utf8")));
  for (const { name, path, request, expected } of planProbes(operations, { vaultId: "<vault>", chainId: 1 }))
    console.log(`${name.padEnd(32)} ${request.method ?? "GET"} ${path} -> ${expected.join(" or ")}`);
}

await runCommand(import.meta.filename, {
  help: `Calls every operation of a deployment once and compares the answers with its OpenAPI document.
Writes nothing, needs no credentials, and prints one line per check.

  npm run smoke -- --url https://… [--max-ms ${DEFAULT_MAX_MS}] [--max-lag ${DEFAULT_MAX_LAG}]
  npm run smoke -- --dry-run

  --url      the deployment's origin
  --max-ms   longest acceptable response time in milliseconds
  --max-lag  largest acceptable lag of a chain's index, in blocks
  --dry-run  only list the requests
  --help     show this text`,
  switches: ["dry-run"],
  options: ["url", "max-ms", "max-lag"],
  run: async (given, values) => {
    if (given.has("dry-run")) return listPlan();
    const maxMs = wholeNumber({ option: "max-ms", given: values.get("max-ms") ?? DEFAULT_MAX_MS });
    const maxLag = wholeNumber({ option: "max-lag", given: values.get("max-lag") ?? DEFAULT_MAX_LAG });
    const url = values.get("url")?.replace(/\/$/, "");
    if (url === undefined) throw new Error("--url is missing");
    const findings = await smoke({ url, maxMs, maxLag });
    for (const { name, status, ms, problems } of findings) {
      const verdict = problems.length === 0 ? "ok" : problems.join("; ");
      console.log(
        `${name.padEnd(32)} ${String(status ?? "-").padStart(3)} ${ms.toFixed(0).padStart(6)} ms  ${verdict}`,
      );
    }
    const failed = findings.filter(({ problems }) => problems.length > 0).length;
    if (failed > 0) throw new Error(`smoke: ${failed} of ${findings.length} checks failed`);
    console.log(`smoke: ${findings.length} checks passed`);
  },
});
