import { keccak256 } from "viem";
import * as z from "zod";
import { RpcData } from "../chains/rpc-values.ts";
import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../lib/durations.ts";
import { depositRouterAddress, depositRouterCodeHash } from "../router/address.ts";

const RouterDeployment = z.object({ deployed: z.boolean(), at: z.number() });

/**
 * Returns true when the chain has our Router's exact bytecode. A true is cached for a day, a false for a
 * minute because the Router may be deployed meanwhile. Throws `chain_unsupported` and errors of the RPC
 * nodes.
 */
export async function isRouterDeployed(ctx: Context, chainId: number): Promise<boolean> {
  const { value } = await ctx.cache.cached({
    key: `router:${chainId}:${depositRouterCodeHash}`,
    schema: RouterDeployment,
    freshMs: HOUR_MS,
    staleMs: DAY_MS,
    keepMs: DAY_MS,
    load: async () => {
      const client = ctx.chains.client(chainId);
      if (client === null) throw failure("chain_unsupported", `chain ${chainId} is not served`);
      const params = [depositRouterAddress, "latest"];
      const code = await client.ask({
        method: "eth_getCode",
        params,
        read: (told) => RpcData.parse(told),
      });
      return { deployed: code !== "0x" && keccak256(code) === depositRouterCodeHash, at: ctx.now() };
    },
  });
  if (!value.deployed && ctx.now() - value.at > MINUTE_MS)
    await ctx.cache.drop(`router:${chainId}:${depositRouterCodeHash}`);
  return value.deployed;
}
