import { type Abi, type Address, encodeDeployData, encodeFunctionData } from "viem";
import {
  vedaAccountantAbi,
  vedaAccountantCreationCode,
  vedaDelayedWithdrawAbi,
  vedaDelayedWithdrawCreationCode,
  vedaTellerCAbi,
  vedaTellerDCreationCode,
  vedaVaultAbi,
  vedaVaultCreationCode,
  vedaWithdrawQueueAbi,
  vedaWithdrawQueueCreationCode,
} from "#stand-ins/veda";
import type { ChainScript } from "../../../../scripts/stack/chains/chain-script.ts";
import type { Token } from "../../../../src/vaults/vault.ts";
import type { StandIn } from "./family.ts";
import { mint, whole } from "./use.ts";
import type { World } from "./world.ts";

/** Contract by which a Veda vault pays later: the queue of requests, or the delayed withdrawals with a fixed wait. */
export type VedaExitContract = "queue" | "delayed";

const HOUR = 3_600;
/** Time in seconds after which a solver may pay a request, or its owner complete it. */
export const VEDA_WAIT_S = HOUR;
/** Time in seconds during which a matured delayed withdrawal can be completed. */
export const VEDA_WINDOW_S = 12 * HOUR;

function deployCore(script: ChainScript, asset: Token) {
  const name = ["A vault", "V", asset.decimals] as const;
  const share = { abi: vedaVaultAbi, bytecode: vedaVaultCreationCode } as const;
  const vault = script.deploy("vault", encodeDeployData({ ...share, args: name }));
  const rates = { abi: vedaAccountantAbi, bytecode: vedaAccountantCreationCode } as const;
  const rate = (whole(asset, 1n) * 10_731n) / 10_000n;
  const accountant = script.deploy("rates", encodeDeployData({ ...rates, args: [asset.address, rate] }));
  const takes = { abi: vedaTellerCAbi, bytecode: vedaTellerDCreationCode } as const;
  const teller = script.deploy("teller", encodeDeployData({ ...takes, args: [vault, accountant] }));
  return { vault, accountant, teller };
}

/**
 * Deploys a Veda vault that pays by only one of these contracts, with assets for 900,000 shares. `fee` is in basis
 * points.
 */
export function deployVedaExit(of: { way: VedaExitContract; fee?: number }) {
  return (world: World, asset: Token): Promise<StandIn> =>
    world.script(async (script) => {
      const { vault, accountant, teller } = deployCore(script, asset);
      const call = (to: Address, abi: Abi, [functionName, ...args]: readonly [string, ...unknown[]]) =>
        script.send(functionName, { to, data: encodeFunctionData({ abi, functionName, args }) });
      call(teller, vedaTellerCAbi, ["updateAssetData", asset.address, true, false, 0]);
      call(vault, vedaVaultAbi, ["setBeforeTransferHook", teller]);
      const abi: Abi = of.way === "queue" ? vedaWithdrawQueueAbi : vedaDelayedWithdrawAbi;
      const bytecode = of.way === "queue" ? vedaWithdrawQueueCreationCode : vedaDelayedWithdrawCreationCode;
      const pays = script.deploy("way out", encodeDeployData({ abi, bytecode, args: [vault, accountant] }));
      const fee = of.fee ?? 0;
      if (of.way === "queue")
        call(pays, abi, ["updateWithdrawAsset", asset.address, VEDA_WAIT_S, HOUR, fee, 1n]);
      else call(pays, abi, ["setupWithdrawAsset", asset.address, VEDA_WAIT_S, VEDA_WINDOW_S, fee, 5_000]);
      mint(script, { token: asset, to: vault, amount: whole(asset, 1_000_000n) });
      await script.flush();
      const on = { address: pays, abi: vedaWithdrawQueueAbi } as const;
      const solver =
        of.way === "queue" ? await world.client.readContract({ ...on, functionName: "solver" }) : pays;
      call(vault, vedaVaultAbi, ["authorize", solver]);
      const params = {
        teller: "d",
        [of.way === "queue" ? "withdraw_queue" : "delayed_withdraw"]: pays.toLowerCase(),
      };
      const row = { address: vault, shareDecimals: asset.decimals, entryPoint: teller.toLowerCase(), params };
      const own = { ...row, pricer: accountant.toLowerCase(), caller: "router" as const };
      return { row: own, owner: script.deployer, parts: { accountant, pays } };
    });
}

/** Deploys a Veda vault whose teller pays anyone at once, from its own assets. */
export const deployVedaTeller = (world: World, asset: Token): Promise<StandIn> =>
  world.script((script) => {
    const { vault, accountant, teller } = deployCore(script, asset);
    const call = (to: Address, abi: Abi, functionName: string, args: readonly unknown[]) =>
      script.send(functionName, { to, data: encodeFunctionData({ abi, functionName, args }) });
    call(teller, vedaTellerCAbi, "updateAssetData", [asset.address, true, true, 0]);
    call(vault, vedaVaultAbi, "setBeforeTransferHook", [teller]);
    call(vault, vedaVaultAbi, "authorize", [teller]);
    // Yield is in the accountant's rate; the vault must hold what it is worth.
    mint(script, { token: asset, to: vault, amount: whole(asset, 1_000_000n) });
    const params = { teller: "d", teller_withdraw: "public" };
    const row = { address: vault, shareDecimals: asset.decimals, entryPoint: teller.toLowerCase(), params };
    const own = { ...row, pricer: accountant.toLowerCase(), caller: "router" as const };
    return { row: own, owner: script.deployer, parts: { accountant } };
  });
