import { type Address, encodeDeployData, encodeFunctionData } from "viem";
import {
  accountableStrategyAbi,
  accountableStrategyCreationCode,
  accountableVaultAbi,
  accountableVaultCreationCode,
} from "#stand-ins/accountable";
import {
  plasmaAccessManagerAbi,
  plasmaAccessManagerCreationCode,
  plasmaVaultAbi,
  plasmaVaultCreationCode,
  plasmaWithdrawManagerAbi,
  plasmaWithdrawManagerCreationCode,
} from "#stand-ins/ipor";
import type { Deploy } from "./leaving.ts";
import { deployOn, firstDeposit } from "./standard.ts";
import { use } from "./use.ts";

/** Deploys an Accountable vault in which the deployer holds shares. */
export const deployAccountable: Deploy = (where, asset) =>
  where.script((script) => {
    const lends = { abi: accountableStrategyAbi, bytecode: accountableStrategyCreationCode } as const;
    const strategy = script.deploy("strategy", encodeDeployData(lends));
    const contract = { abi: accountableVaultAbi, code: accountableVaultCreationCode } as const;
    const vault = deployOn(script, { contract, asset, more: [strategy] });
    use(script, { token: asset, vault, data: firstDeposit(script, asset) });
    const row = { address: vault, shareDecimals: asset.decimals };
    return { row, owner: script.deployer, parts: { strategy } };
  });

/** Deploys an IPOR Fusion (Plasma) vault with the contract that takes its redemption requests. */
export const deployIpor: Deploy = (where, asset) =>
  where.script((script) => {
    const roles = { abi: plasmaAccessManagerAbi, bytecode: plasmaAccessManagerCreationCode } as const;
    const manager = script.deploy("access manager", encodeDeployData(roles));
    const contract = { abi: plasmaVaultAbi, code: plasmaVaultCreationCode } as const;
    const vault = deployOn(script, { contract, asset, more: [manager] });
    const takes = { abi: plasmaWithdrawManagerAbi, bytecode: plasmaWithdrawManagerCreationCode } as const;
    const requests = script.deploy("withdraw manager", encodeDeployData(takes));
    const own = { abi: plasmaVaultAbi, functionName: "setWithdrawManager", args: [requests] } as const;
    const back = { abi: plasmaWithdrawManagerAbi, functionName: "setVault", args: [vault] } as const;
    script.send("own", { to: vault, data: encodeFunctionData(own) });
    script.send("back", { to: requests, data: encodeFunctionData(back) });
    use(script, { token: asset, vault, data: firstDeposit(script, asset) });
    const params = { withdraw_manager: requests.toLowerCase() };
    const row = { address: vault, shareDecimals: asset.decimals + 2, params };
    return { row, owner: script.deployer, parts: { requests, manager } };
  });

/** Adds the address of the share token, which is a separate contract in Accountable vaults. */
export function withShare(deploy: Deploy): Deploy {
  return async (where, asset) => {
    const made = await deploy(where, asset);
    const on = { address: made.row.address as Address, abi: accountableVaultAbi } as const;
    const share = await where.client.readContract({ ...on, functionName: "share" });
    return { ...made, row: { ...made.row, shareToken: share.toLowerCase() } };
  };
}
