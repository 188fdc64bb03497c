import { z } from "zod";
import { BuiltDeposit } from "../../../src/schemas/quote-schema.ts";
import { sendRequest } from "../../smoke/http-request.ts";
import type { StackManifest } from "../../stack/manifest.ts";
import type { KnownValues } from "./requests.ts";

const NATIVE = ["0x0000000000000000000000000000000000000000", "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"];

/**
 * Collects values that exist on a local stack: vaults, tokens, users, a transaction, and a deposit, which it builds.
 */
export async function readKnownValues(stack: StackManifest): Promise<KnownValues> {
  const users = stack.accounts.map(({ address }) => address);
  const chain = stack.chains[0];
  const vault = stack.vaults.find(({ name }) => name === "Plain USDC");
  if (chain === undefined || vault === undefined) throw new Error("the stack has no vaults");
  const body = {
    from_chain_id: chain.chain_id,
    from_token: chain.contracts.tokens.USDC.address,
    from_amount: "1000000",
    vault_id: vault.vault_id,
    user_address: users[0],
  };
  const built = BuiltDeposit.parse((await sendRequest(`${stack.api}/v1/quote/build`, { body })).json);
  const tokens = stack.chains.flatMap(({ contracts }) => Object.values(contracts.tokens));
  const right = rightBodies(stack);
  const values = {
    from_chain_id: [chain.chain_id, chain.chain_id, ...stack.chains.map(({ chain_id }) => chain_id), 1],
    chain_id: stack.chains.map(({ chain_id }) => chain_id),
    to_chain_id: stack.chains.map(({ chain_id }) => chain_id),
    from_token: [chain.contracts.tokens.USDC.address, ...tokens.map(({ address }) => address), ...NATIVE],
    from_amount: ["1", "1000000", "123456789", "1000000000000000000", "7".repeat(30)],
    vault_id: stack.vaults.map(({ vault_id }) => vault_id),
    user_address: users,
    slippage: [0.001, 0.005, 0.03, 0.5],
    tx_hash: [await lastTransaction(chain.rpc_url), `0x${"0".repeat(64)}`],
    tracking_id: [built.tracking_id, `trk_${"0".repeat(32)}`],
    parent_tracking_id: [built.tracking_id],
    asset: ["USDC", "weth", chain.contracts.tokens.USDC.address],
    referrer: users,
  };
  return { values, bodies: { "quotes.get": right, "quotes.build": right } };
}

/** Valid build requests: a deposit into each vault in its own asset. */
function rightBodies(stack: StackManifest): Record<string, unknown>[] {
  return stack.vaults.flatMap((vault) => {
    const chain = stack.chains.find(({ chain_id }) => chain_id === vault.chain_id);
    const token = chain?.contracts.tokens[vault.asset_symbol];
    if (token === undefined) return [];
    return stack.accounts.slice(0, 2).map(({ address }) => ({
      from_chain_id: vault.chain_id,
      from_token: token.address,
      from_amount: String(123n * 10n ** BigInt(token.decimals)),
      vault_id: vault.vault_id,
      user_address: address,
    }));
  });
}

const Block = z.object({ result: z.object({ transactions: z.array(z.string()) }) });

async function lastTransaction(rpcUrl: string): Promise<string> {
  const body = { jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: ["0x2", false] };
  const { result } = Block.parse((await sendRequest(rpcUrl, { body })).json);
  return result.transactions[0] ?? `0x${"1".repeat(64)}`;
}
