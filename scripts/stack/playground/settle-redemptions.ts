import {
  type Abi,
  type Address,
  createPublicClient,
  encodeFunctionData,
  getAbiItem,
  getAddress,
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
import { vedaWithdrawQueueAbi } from "#stand-ins/veda";
import {
  cooldownVaultAbi,
  maplePoolAbi,
  maplePoolManagerAbi,
  mapleWithdrawalManagerAbi,
} from "#stand-ins/waiting";
import { sendAsDeployer } from "../chains/settle-requests.ts";
import type { StackVault } from "../manifest.ts";
import { awaitMined } from "./await-mined.ts";

/** A vault with redemption requests to settle, and the node of its chain. */
export interface RedeemingVault {
  vault: Pick<StackVault, "vault_id" | "chain_id" | "adapter" | "scenario">;
  rpcUrl: string;
}

/** A user's redemption request and the contract that holds it. */
interface Request {
  target: Address;
  user: Address;
}

/** How a family's redemption requests are found and settled. */
interface Recipe {
  abi: Abi;
  /** Event of a request, and its argument with the account. */
  event: string;
  account: string;
  /** View function of the requests' contract that returns the vault, or null if it is the vault itself. */
  vaultView: string | null;
  /** Returns whether an account's request is open, or null to settle without checking. */
  isOpen: ((client: PublicClient, of: Request) => Promise<boolean>) | null;
  /** Returns the contract that settles, and its calls. */
  settle: (client: PublicClient, of: Request) => Promise<{ to: Address; calls: Hex[] }>;
}

const settleCall =
  (abi: Abi, functionName = "settle"): Recipe["settle"] =>
  async (_, { target, user }) => ({
    to: target,
    calls: [encodeFunctionData({ abi, functionName, args: [user] })],
  });

/** Checks that a view function returns a positive number for an account. */
const positive =
  (abi: Abi, of: { view: string; args?: (user: Address) => readonly unknown[] }): Recipe["isOpen"] =>
  async (client, { target, user }) => {
    const args = [...(of.args?.(user) ?? [user])];
    const amount = await client.readContract({ address: target, abi, functionName: of.view, args });
    return (amount as bigint) > 0n;
  };

/** Returns the recipe of an ERC-7540 vault. */
const requested = (abi: Abi): Recipe => ({
  ...{ abi, event: "RedeemRequest", account: "controller", vaultView: null },
  isOpen: positive(abi, { view: "pendingRedeemRequest", args: (user) => [0n, user] }),
  settle: settleCall(abi),
});

/** Recipes by adapter, and by scenario where the adapter alone does not say how a vault pays. */
const recipes: Readonly<Record<string, Recipe>> = {
  lagoon: requested(lagoonVaultAbi),
  centrifuge: { ...requested(centrifugeAsyncVaultAbi), settle: answerOrSettle },
  accountable: requested(accountableVaultAbi),
  mellow: {
    ...{ abi: mellowRedeemQueueAbi, event: "RedeemRequested", account: "account", vaultView: "vault" },
    isOpen: async (client, { target, user }) => {
      const view = { abi: mellowRedeemQueueAbi, address: target, functionName: "requestsOf" } as const;
      const requests = await client.readContract({ ...view, args: [user, 0n, 100n] });
      return requests.some(({ isClaimable }) => !isClaimable);
    },
    settle: settleCall(mellowRedeemQueueAbi),
  },
  mellow_lrt: {
    ...{ abi: simpleLrtAbi, event: "Withdraw", account: "owner", vaultView: null },
    isOpen: positive(simpleLrtAbi, { view: "pendingAssetsOf" }),
    settle: settleCall(simpleLrtAbi),
  },
  ipor: {
    ...{
      abi: plasmaWithdrawManagerAbi,
      event: "WithdrawRequestUpdated",
      account: "account",
      vaultView: "vault",
    },
    isOpen: async (client, { target, user }) => {
      const view = { abi: plasmaWithdrawManagerAbi, address: target, functionName: "requestInfo" } as const;
      const [shares, , ready] = await client.readContract({ ...view, args: [user] });
      return shares > 0n && !ready;
    },
    settle: async (_, { target }) => ({
      to: target,
      calls: [encodeFunctionData({ abi: plasmaWithdrawManagerAbi, functionName: "releaseFunds" })],
    }),
  },
  midas: {
    ...{ abi: midasRedemptionVaultAbi, event: "RedeemRequest", account: "user", vaultView: "mToken" },
    ...{ isOpen: null, settle: approvals },
  },
  cooldown: {
    ...{ abi: cooldownVaultAbi, event: "Withdraw", account: "owner", vaultView: null },
    ...{ isOpen: isCooling, settle: settleCall(cooldownVaultAbi) },
  },
  queue: {
    ...{ abi: vedaWithdrawQueueAbi, event: "OnChainWithdrawRequested", account: "user" },
    vaultView: "boringVault",
    isOpen: positive(vedaWithdrawQueueAbi, { view: "openRequests" }),
    settle: settleCall(vedaWithdrawQueueAbi, "settleEarly"),
  },
  pool: {
    ...{ abi: maplePoolAbi, event: "RedemptionRequested", account: "owner_", vaultView: null },
    isOpen: async (client, of) => {
      const view = { abi: mapleWithdrawalManagerAbi, address: await withdrawalManager(client, of) } as const;
      const [locked, ready] = await Promise.all([
        client.readContract({ ...view, functionName: "lockedShares", args: [of.user] }),
        client.readContract({ ...view, functionName: "redeemable", args: [of.user] }),
      ]);
      return locked > ready;
    },
    settle: async (client, of) => ({
      to: await withdrawalManager(client, of),
      calls: [
        encodeFunctionData({ abi: mapleWithdrawalManagerAbi, functionName: "settle", args: [of.user] }),
      ],
    }),
  },
};

const recipeOf = ({ adapter, scenario }: Pick<StackVault, "adapter" | "scenario">): Recipe | null =>
  recipes[scenario] ?? recipes[adapter] ?? null;

/**
 * Settles all redemption requests of a vault, as its operator does, and returns the accounts of the requests; none for
 * a vault that pays at once.
 */
export async function settleRedemptions({ vault, rpcUrl }: RedeemingVault): Promise<Address[]> {
  const recipe = recipeOf(vault);
  if (recipe === null) return [];
  const chainId = vault.chain_id;
  const address = getAddress(vault.vault_id.slice(vault.vault_id.indexOf(":") + 1));
  const client = createPublicClient({ transport: http(rpcUrl, { retryCount: 0 }), cacheTime: 0 });
  const settled: Address[] = [];
  for (const request of await openRequests(client, { vault: address, recipe })) {
    const { to: target, calls } = await recipe.settle(client, request);
    for (const data of calls)
      await awaitMined(rpcUrl, await sendAsDeployer({ chainId, rpcUrl, target }, data));
    if (calls.length > 0) settled.push(request.user);
  }
  return settled;
}

/** True for a vault whose redemptions can be settled. */
export const redeemsLater = (vault: Pick<StackVault, "adapter" | "scenario">): boolean =>
  recipeOf(vault) !== null;

async function openRequests(
  client: PublicClient,
  { vault, recipe }: { vault: Address; recipe: Recipe },
): Promise<Request[]> {
  const { abi, vaultView, isOpen } = recipe;
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
  const open: Request[] = [];
  for (const one of asked.values()) {
    const on = { address: one.target, abi } as const;
    const named = vaultView === null ? vault : await client.readContract({ ...on, functionName: vaultView });
    if (!isAddressEqual(named as Address, vault)) continue;
    if (isOpen === null || (await isOpen(client, one))) open.push(one);
  }
  return open;
}

/** Returns true while an account's cooldown runs. */
async function isCooling(client: PublicClient, { target, user }: Request): Promise<boolean> {
  const view = { address: target, abi: cooldownVaultAbi, functionName: "cooldowns", args: [user] } as const;
  const [[end, assets], { timestamp }] = await Promise.all([client.readContract(view), client.getBlock()]);
  return assets > 0n && end > timestamp;
}

/** Encodes the hub's answer to a cancellation that waits for it, or the settlement of the requests. */
async function answerOrSettle(client: PublicClient, of: Request): Promise<{ to: Address; calls: Hex[] }> {
  const { target, user } = of;
  const abi = centrifugeAsyncVaultAbi;
  const view = { address: target, abi, functionName: "cancelling", args: [user] } as const;
  const cancelling = await client.readContract(view);
  return settleCall(abi, cancelling ? "answerCancellation" : "settle")(client, of);
}

/** Returns the contract that keeps the shares of a Maple pool's requests. */
async function withdrawalManager(client: PublicClient, { target }: Request): Promise<Address> {
  const manager = await client.readContract({ address: target, abi: maplePoolAbi, functionName: "manager" });
  const on = { address: manager, abi: maplePoolManagerAbi } as const;
  return client.readContract({ ...on, functionName: "withdrawalManager" });
}

/** Encodes approvals of all pending redemptions of a user, at the mToken feed's rate. */
async function approvals(
  client: PublicClient,
  { target, user }: Request,
): Promise<{ to: Address; calls: Hex[] }> {
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
  return { to: target, calls };
}
