import { type Address, parseAbi } from "viem";
import { type Described, describe, describeThen, read, valueOrNull } from "../../chains/read.ts";
import { type Derivation, describeToken, toLabel, underivable } from "../derivation.ts";

const vaultAbi = parseAbi([
  "function asset() view returns (address)",
  "function name() view returns (string)",
  "function decimals() view returns (uint8)",
  "function totalAssets() view returns (uint256)",
  "function convertToAssets(uint256) view returns (uint256)",
  "function previewDeposit(uint256) view returns (uint256)",
]);

/** The vault is its own entry point, spender, share token and pricer, and names its asset. Source: EIP-4626. */
export function deriveErc4626({ address }: { address: Address }): Described<Derivation> {
  const onVault = { to: address, abi: vaultAbi } as const;
  const reads = {
    asset: read({ ...onVault, name: "asset" }),
    name: read({ ...onVault, name: "name" }),
    decimals: read({ ...onVault, name: "decimals" }),
    total: read({ ...onVault, name: "totalAssets" }),
    price: read({ ...onVault, name: "convertToAssets", args: [1n] }),
    preview: read({ ...onVault, name: "previewDeposit", args: [1n] }),
  };
  return describeThen(reads, (results) => {
    const [asset, shareDecimals] = [valueOrNull(results.asset), valueOrNull(results.decimals)];
    const speaks = results.total.ok && results.price.ok && results.preview.ok;
    if (asset === null || shareDecimals === null || !speaks) return isNoVault;
    const own = { shareToken: address, entryPoint: address, spender: address, pricer: address };
    const name = toLabel(valueOrNull(results.name), 120);
    const { reads: tokenReads, interpret } = describeToken(asset);
    return {
      reads: tokenReads,
      interpret: (told) => {
        const token = interpret(told);
        if (token === null) return underivable("the vault's asset does not say its symbol and decimals");
        return { ok: true, vault: { name, asset: token, acceptedAssets: [token], shareDecimals, ...own } };
      },
    };
  });
}

const isNoVault = describe({}, (): Derivation => underivable("the contract is no ERC-4626 vault"));
