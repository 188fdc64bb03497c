import { getAddress } from "viem";
import { runWholeQuery } from "../chains/aggregator/aggregate-reads.ts";
import type { ChainClient } from "../chains/chain-client.ts";
import type { Context } from "../context.ts";
import type { VaultRow } from "../db/queries/vault-queries.ts";
import { servedRegisters, sourceOf } from "./discover-registry-vaults.ts";
import { creatorsQuery, deniedQuery } from "./registers/read-register.ts";
import type { VaultRegister } from "./registers/vault-registers.ts";

/**
 * The public lists and registers that name a discovered or imported vault. Whether they suffice to open it is decided
 * by `isCurated` and the admission gate.
 */
export interface Vouching {
  /** Public lists that name the vault, as `list:<name>`. */
  lists: readonly string[];
  /** Registers that name the vault and that this deployment reads. */
  registers: readonly VaultRegister[];
}

/**
 * Returns the public lists that name a vault, and the registers that name it and that this deployment still reads. A
 * register that was removed from the settings or from the code vouches for nothing.
 */
function vouchingFor(ctx: Context, { chainId, namedBy }: Pick<VaultRow, "chainId" | "namedBy">): Vouching {
  return {
    lists: namedBy.filter((name) => name.startsWith("list:")),
    registers: servedRegisters(ctx).filter(
      (register) => register.chainId === chainId && namedBy.includes(sourceOf(register)),
    ),
  };
}

/**
 * Returns what vouches for a vault as `vouchingFor`, without the registers whose membership view denies the vault now.
 * Throws `upstream_unavailable` if the nodes made only a part of the reads; errors of the chain client propagate.
 */
export async function readVouching(
  ctx: Context,
  { client, row }: { client: ChainClient; row: Pick<VaultRow, "chainId" | "address" | "namedBy"> },
): Promise<Vouching> {
  const { lists, registers } = vouchingFor(ctx, row);
  if (registers.every(({ membership }) => membership === null)) return { lists, registers };
  const denying = await runWholeQuery(client, deniedQuery(registers, getAddress(row.address)));
  return { lists, registers: registers.filter((register) => !denying.includes(register)) };
}

/** Returns true if a public list, or a register that its protocol governs, is among what vouches for a vault. */
export const isCurated = ({ lists, registers }: Vouching): boolean =>
  lists.length > 0 || isGoverned(registers);

/**
 * Returns the factories of a vault's family that created it: those that name it or, if none does and its code is known,
 * those that confirm it now. `code` is as for `creatorsQuery`. Throws as `readVouching`.
 */
export async function readCreators(
  ctx: Context,
  of: { client: ChainClient; vault: FamilyMember; vouching: Vouching; code: string | null },
): Promise<VaultRegister[]> {
  const { client, vault, vouching, code } = of;
  const factories = familyRegisters(ctx, vault).filter(({ isFactory }) => isFactory);
  const named = vouching.registers.map(sourceOf);
  const naming = factories.filter((register) => named.includes(sourceOf(register)));
  if (naming.length > 0 || code === null || factories.length === 0) return naming;
  return runWholeQuery(client, creatorsQuery(factories, { vault: getAddress(vault.address), code }));
}

/** The fields of a registry entry or vault that say which registers are those of its family. */
type FamilyMember = Pick<VaultRow, "chainId" | "address" | "adapter">;

const familyRegisters = (ctx: Context, { chainId, adapter }: FamilyMember): VaultRegister[] =>
  servedRegisters(ctx).filter((register) => register.chainId === chainId && register.adapter === adapter);

/**
 * Returns true if a register that its protocol governs names a vault, or if at least two of these do: public lists, other
 * registers, and the factories that created it (`creators`; not those of which only the original of clones is known). In
 * a family with a governed register on the chain, factories that anyone can use do not count: that register does not name
 * what they create, although it could.
 */
export function isAgreed(
  ctx: Context,
  of: { vault: FamilyMember; vouching: Vouching; creators: readonly VaultRegister[] },
): boolean {
  const { lists, registers } = of.vouching;
  if (isGoverned(registers)) return true;
  const hasGoverned = isGoverned(familyRegisters(ctx, of.vault));
  const counted = [...registers, ...of.creators.filter(namesVaults)].filter(
    ({ isFactory, openness }) => !(hasGoverned && isFactory && openness === "anybody"),
  );
  return new Set([...lists, ...counted.map(sourceOf)]).size > 1;
}

/**
 * Returns false for factories of which only the original is known: anyone can deploy a clone of it, so a clone proves
 * the code but not who created it.
 */
const namesVaults = ({ reading }: VaultRegister): boolean =>
  reading.kind !== "asked" || reading.view !== "vault_original";

/** Returns true if one of the registers is governed by its protocol, so that not everyone can add vaults. */
export const isGoverned = (registers: readonly VaultRegister[]): boolean =>
  registers.some(({ openness }) => openness === "governed");
