import { type Address, encodeDeployData, type Hex } from "viem";
import {
  callerVaultAbi,
  callerVaultCreationCode,
  cappedVaultAbi,
  cappedVaultCreationCode,
  minimumVaultAbi,
  minimumVaultCreationCode,
  openZeppelinVaultAbi,
  openZeppelinVaultCreationCode,
  pausableVaultAbi,
  pausableVaultCreationCode,
  solmateVaultAbi,
  solmateVaultCreationCode,
} from "#stand-ins/standard";
import type { VaultKind } from "./plan.ts";

/** A vault that is a subclass of a library's ERC-4626. */
export type Erc4626Kind = Exclude<VaultKind, { kind: "morpho" | "family" }>;

/** Encodes the deployment of an ERC-4626 subclass with its asset, name and symbol. */
export function vaultDeployData(
  build: Erc4626Kind,
  [asset, name, symbol]: readonly [Address, string, string],
): Hex {
  switch (build.kind) {
    case "open_zeppelin": {
      const args = [asset, name, symbol, build.offset] as const;
      return encodeDeployData({ abi: openZeppelinVaultAbi, bytecode: openZeppelinVaultCreationCode, args });
    }
    case "pausable": {
      const args = [asset, name, symbol, build.offset] as const;
      return encodeDeployData({ abi: pausableVaultAbi, bytecode: pausableVaultCreationCode, args });
    }
    case "caller": {
      const args = [asset, name, symbol, build.offset] as const;
      return encodeDeployData({ abi: callerVaultAbi, bytecode: callerVaultCreationCode, args });
    }
    case "capped": {
      const args = [asset, name, symbol, build.offset, build.cap] as const;
      return encodeDeployData({ abi: cappedVaultAbi, bytecode: cappedVaultCreationCode, args });
    }
    case "minimum": {
      const args = [asset, name, symbol, build.offset, build.minimum] as const;
      return encodeDeployData({ abi: minimumVaultAbi, bytecode: minimumVaultCreationCode, args });
    }
    case "solmate": {
      const args = [asset, name, symbol] as const;
      return encodeDeployData({ abi: solmateVaultAbi, bytecode: solmateVaultCreationCode, args });
    }
  }
}

/** Returns the decimals of a vault's shares. Solmate copies the asset's; MetaMorpho has at least 18. */
export function shareDecimals(build: Exclude<VaultKind, { kind: "family" }>, assetDecimals: number): number {
  if (build.kind === "morpho") return Math.max(18, assetDecimals);
  return build.kind === "solmate" ? assetDecimals : assetDecimals + build.offset;
}
