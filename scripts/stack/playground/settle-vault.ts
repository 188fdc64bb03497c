import { type Abi, type Address, createPublicClient, getAbiItem, http, type PublicClient } from "viem";
import { z } from "zod";
import { lagoonVaultAbi } from "#stand-ins/erc7540";
import { mellowDepositQueueAbi } from "#stand-ins/mellow";
import { midasDepositVaultAbi } from "#stand-ins/midas";
import { UsageError } from "../../command.ts";
import { settleRequests } from "../chains/settle-requests.ts";
import { requestApi } from "../demo/api.ts";
import { chainIn, type StackManifest, type StackVault } from "../manifest.ts";
import { awaitMined } from "./await-mined.ts";
import { redeemsLater, settleRedemptions } from "./settle-redemptions.ts";

const Entry = z.object({ deposit_router: z.templateLiteral(["0x", z.string()]) });

/** Events of a deposit request, and their argument with the account, by adapter. */
const requestEvents: Readonly<Record<string, { abi: Abi; events: readonly string[]; account: string }>> = {
  lagoon: { abi: lagoonVaultAbi, events: ["DepositRequest"], account: "controller" },
  centrifuge: { abi: lagoonVaultAbi, events: ["DepositRequest"], account: "controller" },
  mellow: { abi: mellowDepositQueueAbi, events: ["DepositRequested"], account: "account" },
  midas: {
    abi: midasDepositVaultAbi,
    events: ["DepositRequest", "DepositRequestWithCustomRecipient"],
    account: "user",
  },
};

/**
 * Settles all open requests of the vault with this id, as its operator does, and returns the lines to print. Throws
 * `UsageError` for an unknown vault and for one without requests.
 */
export async function settleVault(stack: StackManifest, [id = ""]: readonly string[]): Promise<string[]> {
  const { vault, target, client, rpcUrl } = await openVault(stack, id);
  const { adapter, chain_id: chainId } = vault;
  const redeemed = await settleRedemptions({ vault, rpcUrl });
  const lines = redeemed.map((user) => `${vault.name}: settled the redemption of ${user}`);
  const deposits = settlesLater(vault) ? await requesters(client, { adapter, target }) : [];
  for (const user of deposits) {
    if (!(await isOpen(client, { adapter, target, user }))) continue;
    const hashes = await settleRequests({ chainId, rpcUrl, adapter, target, user });
    for (const hash of hashes) await awaitMined(rpcUrl, hash);
    if (hashes.length > 0) lines.push(`${vault.name}: settled the request of ${user}`);
  }
  return lines.length > 0 ? lines : [`${vault.name}: no request is open`];
}

async function openVault(stack: StackManifest, id: string) {
  const vault = stack.vaults.find(({ vault_id }) => vault_id === id.toLowerCase());
  if (vault === undefined)
    throw new UsageError(`no vault '${id}': npm run stack -- status lists those that settle later`);
  if (!settlesLater(vault) && !redeemsLater(vault))
    throw new UsageError(`${vault.name} settles each deposit and withdrawal at once`);
  const { deposit_router: target } = await requestApi(`${stack.api}/v1/vaults/${vault.vault_id}`, {
    schema: Entry,
  });
  const { rpc_url: rpcUrl } = chainIn(stack, vault.chain_id);
  const client = createPublicClient({ transport: http(rpcUrl, { retryCount: 0 }), cacheTime: 0 });
  return { vault, target, client, rpcUrl };
}

/** Returns true for a vault whose deposits are requests. */
export const settlesLater = ({ scenario }: Pick<StackVault, "scenario">): boolean => scenario === "requests";

/** Returns all accounts that have requested a deposit, without duplicates. */
async function requesters(
  client: PublicClient,
  { adapter, target }: { adapter: string; target: Address },
): Promise<Address[]> {
  const known = requestEvents[adapter];
  if (known === undefined) throw new Error(`the adapter ${adapter} has no requests to settle`);
  const events = known.events.map((name) => {
    const event = getAbiItem({ abi: known.abi, name });
    if (event?.type !== "event") throw new Error(`the ABI of ${adapter} has no event ${name}`);
    return event;
  });
  const logs = await client.getLogs({ address: target, events, fromBlock: 0n });
  const accounts = logs.map(({ args }) => (args as Record<string, unknown>)[known.account] as Address);
  return [...new Set(accounts)];
}

/**
 * Returns true if an account's request is not settled yet. For Midas always true, because its approvals skip settled
 * requests.
 */
async function isOpen(
  client: PublicClient,
  { adapter, target, user }: { adapter: string; target: Address; user: Address },
): Promise<boolean> {
  if (adapter === "midas") return true;
  if (adapter !== "mellow") {
    const on = { address: target, abi: lagoonVaultAbi, functionName: "pendingDepositRequest" } as const;
    return (await client.readContract({ ...on, args: [0n, user] })) > 0n;
  }
  const on = { address: target, abi: mellowDepositQueueAbi } as const;
  const [[, assets], claimable] = await Promise.all([
    client.readContract({ ...on, functionName: "requestOf", args: [user] }),
    client.readContract({ ...on, functionName: "claimableOf", args: [user] }),
  ]);
  return assets > 0n && claimable === 0n;
}
