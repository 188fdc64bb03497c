import { runWholeQuery } from "../chains/aggregator/aggregate-reads.ts";
import type { ChainClient } from "../chains/chain-client.ts";
import { RpcError } from "../chains/json-rpc.ts";
import type { Context } from "../context.ts";
import type { ProofChange } from "../db/queries/vault-proof-queries.ts";
import { selectReviewedCode } from "../db/queries/vault-proof-queries.ts";
import type { VaultRow } from "../db/queries/vault-queries.ts";
import { AppError } from "../errors.ts";
import { priceOf, valueInUsd } from "../prices/price.ts";
import { readPrices } from "../prices/read-prices.ts";
import { adapterOf } from "../vaults/families/vault-families.ts";
import { parseRegistryRow } from "../vaults/find-vault.ts";
import type { Vault } from "../vaults/vault.ts";
import { readUncached } from "../vaults/vault-state.ts";
import { servedRegisters, sourceOf } from "./discover-registry-vaults.ts";
import { type Admission, isCandidate, isReviewed, type ProofFinding } from "./proofs/decide-vault-proof.ts";
import { canRunOtherCode } from "./read-registry-code.ts";
import { readGovernance } from "./read-registry-governance.ts";
import { creatorsQuery } from "./registers/read-register.ts";
import type { VaultRegister } from "./registers/vault-registers.ts";
import { admissionObstacle, codeObstacle } from "./registry-admission-gate.ts";
import { isCurated, isGoverned, readVouching, type Vouching } from "./registry-vouching.ts";

/**
 * Returns the admission gate's result for a discovered or imported candidate whose proof passed, otherwise null. What
 * cannot be read is an obstacle. Throws if the row is malformed (see `parseRegistryRow`).
 */
export async function readAdmission(
  ctx: Context,
  of: { row: VaultRow; finding: ProofFinding; derived: ProofChange["derived"] },
): Promise<Admission | null> {
  const { row, finding, derived } = of;
  if (finding.kind !== "passed" || derived === null || isReviewed(row) || !isCandidate(row)) return null;
  const { caller = row.caller, params = row.params } = derived;
  const vault = parseRegistryRow({ ...row, ...derived, caller, params });
  const vouching = await vouchingNow(ctx, row);
  if (vouching === null) return { obstacle: "its registers could not be read" };
  const obstacle = admissionObstacle(
    {
      chainId: row.chainId,
      address: row.address,
      asset: vault.asset.address,
      adapter: vault.adapter,
      provenance: row.provenance,
      isNamed: vouching.lists.length + vouching.registers.length > 0,
      curated: isCurated(vouching),
      seenAt: row.createdAt.getTime(),
      tvlUsd: await readTvl(ctx, vault),
      proof: finding.proof,
    },
    { setting: ctx.config.discovery, now: ctx.now() },
  );
  return { obstacle: obstacle ?? (await readCodeObstacle(ctx, { vault, vouching, finding })) };
}

/** Returns what vouches for a vault now, or null if a register could not be asked. */
async function vouchingNow(ctx: Context, row: VaultRow): Promise<Vouching | null> {
  const client = ctx.chains.client(row.chainId);
  try {
    return client === null ? null : await readVouching(ctx, { client, row });
  } catch {
    return null;
  }
}

/** Returns the obstacle in a vault's code or governance, or null. A failing node or database is an obstacle. */
async function readCodeObstacle(
  ctx: Context,
  of: {
    vault: Vault;
    vouching: Vouching;
    finding: Extract<ProofFinding, { kind: "passed" | "refused" | "closed" }>;
  },
): Promise<string | null> {
  const { vault, vouching, finding } = of;
  const { chainId, adapter } = vault;
  const client = ctx.chains.client(chainId);
  if (client === null) return `chain ${chainId} is not served`;
  try {
    const code = finding.proof.code ?? null;
    const factories = await readCreators(ctx, { client, vault, vouching, code });
    const fixed = factories.some((register) => register.createsFixedCode === true);
    const [governance, reviewed, delegates] = await Promise.all([
      readGovernance(client, vault),
      selectReviewedCode(ctx.db, { chainId, adapter }),
      fixed ? false : canRunOtherCode(client, vault.address),
    ]);
    const fromFactory = factories.length > 0;
    const registers = [...vouching.registers, ...factories.filter(namesVaults)];
    const sources = new Set([...vouching.lists, ...registers.map(sourceOf)]);
    const agreed = isGoverned(vouching.registers) || sources.size > 1;
    const facts = { ...governance, chainId, code, reviewed, delegates, fromFactory, agreed };
    return codeObstacle(facts, ctx.config.discovery);
  } catch (error) {
    if (error instanceof AppError || error instanceof RpcError) return "its code could not be read";
    throw error;
  }
}

/**
 * Returns false for factories of which only the original is known: anyone can deploy a clone of it, so a clone proves
 * the code but not who created it.
 */
const namesVaults = ({ reading }: VaultRegister): boolean =>
  reading.kind !== "asked" || reading.view !== "vault_original";

/**
 * Returns the factories of a vault's family that created it: those that name it or, if none does and its code is known,
 * those that confirm it now. Errors of the chain client propagate.
 */
async function readCreators(
  ctx: Context,
  of: { client: ChainClient; vault: Vault; vouching: Vouching; code: string | null },
): Promise<VaultRegister[]> {
  const { client, vault, vouching, code } = of;
  const factories = servedRegisters(ctx).filter(
    ({ isFactory, chainId, adapter }) => isFactory && chainId === vault.chainId && adapter === vault.adapter,
  );
  const named = vouching.registers.map(sourceOf);
  const naming = factories.filter((register) => named.includes(sourceOf(register)));
  if (naming.length > 0 || code === null || factories.length === 0) return naming;
  return runWholeQuery(client, creatorsQuery(factories, { vault: vault.address, code }));
}

/**
 * Returns a vault's total assets in US dollars, times 10^18, at the lower of Causeway's own prices, or null if they or
 * the price are unknown, or if the chain cannot be read.
 */
async function readTvl(ctx: Context, vault: Vault): Promise<bigint | null> {
  const { chainId, asset } = vault;
  const token = { chainId, token: asset.address };
  try {
    const [{ value }, prices] = await Promise.all([
      readUncached(ctx, { chainId, query: adapterOf(vault).state(vault, ctx.now()) }),
      readPrices(ctx, [token]),
    ]);
    const price = priceOf(prices, token);
    if (value.totalAssets === null || price === null) return null;
    return valueInUsd(value.totalAssets, { decimals: asset.decimals, usd: price.low });
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
