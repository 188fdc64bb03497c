import { type Address, getAddress, isAddressEqual, parseAbi } from "viem";
import {
  andThen,
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  type Read,
  read,
  valueOrNull,
} from "../../../chains/query.ts";
import type { VaultCaller } from "../../../db/schema/vaults.ts";
import { once } from "../../../lib/once.ts";
import type { VaultType } from "../../../schemas/vault.ts";
import {
  type Derivation,
  type DerivationSubject,
  type Deriver,
  sanitizeLabel,
  tokenQuery,
  underivable,
  underivableQuery,
} from "../../derivation.ts";

/** Stands for an ordinary account in permissions that are asked for nobody in particular. */
export const ORDINARY_ACCOUNT: Address = "0x000000000000000000000000000000000000dEaD";

/** A vault is of the family when each of these views answers. `family`: its name, for people. */
export function identifyByViews(family: string, views: Record<string, Read<unknown>>): Query<Identification> {
  return createQuery(views, (results): Identification => {
    const silent = Object.entries(results).find(([, result]) => !result.ok);
    return silent === undefined ? { ok: true } : notIdentified(family, `${silent[0]}() does not answer`);
  });
}

/** Why a contract is none of a family. */
export const notIdentified = (family: string, why: string): Identification => ({
  ok: false,
  reason: `the contract is no vault of ${family}: ${why}`,
});

/** The factories whose word is final, by chain; where none is known the vault's own view has to do. */
export interface FamilyFactories {
  family: string;
  /** The view of the factories: one address in, a boolean out. */
  ask: (factory: Address, vault: Address) => Read<boolean>;
  byChain: Readonly<Record<number, readonly Address[]>>;
}

/** A vault is of the family when it answers to `view` and a factory of its chain knows it. */
export function identifyByFactory(
  factories: FamilyFactories,
  of: { chainId: number; address: Address; view: Read<unknown> },
): Query<Identification> {
  const { family, ask, byChain } = factories;
  const known = byChain[of.chainId] ?? [];
  const reads: Record<string, Read<unknown>> = { view: of.view };
  for (const [index, factory] of known.entries()) reads[`factory${index}`] = ask(factory, of.address);
  return createQuery(reads, ({ view, ...told }): Identification => {
    if (view?.ok !== true) return notIdentified(family, "its own view does not answer");
    const vouched =
      known.length === 0 || Object.values(told).some((result) => result.ok && result.value === true);
    return vouched ? { ok: true } : notIdentified(family, "no factory of it knows the contract");
  });
}

const vaultAbi = once(() =>
  parseAbi([
    "function asset() view returns (address)",
    "function name() view returns (string)",
    "function totalAssets() view returns (uint256)",
    "function convertToAssets(uint256) view returns (uint256)",
    "function previewDeposit(uint256) view returns (uint256)",
    "function share() view returns (address)",
  ]),
);
const shareAbi = once(() =>
  parseAbi([
    "function decimals() view returns (uint8)",
    "function totalSupply() view returns (uint256)",
    "function balanceOf(address) view returns (uint256)",
    "function allowance(address, address) view returns (uint256)",
  ]),
);
const MAX_NAME = 120;
const MAX_DECIMALS = 36;

/** What a family's own views say of a vault: who has to call it, or why it is none of the family. */
export type Identification =
  | { ok: true; caller?: VaultCaller; params?: Record<string, string> }
  | { ok: false; reason: string };

/** What sets a family that keeps to ERC-4626 apart when it is recognised. */
export interface Erc4626DeriverTraits {
  adapter: string;
  type: VaultType;
  /** The family's own views; absent where none tells it from any other ERC-4626 vault. */
  mark?(subject: DerivationSubject): Query<Identification>;
  /** Whether `share()` may name another share token, as in ERC-7575. */
  ownShare?: boolean;
  /** False where `previewDeposit` never answers: the asynchronous side of ERC-7540. */
  previews?: boolean;
}

