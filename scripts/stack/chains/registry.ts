import { type ClaimRow, NO_CLAIMS, toClaimRow } from "../../../src/registry/import-registry-claims.ts";
import { SeedRow } from "../../db/seed-row.ts";
import type { DeployedChain, DeployedVault } from "./deploy-chain.ts";
import { familyOf } from "./families/families.ts";
import { adapterOfPlan, type Scenario, tokenPlan } from "./plan.ts";

const statuses: Partial<Record<Scenario, Pick<SeedRow, "status" | "statusReason">>> = {
  registry_paused: { status: "paused", statusReason: "suspended by the operator" },
  unsupported: { status: "unsupported", statusReason: "not reviewed" },
};

/** Returns the registry rows of a local chain's vaults. */
export function registryRows(deployment: DeployedChain): SeedRow[] {
  return deployment.vaults.map((vault) => registryRow(deployment, vault));
}

/** Returns the rows that an imported list would add: claims that the chain does not confirm. */
export function claimedRows({ plan, registers }: DeployedChain): (ClaimRow & { namedBy: string[] })[] {
  const provenance = { source: "list", detail: "local-list" } as const;
  return (registers?.wrong ?? []).map(({ address, adapter, asset }) => {
    const claims = { ...NO_CLAIMS, chainId: plan.chainId, address, adapter, asset, name: "Claimed vault" };
    return { ...toClaimRow(claims, { provenance, now: Date.now() }), namedBy: ["list:local-list"] };
  });
}

function registryRow(deployment: DeployedChain, vault: DeployedVault): SeedRow {
  const { plan, address, row } = vault;
  const token = tokenPlan(plan.token);
  const taken = [plan.token, ...(plan.also ?? [])].map(tokenPlan);
  const own = address.toLowerCase();
  const asset = deployment.tokens[plan.token];
  return SeedRow.parse({
    chainId: deployment.plan.chainId,
    address: own,
    ...familyOfVault(vault),
    name: plan.name,
    assetAddress: asset.toLowerCase(),
    assetSymbol: token.symbol,
    assetDecimals: token.decimals,
    shareToken: own,
    entryPoint: own,
    spender: own,
    pricer: own,
    acceptedAssets: taken.map(({ symbol, decimals }) => ({
      address: deployment.tokens[symbol],
      symbol,
      decimals,
    })),
    caller: plan.scenario === "caller" ? "user" : "router",
    curator: plan.build.kind === "morpho" ? "Local Curators" : "",
    startBlock: deployment.startBlock,
    ...(statuses[plan.scenario] ?? { status: "active" }),
    ...row,
  });
}

/** Returns a vault's public family label and its adapter. */
function familyOfVault({ plan }: DeployedVault): Pick<SeedRow, "type" | "adapter"> {
  const { build } = plan;
  const type = build.kind === "family" ? familyOf(build).type : build.kind === "morpho" ? "morpho" : "custom";
  return { type, adapter: adapterOfPlan(plan) };
}
