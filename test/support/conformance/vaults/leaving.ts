import { type Address, BaseError, encodeFunctionData, erc20Abi, type Hex } from "viem";
import type { Query, ReadResult } from "../../../../src/chains/chain-reads.ts";
import { adapterOf } from "../../../../src/vaults/families/vault-families.ts";
import type { Token, Vault } from "../../../../src/vaults/vault.ts";
import type { ExitMode, ExitTerms, PendingExit, VaultExits } from "../../../../src/vaults/vault-exits.ts";
import { vaultOf } from "./deposit.ts";
import type { Placed, StandIn } from "./family.ts";
import { place } from "./suite.ts";
import type { World } from "./world.ts";

/** Deploys a stand-in for a vault; the deployer holds shares of it. */
export type Deploy = (world: World, asset: Token) => Promise<StandIn>;

/** A vault whose deployer holds shares and redeems them in the test. */
export interface RedeemableVault {
  placed: Placed;
  vault: Vault;
  exits: VaultExits;
  user: Address;
}

/** Deploys a stand-in with an asset of six decimals, whose deployer redeems shares in the test. */
export async function deployRedeemableVault(
  world: World,
  of: { adapter: string; deploy: Deploy },
): Promise<RedeemableVault> {
  const { adapter, deploy } = of;
  const type = adapter === "midas" ? "midas" : "custom";
  const placed = await place(world, { family: { name: "A vault", adapter, type, deploy }, decimals: 6 });
  const vault = await vaultOf(placed);
  const { exits } = adapterOf(vault);
  if (exits === undefined) throw new Error(`${adapter} has no way out`);
  return { placed, vault, exits, user: placed.owner };
}

const now = async ({ placed: { world } }: RedeemableVault): Promise<number> =>
  Number((await world.client.getBlock()).timestamp) * 1_000;

/** Runs a query with a separate call for each read. Slow, but independent of the batching under test. */
async function run<S>(of: RedeemableVault, query: Query<S>): Promise<S> {
  const results: Record<string, ReadResult<unknown>> = {};
  for (const [name, { to, data, decode }] of Object.entries(query.reads)) {
    try {
      const answer = await of.placed.world.client.call({ to, data });
      results[name] = { ok: true, value: decode(answer.data ?? "0x") };
    } catch (error) {
      results[name] = { ok: false, revert: revertOf(error) };
    }
  }
  const next = query.next?.(results) ?? null;
  return next === null ? query.interpret(results) : run(of, next);
}

/** Returns the revert data of a failed call, or null. */
export function revertOf(error: unknown): Hex | null {
  if (!(error instanceof BaseError)) return null;
  const found = error.walk((cause) => typeof (cause as { data?: unknown }).data === "string");
  return (found as { data?: Hex } | null)?.data ?? null;
}

/** Returns the redeeming account's balance of a token. */
export const heldOf = ({ placed, user }: RedeemableVault, token: Address): Promise<bigint> =>
  placed.world.client.readContract({
    address: token,
    abi: erc20Abi,
    functionName: "balanceOf",
    args: [user],
  });

/** Reads the conditions of a withdrawal by the owner. */
export async function termsOf(
  of: RedeemableVault,
  ask: { mode: ExitMode; shares: bigint },
): Promise<ExitTerms> {
  const { vault, exits, user } = of;
  const [token] = exits.tokens(vault, ask.mode);
  if (token === undefined) throw new Error("no token");
  const request = { ...ask, token, owner: user, caller: user, receiver: user, now: await now(of) };
  return run(of, exits.terms(vault, request));
}

/**
 * Redeems shares, or requests their redemption, as the owner. Returns the amount that arrived in the same transaction.
 */
export async function redeemOrRequest(
  of: RedeemableVault,
  ask: { mode: ExitMode; shares: bigint; minAssets?: bigint },
) {
  const { vault, exits, user } = of;
  const terms = await termsOf(of, ask);
  const [token] = exits.tokens(vault, ask.mode);
  if (token === undefined) throw new Error("no token");
  const input = { ...ask, token, owner: user, caller: user, receiver: user };
  const call = exits.encode(vault, { ...input, minAssets: ask.minAssets ?? 0n, variant: terms.variant });
  if (call.spender !== null) {
    const args = [call.spender, ask.shares] as const;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
    await of.placed.world.send(user, { to: vault.shareToken, data });
  }
  const before = await heldOf(of, token.address);
  const receipt = await of.placed.world.send(user, { to: call.target, data: call.data });
  return { terms, call, receipt, paid: (await heldOf(of, token.address)) - before };
}

/** Reads the open redemptions. */
export async function pendingOf(
  of: RedeemableVault,
  requestIds: readonly string[] = [],
): Promise<readonly PendingExit[]> {
  const query = of.exits.pending?.(of.vault, { user: of.user, requestIds, now: await now(of) });
  if (query === undefined) throw new Error("no requests");
  const pending = await run(of, query);
  if (pending === null) throw new Error("the vault's requests cannot be read");
  return pending;
}

/** Sends a claim or a cancellation, and returns the amount that arrived. */
export async function follow(of: RedeemableVault, call: { target: Address; data: Hex } | null | undefined) {
  if (call === null || call === undefined) throw new Error("nothing to sign");
  const before = await heldOf(of, of.vault.asset.address);
  const receipt = await of.placed.world.send(of.user, { to: call.target, data: call.data });
  return { receipt, paid: (await heldOf(of, of.vault.asset.address)) - before };
}

/** Returns the deployer's shares before the redemption. */
export const sharesOf = (of: RedeemableVault): Promise<bigint> => heldOf(of, of.vault.shareToken);
