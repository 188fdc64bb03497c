import {
  type Abi,
  type Address,
  createPublicClient,
  encodeFunctionData,
  type Hex,
  http,
  isAddressEqual,
  numberToHex,
  parseEther,
} from "viem";
import { lagoonVaultAbi } from "#stand-ins/erc7540";
import { mellowDepositQueueAbi } from "#stand-ins/mellow";
import { midasDepositVaultAbi, midasFeedAbi } from "#stand-ins/midas";
import { rpc } from "./json-rpc.ts";
import { chainPlans } from "./plan.ts";

/** A user's deposit request: the vault's adapter and the contract that holds the request. */
export interface DepositRequest {
  chainId: number;
  rpcUrl: string;
  adapter: string;
  target: Address;
  user: Address;
}

/**
 * Settles a user's pending deposit requests at the vault's current price, sent from the deployer, and returns the
 * hashes. Throws an Error for a family without requests.
 */
export async function settleRequests(request: DepositRequest): Promise<Hex[]> {
  const calls = await settling(request);
  const hashes: Hex[] = [];
  for (const data of calls) hashes.push(await sendAsDeployer(request, data));
  return hashes;
}

/** Encodes the calls that settle a user's requests. */
async function settling(request: DepositRequest): Promise<Hex[]> {
  const { adapter, user } = request;
  const settle = (abi: Abi) => [encodeFunctionData({ abi, functionName: "settle", args: [user] })];
  switch (adapter) {
    case "lagoon":
    case "centrifuge":
      return settle(lagoonVaultAbi);
    case "mellow":
      return settle(mellowDepositQueueAbi);
    case "midas":
      return approvals(request);
    default:
      throw new Error(`the adapter ${adapter} has no requests to settle`);
  }
}

/** Encodes approvals of all pending requests of a user, at the mToken feed's rate. */
async function approvals({ rpcUrl, target, user }: DepositRequest): Promise<Hex[]> {
  const client = createPublicClient({ transport: http(rpcUrl, { retryCount: 0 }), cacheTime: 0 });
  const on = { address: target, abi: midasDepositVaultAbi } as const;
  const [count, feed] = await Promise.all([
    client.readContract({ ...on, functionName: "nextRequestId" }),
    client.readContract({ ...on, functionName: "mTokenDataFeed" }),
  ]);
  const rate = await client.readContract({
    address: feed,
    abi: midasFeedAbi,
    functionName: "getDataInBase18",
  });
  const ids = Array.from({ length: Number(count) }, (_, index) => BigInt(index));
  const requests = await Promise.all(
    ids.map((id) => client.readContract({ ...on, functionName: "mintRequests", args: [id] })),
  );
  return ids.flatMap((id, index) => {
    const [sender, , status] = requests[index] ?? [];
    if (sender === undefined || status !== 0 || !isAddressEqual(sender, user)) return [];
    const args = [id, rate] as const;
    return [encodeFunctionData({ abi: midasDepositVaultAbi, functionName: "approveRequest", args })];
  });
}

/**
 * Sends a call from the chain's deployer, who owns its contracts, with `value` in wei, and returns the hash without
 * waiting. Throws for a chain that is not the stack's.
 */
export async function sendAsDeployer(
  {
    chainId,
    rpcUrl,
    target,
    value = 0n,
  }: Pick<DepositRequest, "chainId" | "rpcUrl" | "target"> & { value?: bigint },
  data: Hex,
): Promise<Hex> {
  const plan = chainPlans.find((known) => known.chainId === chainId);
  if (plan === undefined) throw new Error(`chain ${chainId} is not in the stack`);
  await rpc(rpcUrl, "anvil_impersonateAccount", plan.deployer);
  await rpc(rpcUrl, "anvil_setBalance", plan.deployer, numberToHex(value + parseEther("10")));
  const call = { from: plan.deployer, to: target, data, value: numberToHex(value) };
  return (await rpc(rpcUrl, "eth_sendTransaction", call)) as Hex;
}
