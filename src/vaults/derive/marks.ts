import type { Address } from "viem";
import { type Described, describe, type Read } from "../../chains/read.ts";
import type { Mark } from "./standard.ts";

/** Stands for an ordinary account in permissions that are asked for nobody in particular. */
export const ANYBODY: Address = "0x000000000000000000000000000000000000dEaD";

/** A vault is of the family when each of these views answers. `family`: its name, for people. */
export function answersTo(family: string, views: Record<string, Read<unknown>>): Described<Mark> {
  return describe(views, (results): Mark => {
    const silent = Object.entries(results).find(([, result]) => !result.ok);
    return silent === undefined ? { ok: true } : notOf(family, `${silent[0]}() does not answer`);
  });
}

/** Why a contract is none of a family. */
export const notOf = (family: string, why: string): Mark => ({
  ok: false,
  reason: `the contract is no vault of ${family}: ${why}`,
});

/** The factories whose word is final, by chain; where none is known the vault's own view has to do. */
export interface Factories {
  family: string;
  /** The view of the factories: one address in, a boolean out. */
  ask: (factory: Address, vault: Address) => Read<boolean>;
  byChain: Readonly<Record<number, readonly Address[]>>;
}

/** A vault is of the family when it answers to `view` and a factory of its chain knows it. */
export function madeBy(
  factories: Factories,
  of: { chainId: number; address: Address; view: Read<unknown> },
): Described<Mark> {
  const { family, ask, byChain } = factories;
  const known = byChain[of.chainId] ?? [];
  const reads: Record<string, Read<unknown>> = { view: of.view };
  for (const [index, factory] of known.entries()) reads[`factory${index}`] = ask(factory, of.address);
  return describe(reads, ({ view, ...told }): Mark => {
    if (view?.ok !== true) return notOf(family, "its own view does not answer");
    const vouched =
      known.length === 0 || Object.values(told).some((result) => result.ok && result.value === true);
    return vouched ? { ok: true } : notOf(family, "no factory of it knows the contract");
  });
}
