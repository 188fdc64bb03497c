import {
  type Abi,
  type Address,
  createPublicClient,
  encodeFunctionData,
  getAbiItem,
  type Hex,
  http,
  isAddressEqual,
  type PublicClient,
} from "viem";
import { accountableVaultAbi } from "#stand-ins/accountable";
import { centrifugeAsyncVaultAbi, lagoonVaultAbi } from "#stand-ins/erc7540";
import { plasmaWithdrawManagerAbi } from "#stand-ins/ipor";
import { mellowRedeemQueueAbi } from "#stand-ins/mellow";
import { simpleLrtAbi } from "#stand-ins/mellow-lrt";
import { midasFeedAbi, midasRedemptionVaultAbi } from "#stand-ins/midas";
import { sendAsDeployer } from "../chains/settle-requests.ts";
import { awaitMined } from "./await-mined.ts";

/** A vault with redemption requests to settle. */
export interface RedeemingVault {
  chainId: number;
  rpcUrl: string;
  adapter: string;
  vault: Address;
}

/** How a family's redemption requests are found and settled. */
interface Recipe {
  abi: Abi;
  /** Event of a request, and its argument with the account. */
  event: string;
  account: string;
  /** View function of the requests' contract that returns the vault, or null if it is the vault itself. */
  vaultView: string | null;
  /** View function that shows whether an account's request is open, or null to settle without checking. */
  open: { view: string; args: (user: Address) => readonly unknown[] } | null;
  settle: (client: PublicClient, of: { target: Address; user: Address }) => Promise<Hex[]>;
}

const settleCall =
  (abi: Abi): Recipe["settle"] =>
  async (_, { user }) => [encodeFunctionData({ abi, functionName: "settle", args: [user] })];
const pending = { view: "pendingRedeemRequest", args: (user: Address) => [0n, user] };
const requested = { event: "RedeemRequest", account: "controller", vaultView: null, open: pending } as const;

const recipes: Readonly<Record<string, Recipe>> = {
  lagoon: { ...requested, abi: lagoonVaultAbi, settle: settleCall(lagoonVaultAbi) },
  centrifuge: { ...requested, abi: centrifugeAsyncVaultAbi, settle: settleCall(centrifugeAsyncVaultAbi) },
  accountable: { ...requested, abi: accountableVaultAbi, settle: settleCall(accountableVaultAbi) },
  mellow: {
    ...{ abi: mellowRedeemQueueAbi, event: "RedeemRequested", account: "account", vaultView: "vault" },
    ...{ open: null, settle: settleCall(mellowRedeemQueueAbi) },
  },
  mellow_lrt: {
    ...{ abi: simpleLrtAbi, event: "Withdraw", account: "owner", vaultView: null },
    open: { view: "pendingAssetsOf", args: (user) => [user] },
    settle: settleCall(simpleLrtAbi),
  },
  ipor: {
    ...{
      abi: plasmaWithdrawManagerAbi,
      event: "WithdrawRequestUpdated",
      account: "account",
      vaultView: "vault",
    },
    open: null,
    settle: async () => [encodeFunctionData({ abi: plasmaWithdrawManagerAbi, functionName: "releaseFunds" })],
  },
  midas: {
    ...{ abi: midasRedemptionVaultAbi, event: "RedeemRequest", account: "user", vaultView: "mToken" },
    ...{ open: null, settle: approvals },
  },
};

/** Settles all redemption requests of a vault, as its operator does, and returns the accounts of the requests. */
export async function settleRedemptions(of: RedeemingVault): Promise<Address[]> {
  const recipe = recipes[of.adapter];
  if (recipe === undefined) return [];
  const client = createPublicClient({ transport: http(of.rpcUrl, { retryCount: 0 }), cacheTime: 0 });
  const settled: Address[] = [];
  for (const { target, user } of await openRequests(client, { ...of, recipe })) {
    const calls = await recipe.settle(client, { target, user });
    for (const data of calls) await awaitMined(of.rpcUrl, await sendAsDeployer({ ...of, target }, data));
    if (calls.length > 0) settled.push(user);
  }
  return settled;
}

/** True for a family whose redemptions can be settled. */
export const redeemsLater = ({ adapter }: { adapter: string }): boolean => adapter in recipes;

async function openRequests(
  client: PublicClient,
  { vault, recipe }: RedeemingVault & { recipe: Recipe },
): Promise<{ target: Address; user: Address }[]> {
  const { abi, vaultView } = recipe;
  const event = getAbiItem({ abi, name: recipe.event });
  if (event?.type !== "event") throw new Error(`the ABI has no event ${recipe.event}`);
  const where = vaultView === null ? { address: vault } : {};
  const logs = await client.getLogs({ ...where, event, fromBlock: 0n });
  const asked = new Map(
    logs.map(({ address, args }) => {
      const user = (args as Record<string, unknown>)[recipe.account] as Address;
      return [`${address}/${user}`, { target: address, user }] as const;
    }),
  );
  const open: { target: Address; user: Address }[] = [];
  for (const one of asked.values()) {
    const on = { address: one.target, abi } as const;
    const named = vaultView === null ? vault : await client.readContract({ ...on, functionName: vaultView });
    if (!isAddressEqual(named as Address, vault)) continue;
    const { view, args } = recipe.open ?? {};
    const amount =
      view === undefined || args === undefined
        ? 1n
        : await client.readContract({ ...on, functionName: view, args: [...args(one.user)] });
    if ((amount as bigint) > 0n) open.push(one);
  }
  return open;
}

/** Encodes approvals of all pending redemptions of a user, at the mToken feed's rate. */
async function approvals(
  client: PublicClient,
  { target, user }: { target: Address; user: Address },
): Promise<Hex[]> {
  const on = { address: target, abi: midasRedemptionVaultAbi } as const;
  const count = await client.readContract({ ...on, functionName: "nextRequestId" });
  const feed = await client.readContract({ ...on, functionName: "mTokenDataFeed" });
  const price = { address: feed, abi: midasFeedAbi, functionName: "getDataInBase18" } as const;
  const rate = await client.readContract(price);
  const calls: Hex[] = [];
  for (let id = 0n; id < count; id += 1n) {
    const [sender, , status] = await client.readContract({
      ...on,
      functionName: "redeemRequests",
      args: [id],
    });
    if (status !== 0 || !isAddressEqual(sender, user)) continue;
    calls.push(encodeFunctionData({ ...on, functionName: "approveRequest", args: [id, rate] }));
  }
  return calls;
}
