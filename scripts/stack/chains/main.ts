/** Process that runs the chains: one anvil each, with all contracts deployed. */
import type { Address } from "viem";
import { serveParent } from "../processes/serve.ts";
import { type Anvil, startAnvil } from "./anvil.ts";
import { type DeployedChain, deployChain } from "./deploy-chain.ts";
import { mineWhenIdle } from "./mine-when-idle.ts";
import { chainPlans } from "./plan.ts";

const anvils = new Map<number, Anvil>();
const hearts: NodeJS.Timeout[] = [];

async function start(): Promise<{ chainId: number; url: string; pid: number }[]> {
  return Promise.all(
    chainPlans.map(async ({ chainId }) => {
      const anvil = await startAnvil(chainId);
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

serveParent({ start, deploy }, async () => {
  for (const heart of hearts) clearInterval(heart);
  await Promise.all([...anvils.values()].map((anvil) => anvil.close()));
});
