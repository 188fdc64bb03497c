/** `npm run rpc:check`: tests the capabilities of every configured node. */
import { runCommand } from "../command.ts";
import { checkNode, type NodeReport } from "./check-node.ts";
import { configuredChains } from "./configured-chains.ts";

const COLUMNS = [22, 34, 11, 7, 9, 10, 9, 7] as const;
const line = (cells: readonly string[]): string =>
  cells
    .map((cell, i) => cell.padEnd(COLUMNS[i] ?? 0))
    .join(" ")
    .trimEnd();

function rowOf(name: string, { host, report }: { host: string; report: NodeReport }): string {
  const { head, ageS, logRange, overrides, simulates, ms } = report;
  if (report.problem !== null) return line([name, host, report.problem]);
  const yes = (can: boolean) => (can ? "yes" : "no");
  const numbers = [`${head}`, `${ageS} s`, logRange === null ? "none" : `${logRange}`];
  return line([name, host, ...numbers, yes(overrides), yes(simulates), `${ms}`]);
}

await runCommand(import.meta.filename, {
  help: `Tests every node of every configured chain: chain id, head, log range, code overrides and simulation.
Sends read requests only. Fails when a node does not respond or serves another chain.

  npm run rpc:check [-- --chain N] [-- --dry-run]

  --chain    only this chain
  --dry-run  only list the nodes' hosts; the rest of a URL may hold an API key
  --help     show this text

Environment: CHAINS as in the deployment; without it, the public nodes listed in the code.`,
  switches: ["dry-run"],
  options: ["chain"],
  run: async (given, values) => {
    const only = values.get("chain");
    const chains = [...configuredChains().values()].filter(
      ({ chainId }) => only === undefined || `${chainId}` === only,
    );
    if (chains.length === 0) throw new Error(`chain ${only} is not configured`);
    console.log(line(["chain", "node", "head", "age", "logs", "overrides", "simulate", "ms"]));
    let failures = 0;
    for (const { chainId, name, rpcUrls } of chains) {
      const label = `${name} ${chainId}`;
      for (const url of rpcUrls) {
        const { host } = new URL(url);
        if (given.has("dry-run")) {
          console.log(line([label, host]));
          continue;
        }
        const report = await checkNode({ url, chainId, now: Date.now() });
        if (report.problem !== null) failures += 1;
        console.log(rowOf(label, { host, report }));
      }
    }
    if (failures > 0) throw new Error(`rpc:check: ${failures} unusable nodes`);
  },
});
