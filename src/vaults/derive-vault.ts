import type { Address } from "viem";
import { runQuery } from "../chains/aggregate.ts";
import type { ChainClient } from "../chains/client.ts";
import { RpcData } from "../chains/rpc-values.ts";
import type { DerivationSubject } from "./derivation.ts";
import { type Derivation, underivable } from "./derivation.ts";
import { deriverOf } from "./families.ts";

/**
 * Derives a vault from its chain: nobody types an address in. Each contract that a deposit would touch must
 * carry code. Throws what the chain client throws.
 */
export async function deriveFromChain(
  client: ChainClient,
  input: { adapter: string; subject: DerivationSubject },
): Promise<Derivation> {
  const deriver = deriverOf(input.adapter);
  if (deriver === null) return underivable(`the adapter ${input.adapter} derives no addresses`);
  const { value } = await runQuery(client, deriver.derive(input.subject));
  if (!value.ok) return value;
  const { vault } = value;
  const touched = [vault.entryPoint, vault.spender, vault.shareToken, vault.pricer, vault.asset.address];
  const bare = await findAddressWithoutCode(client, touched);
  return bare === null ? value : underivable(`there is no contract at ${bare}`);
}

/** The first of some addresses at which the chain has no code; null: all have. */
async function findAddressWithoutCode(
  client: ChainClient,
  addresses: readonly Address[],
): Promise<Address | null> {
  const distinct = [...new Set(addresses)];
  const codes = await Promise.all(
    distinct.map(async (address) => RpcData.parse(await client.request("eth_getCode", [address, "latest"]))),
  );
  return distinct.find((_, index) => codes[index] === "0x") ?? null;
}
