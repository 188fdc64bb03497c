import { type Address, encodeFunctionData, getContractAddress } from "viem";
import {
  instantLrtAbi,
  instantLrtCreationCode,
  lrtQueueAbi,
  multiLrtAbi,
  multiLrtCreationCode,
  simpleLrtAbi,
  simpleLrtCreationCode,
} from "#stand-ins/mellow-lrt";
import type { Placed } from "./family.ts";
import type { Deploy } from "./leaving.ts";
import { deployOn, firstDeposit, set } from "./standard.ts";
import { use, whole } from "./use.ts";

/** Kinds of vaults of Mellow's Simple LRT, with the nonces by which their constructors create the queues. */
const KINDS = {
  symbiotic: { abi: simpleLrtAbi, code: simpleLrtCreationCode, queues: [3n] },
  multi: { abi: multiLrtAbi, code: multiLrtCreationCode, queues: [3n, 5n] },
  instant: { abi: instantLrtAbi, code: instantLrtCreationCode, queues: [] },
} as const;

/**
 * Deploys a vault of Mellow's Simple LRT with the registry parameters that the chain shows. `staked` are the whole
 * assets that its subvaults take, in their order, of the first deposits and later ones.
 */
export const deployLrt =
  (kind: keyof typeof KINDS, staked: readonly bigint[] = []): Deploy =>
  (world, asset) =>
    world.script((script) => {
      const { queues: nonces, ...contract } = KINDS[kind];
      const vault = deployOn(script, { contract, asset });
      use(script, { token: asset, vault, data: firstDeposit(script, asset) });
      for (const [index, assets] of staked.entries()) {
        const args = [BigInt(index), whole(asset, assets)] as const;
        const data = encodeFunctionData({ abi: multiLrtAbi, functionName: "stakeAt", args });
        script.send("stakeAt", { to: vault, data });
      }
      const queues = nonces.map((nonce) => getContractAddress({ from: vault, nonce }));
      const named = queues.map((queue) => queue.toLowerCase()).join(",");
      const params: Record<string, string> =
        kind === "instant" ? { exit: "instant" } : { withdrawal_queues: named };
      const row = { address: vault, shareDecimals: asset.decimals, params };
      const parts = Object.fromEntries(queues.map((queue, index) => [`queue${index}`, queue]));
      return { row, owner: script.deployer, parts };
    });

/** Ends the epoch of an account's assets in a queue, or of a part of them. */
export async function settleQueue(
  placed: Placed,
  of: { index: number; user: Address; assets?: bigint },
): Promise<void> {
  const queue = placed.parts[`queue${of.index}`] as Address;
  const view = { address: queue, abi: lrtQueueAbi, functionName: "pendingAssetsOf" } as const;
  const pending = await placed.world.client.readContract({ ...view, args: [of.user] });
  const args = [of.user, of.assets ?? pending] as const;
  await set(placed, { abi: lrtQueueAbi, name: "settlePart", args, on: queue });
}
