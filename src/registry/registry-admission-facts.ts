import { getAddress } from "viem";
import { RpcError } from "../chains/json-rpc.ts";
import type { Context } from "../context.ts";
import type { ProofChange } from "../db/queries/vault-proof-queries.ts";
import { selectReviewedCode } from "../db/queries/vault-proof-queries.ts";
import type { VaultRow } from "../db/queries/vault-queries.ts";
import { AppError } from "../errors.ts";
import { DAY_MS, SECOND_MS } from "../lib/durations.ts";
import { priceOf, valueInUsd } from "../prices/price.ts";
import { readPrices } from "../prices/read-prices.ts";
import { adapterOf } from "../vaults/families/vault-families.ts";
import { parseRegistryRow } from "../vaults/find-vault.ts";
import type { Vault } from "../vaults/vault.ts";
import { readUncached } from "../vaults/vault-state.ts";
import { type Admission, isCandidate, isReviewed, type ProofFinding } from "./proofs/decide-vault-proof.ts";
import { hadCodeAtTime } from "./read-registry-age.ts";
import { canRunOtherCode } from "./read-registry-code.ts";
import { readGovernance } from "./read-registry-governance.ts";
import { admissionObstacle, codeObstacle } from "./registry-admission-gate.ts";
import { isAgreed, isCurated, readCreators, readVouching, type Vouching } from "./registry-vouching.ts";

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
      seenAt: await readSeenAt(ctx, row),
      tvlUsd: await readTvl(ctx, vault),
      proof: finding.proof,
    },
    { setting: ctx.config.discovery, now: ctx.now() },
  );
  return { obstacle: obstacle ?? (await readCodeObstacle(ctx, { vault, vouching, finding })) };
}

/**
 * Returns when a vault was added to the registry or, if that is too recent for the gate but the chain shows that its
 * contract is old enough, the latest time that is not, in UNIX milliseconds.
 */
async function readSeenAt(ctx: Context, row: VaultRow): Promise<number> {
  const added = row.createdAt.getTime();
  const wanted = ctx.now() - ctx.config.discovery.min_age_days * DAY_MS;
  const client = ctx.chains.client(row.chainId);
  if (added <= wanted || client === null) return added;
  const of = { address: getAddress(row.address), time: Math.floor(wanted / SECOND_MS) };
  return (await hadCodeAtTime(client, of)) ? wanted : added;
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
    const creators = await readCreators(ctx, { client, vault, vouching, code });
    const fixed = creators.some((register) => register.createsFixedCode === true);
    const [governance, reviewed, delegates] = await Promise.all([
      readGovernance(client, vault),
      selectReviewedCode(ctx.db, { chainId, adapter }),
      fixed ? false : canRunOtherCode(client, vault.address),
    ]);
    const fromFactory = creators.length > 0;
    const agreed = isAgreed(ctx, { vault, vouching, creators });
    const facts = { ...governance, chainId, code, reviewed, delegates, fromFactory, agreed };
    return codeObstacle(facts, ctx.config.discovery);
  } catch (error) {
    if (error instanceof AppError || error instanceof RpcError) return "its code could not be read";
    throw error;
  }
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