/** What a vault says of itself. */
interface VaultAnswers {
  name: string;
  asset: Address;
  shareToken: Address;
}

/**
 * Makes the deriver of a family that keeps to ERC-4626: the vault is entry point, spender and pricer and names
 * its asset; it is the share token too unless the family has another. Source: EIP-4626, EIP-7575.
 */
export function erc4626Deriver(traits: Erc4626DeriverTraits): Deriver {
  const { adapter, type, mark } = traits;
  return {
    adapter,
    type,
    telling: mark !== undefined,
    derive(subject) {
      const own = mark?.(subject) ?? createQuery({}, (): Identification => ({ ok: true }));
      return andThen(queryAll({ own, told: describeVault(subject.address, traits) }), (found) => {
        if (!found.own.ok) return underivableQuery(found.own.reason);
        if (typeof found.told === "string") return underivableQuery(found.told);
        return describeDerivedVault({ subject, told: found.told, mark: found.own });
      });
    },
  };
}

/** What the vault says, or why it is no vault of the family. */
function describeVault(vault: Address, traits: Erc4626DeriverTraits): Query<VaultAnswers | string> {
  const on = { to: vault, abi: vaultAbi() } as const;
  return createQuery(
    {
      asset: read({ ...on, name: "asset" }),
      name: read({ ...on, name: "name" }),
      total: read({ ...on, name: "totalAssets" }),
      price: read({ ...on, name: "convertToAssets", args: [1n] }),
      preview: read({ ...on, name: "previewDeposit", args: [1n] }),
      share: read({ ...on, name: "share" }),
    },
    ({ asset, name, total, price, preview, share }) => {
      const speaks = total.ok && price.ok && (traits.previews === false || preview.ok);
      if (!asset.ok || !speaks) return "the contract is no ERC-4626 vault";
      const shareToken = valueOrNull(share) ?? vault;
      if (traits.ownShare !== true && !isAddressEqual(shareToken, vault))
        return "the vault's shares are another contract's";
      return {
        name: sanitizeLabel(valueOrNull(name), MAX_NAME),
        asset: getAddress(asset.value),
        shareToken: getAddress(shareToken),
      };
    },
  );
}

/** What asset and share token say of themselves, and the vault that all of it makes. */
function describeDerivedVault(of: {
  subject: DerivationSubject;
  told: VaultAnswers;
  mark: Extract<Identification, { ok: true }>;
}): Query<Derivation> {
  const { told, mark } = of;
  const on = { to: told.shareToken, abi: shareAbi() } as const;
  const share = createQuery(
    {
      decimals: read({ ...on, name: "decimals" }),
      supply: read({ ...on, name: "totalSupply" }),
      balance: read({ ...on, name: "balanceOf", args: [ORDINARY_ACCOUNT] }),
      allowance: read({ ...on, name: "allowance", args: [ORDINARY_ACCOUNT, ORDINARY_ACCOUNT] }),
    },
    ({ decimals, supply, balance, allowance }) => ({
      decimals: supply.ok ? valueOrNull(decimals) : null,
      // A vault may tell its shares' supply and keep them in a contract that it does not name.
      keepsBalances: balance.ok && allowance.ok,
    }),
  );
  const asked = queryAll({ asset: tokenQuery(told.asset), share });
  return mapQuery(asked, ({ asset, share: { decimals, keepsBalances } }): Derivation => {
    if (asset === null) return underivable("the vault's asset does not say its symbol and decimals");
    if (decimals === null || decimals > MAX_DECIMALS)
      return underivable("the share token does not say its decimals and supply");
    if (!keepsBalances)
      return underivable("the share token keeps no balances, and the vault names no other that does");
    const vault = getAddress(of.subject.address);
    const { caller = "router", params = {} } = mark;
    const own = { entryPoint: vault, spender: vault, pricer: vault, caller, params };
    const { name, shareToken } = told;
    const derived = { name, asset, acceptedAssets: [asset], shareToken, shareDecimals: decimals, ...own };
    return { ok: true, vault: derived };
  });
}
