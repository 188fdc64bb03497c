import { type Address, maxUint256, numberToHex } from "viem";
import { rpcBatch } from "../stack/chains/json-rpc.ts";
import type { StackChain, StackManifest, StackVault } from "../stack/manifest.ts";

/** Kinds of deposits of the load. */
export const journeyNames = ["direct", "own", "swap", "cross_chain", "two_step"] as const;
/** Name of a journey. */
export type JourneyName = (typeof journeyNames)[number];

/**
 * A kind of deposit: the paid token, its amount in smallest units and its chain, and the vault and its chain (`to`).
 */
export interface Journey {
  name: JourneyName;
  from: StackChain;
  to: StackChain;
  vault: StackVault;
  token: Address;
  amount: bigint;
  twoStep: boolean;
}

/**
 * Returns the five journeys on the stack's chains, in the order of `journeyNames`. Throws if a chain or vault is
 * missing.
 */
export function journeysOf({ chains, vaults }: StackManifest): Journey[] {
  const [one, two] = chains;
  const vaultNamed = (name: string): StackVault => {
    const vault = vaults.find((candidate) => candidate.name === name);
    if (vault === undefined) throw new Error(`the stack has no vault ${name}`);
    return vault;
  };
  if (one === undefined || two === undefined) throw new Error("the stack has two chains");
  const [prime, members] = [vaultNamed("Local Prime USDC"), vaultNamed("Members USDC")];
  const usdc = (chain: StackChain) => ({ from: chain, token: chain.contracts.tokens.USDC.address });
  const dollars = 100_000_000n;
  const plain = { to: one, amount: dollars, twoStep: false };
  return [
    { name: "direct", ...plain, ...usdc(one), vault: prime },
    { name: "own", ...plain, ...usdc(one), vault: members },
    {
      ...{ name: "swap", ...plain, from: one, vault: prime },
      ...{ token: one.contracts.tokens.WETH.address, amount: 4n * 10n ** 16n },
    },
    { name: "cross_chain", ...plain, ...usdc(two), vault: prime },
    { name: "two_step", ...plain, ...usdc(two), vault: members, twoStep: true },
  ];
}

/** A user of the load, who makes one deposit of `amount` smallest units. */
export interface LoadUser {
  number: number;
  address: Address;
  journey: Journey;
  amount: bigint;
}

/**
 * Returns the user with a number. Journeys take turns, and amounts differ, so that all deposits are distinguishable.
 */
export function loadUser(number: number, journeys: readonly Journey[]): LoadUser {
  const journey = journeys[number % journeys.length];
  if (journey === undefined) throw new RangeError("no journeys");
  const address: Address = `0x10ad${number.toString(16).padStart(36, "0")}`;
  return { number, address, journey, amount: journey.amount + BigInt(number) };
}

/** Gives users native currency, the tokens for their journeys, and the allowances that they would have signed. */
export async function fundUsers(users: readonly LoadUser[]): Promise<void> {
  const calls = new Map<string, { method: string; params: readonly unknown[] }[]>();
  const add = (chain: StackChain, method: string, ...params: readonly unknown[]): void => {
    const list = calls.get(chain.rpc_url) ?? [];
    list.push({ method, params });
    calls.set(chain.rpc_url, list);
  };
  for (const { address, journey, amount } of users) {
    const { from, to, token, vault } = journey;
    for (const chain of new Set([from, to])) add(chain, "anvil_setBalance", address, numberToHex(10n ** 20n));
    add(from, "anvil_dealERC20", address, token, numberToHex(amount));
    const own = vault.vault_id.split(":")[1];
    for (const spender of usualSpenders(journey))
      add(from, "anvil_setERC20Allowance", address, spender, token, numberToHex(maxUint256));
    if (!journey.twoStep) continue;
    const { address: arrived } = to.contracts.tokens.USDC;
    add(to, "anvil_setERC20Allowance", address, own, arrived, numberToHex(maxUint256));
  }
  await Promise.all([...calls].map(([url, list]) => rpcBatch(url, list)));
}

/** Returns the contracts that need the user's approval for a journey, as far as they are known before the build. */
export function usualSpenders({ name, from, vault }: Journey): string[] {
  const { deposit_router: router, spoke_pool: spokePool, lifi_diamond: diamond } = from.contracts;
  if (name === "direct") return [router];
  if (name === "own") return [vault.vault_id.split(":")[1] ?? ""];
  return name === "swap" ? [router, diamond, from.contracts.lifi_erc20_proxy] : [spokePool, diamond];
}

/**
 * Gives a spender an unlimited allowance (2^256 − 1) for an account's tokens, by `anvil_setERC20Allowance` instead of a
 * transaction.
 */
export function allow(chain: StackChain, of: { owner: Address; spender: string; token: string }) {
  const params = [of.owner, of.spender, of.token, numberToHex(maxUint256)];
  return rpcBatch(chain.rpc_url, [{ method: "anvil_setERC20Allowance", params }]);
}
