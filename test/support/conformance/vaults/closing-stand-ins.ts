import { encodeDeployData, encodeFunctionData } from "viem";
import {
  stakedReceiptAbi,
  stakedReceiptCreationCode,
  trancheAbi,
  trancheCdoAbi,
  trancheCdoCreationCode,
  trancheCreationCode,
} from "#stand-ins/closing";
import type { Deploy } from "./leaving.ts";
import { deployOn, deployStandard, firstDeposit } from "./standard.ts";
import { fund, mint, whole } from "./use.ts";

/** Deploys a vault that holds its assets and can be closed, like infiniFi's staked token. */
export const deployStakedReceipt: Deploy = deployStandard({
  abi: stakedReceiptAbi,
  code: stakedReceiptCreationCode,
});

/** Deploys a tranche like Strata's, whose CDO (part `cdo`) holds its assets and switches its withdrawals. */
export const deployTranche =
  ({ junior }: { junior: boolean }): Deploy =>
  (world, asset) =>
    world.script((script) => {
      const cdo = script.deploy(
        "cdo",
        encodeDeployData({ abi: trancheCdoAbi, bytecode: trancheCdoCreationCode }),
      );
      const contract = { abi: trancheAbi, code: trancheCreationCode } as const;
      const vault = deployOn(script, { contract, asset, more: [cdo] });
      const own = { abi: trancheCdoAbi, functionName: "setTranche", args: [vault, junior] } as const;
      script.send("setTranche", { to: cdo, data: encodeFunctionData(own) });
      fund(script, { token: asset, spender: vault, amount: whole(asset, 100_000n) });
      script.send("deposit", { to: vault, data: firstDeposit(script, asset) });
      // The tranche itself holds nothing: what it held would count as idle.
      mint(script, { token: asset, to: cdo, amount: whole(asset, 7_310n) });
      const row = { address: vault, shareDecimals: asset.decimals };
      return { row, owner: script.deployer, parts: { cdo } };
    });
