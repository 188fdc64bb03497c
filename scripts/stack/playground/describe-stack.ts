import type { Hex } from "viem";
import { rpc } from "../chains/json-rpc.ts";
import type { StackManifest, StackVault } from "../manifest.ts";
import { emulatorsOf } from "./set-fault.ts";
import { redeemsLater } from "./settle-redemptions.ts";
import { settlesLater } from "./settle-vault.ts";

/**
 * Returns the state of a running stack in lines: the API's health, the chains' heads, vaults that settle later and
 * active faults. Throws if the API does not answer.
 */
export async function describeStack(stack: StackManifest): Promise<string[]> {
  const { api, chains, vaults } = stack;
  const ready = await fetch(`${api}/health/ready`).catch(() => null);
  await ready?.arrayBuffer();
  if (ready === null) throw new Error(`no stack is running: ${api} does not answer; start it with npm start`);
  const heads = await Promise.all(
    chains.map(async ({ chain_id, name, rpc_url }) => {
      const block = BigInt((await rpc(rpc_url, "eth_blockNumber")) as Hex);
      return row(`chain ${chain_id}`, `${name}, block ${block}, ${rpc_url}`);
    }),
  );
  const named = (label: string, which: (vault: StackVault) => boolean) =>
    vaults.filter(which).map(({ vault_id, name }) => row(label, `${vault_id}  ${name}`));
  const faults = await Promise.all(Object.entries(emulatorsOf(stack)).map(describeFaults));
  return [
    row("api", `${api}, ${ready.ok ? "ready" : `not ready (${ready.status})`}`),
    ...heads,
    row("vaults", `${vaults.length}`),
    ...named("settles later", settlesLater),
    ...named("redeems later", (vault) => redeemsLater(vault) && !settlesLater(vault)),
    ...faults,
    ...(stack.edge_cache === null ? [] : [await describeEdgeCache(stack.edge_cache)]),
  ];
}

async function describeEdgeCache(url: string): Promise<string> {
  const seen = (await (await fetch(url)).json()) as {
    stored: string[];
    requests: number;
    worker_requests: number;
  };
  return row(
    "edge cache",
    `${seen.stored.length} stored, ${seen.requests} requests, ${seen.worker_requests} of them to the Worker, ${url}`,
  );
}

async function describeFaults([name, url]: [string, string]): Promise<string> {
  const response = await fetch(`${url}/__control`);
  const { faults, relayer } = (await response.json()) as {
    faults: object[];
    relayer: { mode: string; delay_ms: number };
  };
  const bridging = name === "lifi" || name === "across";
  const told = faults.length === 0 ? "no faults" : `faults ${JSON.stringify(faults)}`;
  const mode = bridging ? `, relayer: ${relayer.mode}, ${relayer.delay_ms} ms` : "";
  return row(name, `${told}${mode}`);
}

const row = (label: string, text: string): string => `${label.padEnd(15)}${text}`;
