import type { Address } from "viem";
import { connect } from "../db/connect.ts";
import { seed } from "../db/seed.ts";
import { SeedRow } from "../db/seed-row.ts";
import type { StackChain, StackManifest } from "../stack/manifest.ts";

/**
 * Marks every vault of the registry unsupported, then registers the given ERC-4626 vaults of one chain as active, with
 * its USDC as asset and shares of six more decimals.
 */
export async function registerOnly(
  stack: StackManifest,
  { chain, vaults }: { chain: StackChain; vaults: readonly Address[] },
): Promise<void> {
  const target = { databaseUrl: stack.database_url, endpoint: `${stack.emulators.neon}/sql` };
  await connect(target).query("update vaults set status = 'unsupported'");
  const usdc = chain.contracts.tokens.USDC;
  const asset = usdc.address.toLowerCase();
  const rows = vaults.map((checksummed, index) => {
    const vault = checksummed.toLowerCase();
    return SeedRow.parse({
      chainId: chain.chain_id,
      address: vault,
      type: "custom",
      adapter: "erc4626",
      name: `Farmed USDC ${index + 1}`,
      assetAddress: asset,
      assetSymbol: "USDC",
      assetDecimals: usdc.decimals,
      shareToken: vault,
      shareDecimals: usdc.decimals + 6,
      entryPoint: vault,
      spender: vault,
      pricer: vault,
      acceptedAssets: [{ address: usdc.address, symbol: "USDC", decimals: usdc.decimals }],
      status: "active",
    });
  });
  await seed({ ...target, rows, withStatus: true });
}
