/** Process that runs the chains: one anvil each, with all contracts deployed. */
import type { Address } from "viem";
import { serveParent } from "../processes/serve.ts";
import { type Anvil, resumeAnvil, saveAnvil, startAnvil } from "./anvil.ts";
import { type DeployedChain, deployChain } from "./deploy-chain.ts";
import { rpc } from "./json-rpc.ts";
import { mineWhenIdle } from "./mine-when-idle.ts";
import { chainPlans } from "./plan.ts";

const anvils = new Map<number, Anvil>();
const hearts: NodeJS.Timeout[] = [];

/** Starts the chains, empty or from the files of their states by chain id. */
async function start(
  states: Readonly<Record<number, string>> | null,
): Promise<{ chainId: number; url: string; pid: number }[]> {
  return Promise.all(
    chainPlans.map(async ({ chainId }) => {
      const state = states?.[chainId];
      const anvil = state === undefined ? await startAnvil(chainId) : await resumeAnvil(chainId, state);
      anvils.set(chainId, anvil);
      return { chainId, url: anvil.url, pid: anvil.pid };
    }),
  );
}

async function deploy(accounts: readonly Address[]): Promise<DeployedChain[]> {
  return Promise.all(
    chainPlans.map(async (plan) => {
      const url = anvils.get(plan.chainId)?.url ?? "";
      const deployment = await deployChain(url, { plan, accounts });
      hearts.push(mineWhenIdle(url));
      return deployment;
    }),
  );
}

/** Mines a block on each resumed chain, whose clock is now the wall clock. */
async function resume(): Promise<void> {
  for (const { url } of anvils.values()) {
    await rpc(url, "evm_mine");
    hearts.push(mineWhenIdle(url));
  }
}

/** Saves the states of the chains to files by chain id. */
async function save(states: Readonly<Record<number, string>>): Promise<void> {
  await Promise.all([...anvils].map(([chainId, { url }]) => saveAnvil(url, states[chainId] ?? "")));
}

serveParent({ start, deploy, resume, save }, async () => {
  for (const heart of hearts) clearInterval(heart);
  await Promise.all([...anvils.values()].map((anvil) => anvil.close()));
});
