import { type Address, encodeDeployData, encodeFunctionData, type Hex } from "viem";
import {
  centrifugeAsyncVaultAbi,
  centrifugeAsyncVaultCreationCode,
  centrifugeShareAbi,
  centrifugeShareCreationCode,
  centrifugeSyncVaultCreationCode,
  lagoonVaultAbi,
  lagoonVaultCreationCode,
  lagoonVaultV6Abi,
  lagoonVaultV6CreationCode,
} from "#stand-ins/erc7540";
import type { Token } from "../../../../src/vaults/vault.ts";
import type { StandIn } from "./family.ts";
import { fund, mint, whole } from "./use.ts";
import type { World } from "./world.ts";

const ONE = 10n ** 18n;

/** Returns the value of one whole share, in the asset's smallest unit. */
export const sharePrice = (asset: Token): bigint => whole(asset, 10_731n) / 10_000n;

const lagoonCode = { "0.5": lagoonVaultCreationCode, "0.6": lagoonVaultV6CreationCode } as const;

/** Deploys a Lagoon vault with deposits of 100,000 and a valid valuation of 107,310. `entryRate` is in basis points. */
export function deployLagoon(of: { version: keyof typeof lagoonCode; entryRate?: number }) {
  return (world: World, asset: Token): Promise<StandIn> =>
    world.script((script) => {
      const args = [asset.address, "A vault", "V"] as const;
      const bytecode = lagoonCode[of.version];
      const vault = script.deploy("vault", encodeDeployData({ abi: lagoonVaultAbi, bytecode, args }));
      const call = (data: Hex) => script.send("vault", { to: vault, data });
      fund(script, { token: asset, spender: vault, amount: whole(asset, 100_000n) });
      const first = [whole(asset, 100_000n), script.deployer, script.deployer] as const;
      call(encodeFunctionData({ abi: lagoonVaultAbi, functionName: "syncDeposit", args: first }));
      mint(script, { token: asset, to: vault, amount: whole(asset, 7_310n) });
      const valued = [whole(asset, 107_310n)] as const;
      call(encodeFunctionData({ abi: lagoonVaultAbi, functionName: "updateTotalAssets", args: valued }));
      if (of.entryRate !== undefined) {
        const rate = [of.entryRate] as const;
        call(encodeFunctionData({ abi: lagoonVaultV6Abi, functionName: "setEntryRate", args: rate }));
      }
      const row = { address: vault, shareDecimals: Math.max(18, asset.decimals), caller: "user" as const };
      return { row, owner: script.deployer, parts: {} };
    });
}

/** Deploys a Centrifuge vault with a supply of 100,000 shares. */
export function deployCentrifuge(deposit: "sync" | "async", caller: "router" | "user") {
  return (world: World, asset: Token): Promise<StandIn> =>
    world.script((script) => {
      const named = { abi: centrifugeShareAbi, bytecode: centrifugeShareCreationCode } as const;
      const share: Address = script.deploy("share", encodeDeployData({ ...named, args: ["A token", "T"] }));
      const bytecode =
        deposit === "sync" ? centrifugeSyncVaultCreationCode : centrifugeAsyncVaultCreationCode;
      const args = [asset.address, share, sharePrice(asset)] as const;
      const vault = script.deploy(
        "vault",
        encodeDeployData({ abi: centrifugeAsyncVaultAbi, bytecode, args }),
      );
      const rely = encodeFunctionData({ abi: centrifugeShareAbi, functionName: "rely", args: [vault] });
      const held = [script.deployer, 100_000n * ONE] as const;
      const minted = encodeFunctionData({ abi: centrifugeShareAbi, functionName: "mint", args: held });
      script.send("rely", { to: share, data: rely });
      script.send("mint", { to: share, data: minted });
      mint(script, { token: asset, to: vault, amount: whole(asset, 107_310n) });
      const row = { address: vault, shareToken: share.toLowerCase(), shareDecimals: 18, caller };
      return {
        row: { ...row, params: { deposit, redeem_manager: vault } },
        owner: script.deployer,
        parts: { share },
      };
    });
}
