import type { Context } from "../context.ts";
import type { VaultRow } from "../db/queries/vault-queries.ts";
import { servedRegisters, sourceOf } from "./discover-vaults.ts";
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
export function vouchingFor(
  ctx: Context,
  { chainId, namedBy }: Pick<VaultRow, "chainId" | "namedBy">,
): Vouching {
  return {
    lists: namedBy.filter((name) => name.startsWith("list:")),
    registers: servedRegisters(ctx).filter(
      (register) => register.chainId === chainId && namedBy.includes(sourceOf(register)),
    ),
  };
}

/** Returns true if a public list, or a register that its protocol governs, is among what vouches for a vault. */
export const isCurated = ({ lists, registers }: Vouching): boolean =>
  lists.length > 0 || isGoverned(registers);

/** Returns true if one of the registers is governed by its protocol, so that not everyone can add vaults. */
export const isGoverned = (registers: readonly VaultRegister[]): boolean =>
  registers.some(({ openness }) => openness === "governed");
