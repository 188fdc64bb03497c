import { type Address, parseAbi } from "viem";
import { aggregate } from "../chains/aggregate.ts";
import type { ChainClient } from "../chains/client.ts";
import { read, valueOrNull } from "../chains/read.ts";
import type { Context } from "../context.ts";
import type { DerivedColumns } from "../db/queries/audited-vaults.ts";

/** A vault's addresses as its chain gives them, or why it does not. */
export type Derivation = { ok: true; name: string; columns: DerivedColumns } | { ok: false; reason: string };

type Derive = (client: ChainClient, vault: Address) => Promise<Derivation>;

/**
 * How each adapter finds a vault's entry point, spender, share token and pricer from the vault itself. An
 * adapter that is not here derives nothing yet: its vaults come with the reviewed seed rows, or stay unsupported.
 */
const derivers: ReadonlyMap<string, Derive> = new Map([["erc4626", deriveErc4626]]);

/**
 * Derives a vault's addresses from its chain; nobody types them in. A chain that does not answer is a reason,
 * not a failure. Never throws.
 */
export async function deriveVault(
  ctx: Context,
  vault: { chainId: number; address: Address; adapter: string },
): Promise<Derivation> {
  const derive = derivers.get(vault.adapter);
  if (derive === undefined) return refuse(`the adapter ${vault.adapter} derives no addresses`);
  const client = ctx.chains.client(vault.chainId);
  if (client === null) return refuse(`chain ${vault.chainId} is not served`);
  try {
    return await derive(client, vault.address);
  } catch {
    return refuse("the chain did not answer");
  }
}

const refuse = (reason: string): Derivation => ({ ok: false, reason });

const vaultAbi = parseAbi([
  "function asset() view returns (address)",
  "function name() view returns (string)",
  "function symbol() view returns (string)",
  "function decimals() view returns (uint8)",
  "function totalAssets() view returns (uint256)",
  "function convertToAssets(uint256) view returns (uint256)",
  "function previewDeposit(uint256) view returns (uint256)",
]);

/** The vault is its own entry point, spender, share token and pricer, and names its asset. Source: EIP-4626. */
async function deriveErc4626(client: ChainClient, vault: Address): Promise<Derivation> {
  const onVault = { to: vault, abi: vaultAbi } as const;
  const { results } = await aggregate(client, {
    asset: read({ ...onVault, name: "asset" }),
    name: read({ ...onVault, name: "name" }),
    decimals: read({ ...onVault, name: "decimals" }),
    total: read({ ...onVault, name: "totalAssets" }),
    price: read({ ...onVault, name: "convertToAssets", args: [1n] }),
    preview: read({ ...onVault, name: "previewDeposit", args: [1n] }),
  });
  const [asset, shareDecimals] = [valueOrNull(results.asset), valueOrNull(results.decimals)];
  const speaks = results.total.ok && results.price.ok && results.preview.ok;
  if (asset === null || shareDecimals === null || !speaks) return refuse("the contract is no ERC-4626 vault");
  const onAsset = { to: asset, abi: vaultAbi } as const;
  const { results: token } = await aggregate(client, {
    symbol: read({ ...onAsset, name: "symbol" }),
    decimals: read({ ...onAsset, name: "decimals" }),
  });
  const [symbol, decimals] = [valueOrNull(token.symbol), valueOrNull(token.decimals)];
  if (symbol === null || symbol === "" || decimals === null || decimals > 36)
    return refuse("the vault's asset does not say its symbol and decimals");
  const address = vault.toLowerCase();
  const columns = {
    assetAddress: asset.toLowerCase(),
    assetSymbol: symbol.slice(0, 32),
    assetDecimals: decimals,
    shareToken: address,
    shareDecimals,
    entryPoint: address,
    spender: address,
    pricer: address,
    acceptedAssets: [{ address: asset, symbol: symbol.slice(0, 32), decimals }],
  };
  return { ok: true, name: (valueOrNull(results.name) ?? "").slice(0, 120), columns };
}
