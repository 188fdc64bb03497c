/** `npm run providers:check`: compares the providers' contracts in the code with the chains and with LI.FI's API. */

import { Timing } from "../../src/lib/outside-call-timing.ts";
import { RateLimitMemory } from "../../src/providers/lifi/api/lifi-rate-limits.ts";
import { createLifi } from "../../src/providers/lifi/lifi-provider.ts";
import { runCommand } from "../command.ts";
import { openChain } from "../registry/registry-chain.ts";
import { configuredChains } from "../rpc/configured-chains.ts";
import { findMovedContracts, pinnedContracts } from "./pinned-contracts.ts";

/** Prints the differences on one chain and returns their number. An unreadable chain counts as one. */
async function checkChain(chainId: number, rpcUrl: string | null): Promise<number> {
  const contracts = pinnedContracts().filter((contract) => contract.chainId === chainId);
  if (contracts.length === 0) return 0;
  try {
    const moved = await findMovedContracts(await openChain(chainId, rpcUrl), contracts);
    for (const { contract, difference } of moved)
      console.log(`${chainId}  ${contract.name}  ${contract.address}  ${difference}`);
    console.log(`${chainId}  ${contracts.length} contracts, ${moved.length} differ`);
    return moved.length;
  } catch {
    console.log(`${chainId}  unreadable`);
    return 1;
  }
}

/**
 * Prints the chains for which LI.FI's API returns another Diamond address, and returns their number. A failed request
 * counts as one.
 */
async function checkDiamonds(): Promise<number> {
  const now = () => Date.now();
  const lifi = createLifi({
    apiUrl: "https://li.quest/v1",
    apiKey: null,
    integrator: "causeway",
    rateLimits: new RateLimitMemory(),
  });
  try {
    const changed = await lifi.changedDiamonds({ fetch, timing: new Timing(now), now, chain: () => null });
    for (const chainId of changed) console.log(`${chainId}  LI.FI's API names another Diamond`);
    return changed.length;
  } catch {
    console.log("LI.FI's API does not list its contracts");
    return 1;
  }
}

await runCommand(import.meta.filename, {
  help: `Compares the providers' contracts in the code with the chains: whether they have code, and what they say about
each other. Asks LI.FI's API which Diamonds it uses. Sends read requests only. Fails when something moved.

  npm run providers:check [-- --chain N]

  --chain  only this chain, without LI.FI's API
  --help   show this text

Environment: CHAINS as in the deployment; without it, the public nodes listed in the code.`,
  switches: [],
  options: ["chain"],
  run: async (_given, values) => {
    const only = values.get("chain");
    const chains = [...configuredChains().values()].filter(
      ({ chainId }) => only === undefined || `${chainId}` === only,
    );
    if (chains.length === 0) throw new Error(`chain ${only} is not configured`);
    let differences = only === undefined ? await checkDiamonds() : 0;
    for (const { chainId, rpcUrls } of chains) differences += await checkChain(chainId, rpcUrls[0] ?? null);
    if (differences > 0) throw new Error(`providers:check: ${differences} differences`);
  },
});
