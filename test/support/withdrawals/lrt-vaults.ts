import { type Address, encodeFunctionData, erc20Abi } from "viem";
import { multiLrtAbi, simpleLrtAbi, simpleLrtCreationCode } from "#stand-ins/mellow-lrt";
import type { Deploy } from "../conformance/vaults/leaving.ts";
import { deployLrt, settleQueue } from "../conformance/vaults/lrt-stand-in.ts";
import { deployStandard, set } from "../conformance/vaults/standard.ts";
import { mint, whole } from "../conformance/vaults/use.ts";
import type { RequestingVault } from "./requesting-vaults.ts";

/** Transfers yield to the vault. What it could lose is invested elsewhere. */
const reprice: RequestingVault["reprice"] = async ({ world, asset, vault }, percent) => {
  const amount = whole(asset, 1_073n) * (percent - 100n);
  if (amount > 0n) await world.script((script) => mint(script, { token: asset, to: vault, amount }));
};

const lrt = {
  ...({ adapter: "mellow_lrt", type: "lido", mode: "request", joins: true, fixed: true } as const),
  ...{ cancels: null, reprice },
};

/** The kinds of vaults of Mellow's Simple LRT that queue redemptions. */
export const lrtVaults: readonly RequestingVault[] = [
  {
    ...{ ...lrt, name: "Mellow LRT" },
    deploy: stakedLrt(),
    invest: async (placed) => {
      const address = placed.vault;
      const [held, staked] = await Promise.all([
        placed.world.client.readContract({ address, abi: simpleLrtAbi, functionName: "totalAssets" }),
        placed.world.client.readContract({ address, abi: simpleLrtAbi, functionName: "staked" }),
      ]);
      await set(placed, { abi: simpleLrtAbi, name: "stake", args: [held - staked] });
    },
    settle: (placed, { user }) => set(placed, { abi: simpleLrtAbi, name: "settle", args: [user] }),
    settlePart: async (placed, { user, shares }) => {
      const view = { address: placed.vault, abi: simpleLrtAbi, functionName: "convertToAssets" } as const;
      const assets = await placed.world.client.readContract({ ...view, args: [shares] });
      await set(placed, { abi: simpleLrtAbi, name: "settlePart", args: [user, assets] });
    },
  },
  {
    // Only the second subvault has something to pay.
    ...{ ...lrt, name: "Mellow MultiVault" },
    deploy: deployLrt("multi", [0n, 108_110n]),
    invest: async (placed) => {
      const held = { address: placed.asset.address, abi: erc20Abi, functionName: "balanceOf" } as const;
      const assets = await placed.world.client.readContract({ ...held, args: [placed.vault] });
      await set(placed, { abi: multiLrtAbi, name: "stakeAt", args: [1n, assets] });
    },
    settle: (placed, { user }) => settleQueue(placed, { index: 1, user }),
    settlePart: async (placed, { user, shares }) => {
      const view = { address: placed.vault, abi: multiLrtAbi, functionName: "convertToAssets" } as const;
      const assets = await placed.world.client.readContract({ ...view, args: [shares] });
      await settleQueue(placed, { index: 1, user, assets });
    },
  },
];

/**
 * Deploys a Mellow LRT vault whose assets are invested, so that it queues redemptions. Its registry row lacks the queue,
 * as rows do that are older than this parameter.
 */
function stakedLrt(): Deploy {
  const deploy = deployStandard({ abi: simpleLrtAbi, code: simpleLrtCreationCode });
  return async (world, asset) => {
    const made = await deploy(world, asset);
    const args = [whole(asset, 108_110n)] as const;
    const data = encodeFunctionData({ abi: simpleLrtAbi, functionName: "stake", args });
    await world.send(made.owner, { to: made.row.address as Address, data });
    return made;
  };
}
