import { SeedRow } from "../../db/seed-row.ts";
import type { DeployedVault, Deployment } from "./deploy.ts";
import { type Scenario, tokenPlans } from "./plan.ts";
import { shareDecimals } from "./vault-kinds.ts";

const statuses: Partial<Record<Scenario, Pick<SeedRow, "status" | "statusReason">>> = {
  registry_paused: { status: "paused", statusReason: "suspended by the operator" },
  unsupported: { status: "unsupported", statusReason: "not reviewed" },
};

/** The registry rows of a local chain's vaults. */
export function registryRows(deployment: Deployment): SeedRow[] {
  return deployment.vaults.map((vault) => registryRow(deployment, vault));
}

function registryRow(deployment: Deployment, { plan, address }: DeployedVault): SeedRow {
  const token = tokenPlans.find(({ symbol }) => symbol === plan.token);
  if (token === undefined) throw new Error(`${plan.name}: no token ${plan.token}`);
  const vault = address.toLowerCase();
  const asset = deployment.tokens[plan.token];
  const isMorpho = plan.build.kind === "morpho";
  return SeedRow.parse({
    chainId: deployment.plan.chainId,
    address: vault,
    type: isMorpho ? "morpho" : "custom",
    adapter: isMorpho ? "metamorpho" : "erc4626",
    name: plan.name,
    assetAddress: asset.toLowerCase(),
    assetSymbol: token.symbol,
    assetDecimals: token.decimals,
    shareToken: vault,
    shareDecimals: shareDecimals(plan.build, token.decimals),
    entryPoint: vault,
    spender: vault,
    pricer: vault,
    acceptedAssets: [{ address: asset, symbol: token.symbol, decimals: token.decimals }],
    caller: plan.scenario === "caller" ? "user" : "router",
    curator: isMorpho ? "Local Curators" : "",
    startBlock: deployment.startBlock,
    ...(statuses[plan.scenario] ?? { status: "active" }),
  });
}
