import type { Context } from "../context.ts";
import { describeError } from "../lib/logger.ts";
import { depositRouterAddress, depositRouterCodeHash } from "../router/router-address.ts";
import type { Chain } from "../schemas/chain-schema.ts";
import { isRouterDeployed } from "../vaults/vault-deposit-entry.ts";

/**
 * Lists the chains that this deployment serves. A chain's DepositRouter address and code hash are null if the Router's
 * code was not found there or could not be read; `complete` is false if it could not be read on some chain. Never
 * throws.
 */
export async function listChains(ctx: Context): Promise<{ chains: Chain[]; complete: boolean }> {
  const definitions = [...ctx.chains.definitions.values()];
  let complete = true;
  const chains = await Promise.all(
    definitions.map(async (chain) => {
      const deployed = await isRouterDeployed(ctx, chain.chainId).catch((error: unknown) => {
        ctx.log.warn("router_unreadable", { chain_id: chain.chainId, error: describeError(error) });
        complete = false;
        return false;
      });
      return {
        chain_id: chain.chainId,
        name: chain.name,
        key: chain.key,
        explorer: chain.explorer,
        native_symbol: chain.native.symbol,
        deposit_router: deployed ? depositRouterAddress : null,
        router_code_hash: deployed ? depositRouterCodeHash : null,
      };
    }),
  );
  return { chains, complete };
}
