import { getAddress } from "viem";
import { runWholeQuery } from "../chains/aggregator/aggregate-reads.ts";
import type { ChainClient } from "../chains/chain-client.ts";
import type { Context } from "../context.ts";
import type { VaultRow } from "../db/queries/vault-queries.ts";
import { servedRegisters, sourceOf } from "./discover-registry-vaults.ts";
import { deniedQuery } from "./registers/read-register.ts";
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

/** Returns true if one of the registers is governed by its protocol, so that not everyone can add vaults. */
export const isGoverned = (registers: readonly VaultRegister[]): boolean =>
  registers.some(({ openness }) => openness === "governed");
