import { encodeDeployData, encodeFunctionData, getContractAddress } from "viem";
import {
  tokenizedVaultCreationCode,
  tokenizedVaultAbi as vaultAbi,
  whitelistAbi,
  whitelistCreationCode,
} from "#stand-ins/upshift";
import type { Token } from "../../../../src/vaults/vault.ts";
import type { StandIn } from "./family.ts";
import { deployOn } from "./standard.ts";
import { fund, whole } from "./use.ts";
import type { World } from "./world.ts";

const contract = { abi: vaultAbi, code: tokenizedVaultCreationCode } as const;
const encodeVault = (functionName: "setSharePrice", args: readonly [bigint]) =>
  encodeFunctionData({ abi: vaultAbi, functionName, args });

/** Deploys an Upshift vault whose share is worth 1.0731 reference tokens, and a sender whitelist that is not in use. */
export function deployUpshift(world: World, asset: Token): Promise<StandIn> {
  return world.script((script) => {
    const list = script.deploy(
      "list",
      encodeDeployData({ abi: whitelistAbi, bytecode: whitelistCreationCode }),
    );
    const vault = deployOn(script, { contract, asset });
    fund(script, { token: asset, spender: vault, amount: whole(asset, 107_310n) });
    const args = [asset.address, whole(asset, 100_000n), script.deployer] as const;
    const data = encodeFunctionData({ abi: vaultAbi, functionName: "deposit", args });
    script.send("deposit", { to: vault, data });
    const price = (whole(asset, 1n) * 10_731n) / 10_000n;
    script.send("price", { to: vault, data: encodeVault("setSharePrice", [price]) });
    const lp = getContractAddress({ from: vault, nonce: 1n }).toLowerCase();
    const params = { withdraw_seconds: "0" };
    const row = { address: vault, shareToken: lp, shareDecimals: asset.decimals, params };
    return { row, owner: script.deployer, parts: { list } };
  });
}
