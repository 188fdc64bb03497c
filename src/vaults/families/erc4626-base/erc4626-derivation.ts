import { type Address, getAddress, isAddressEqual, parseAbi } from "viem";
import {
  andThen,
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  type Read,
  type ReadResult,
  read,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import type { VaultCaller } from "../../../db/tables/vault-tables.ts";
import { once } from "../../../lib/once.ts";
import {
  type Derivation,
  type DerivationSubject,
  type Deriver,
  MAX_NAME_LENGTH,
  sanitizeLabel,
  tokenQuery,
  underivable,
  underivableQuery,
} from "../../vault-deriver.ts";
import { explainCommonRevert } from "../../vault-reverts.ts";

/**
 * An account without special rights, for reads without a user, and in place of the Router's executor, whose address is
 * not known in advance. It is not the zero address, for which some vaults return 0.
 */
export const ORDINARY_ACCOUNT: Address = "0x000000000000000000000000000000000000dEaD";

/**
 * Result of checking whether a contract is a vault of a family: who may call it to deposit (the Router if absent) and
 * its registry parameters (none if absent), or a human-readable reason why it is not one or cannot be supported.
 */
export type Identification =
  | { ok: true; caller?: VaultCaller; params?: Record<string, string> }
  | { ok: false; reason: string };

/**
 * Creates the result for a contract that is not a vault of the family. `family` (display name) and `why` form its
 * human-readable reason.
 */
export const notIdentified = (family: string, why: string): Identification => ({
  ok: false,
  reason: `the contract is not a vault of ${family}: ${why}`,
});

/**
 * Returns a query that identifies a vault by view functions that only its family has. All calls must succeed;
 * otherwise, the reason names the first one that failed, by its key in `views`. `family` is the display name.
 */
export function identifyByViews(family: string, views: Record<string, Read<unknown>>): Query<Identification> {
  return createQuery(views, (results): Identification => {
    const missing = Object.entries(results).find(([, result]) => !result.ok);
    return missing === undefined ? { ok: true } : notIdentified(family, `${missing[0]}() does not answer`);
  });
}

/** Decoded results of view functions, by name. */
type ViewValues<R extends Record<string, Read<unknown>>> = {
  [K in keyof R]: R[K] extends Read<infer T> ? T : never;
};

/**
 * Returns a query that identifies a vault by its family's view functions, which must all succeed, and by `confirm`,
 * whose query returns the reason why their results contradict the family, or null. `family` is the display name.
 */
export function identifyByAnswers<R extends Record<string, Read<unknown>>>(
  family: string,
  of: { views: R; confirm: (values: ViewValues<R>) => Query<string | null> },
): Query<Identification> {
  const reads: Record<string, Read<unknown>> = of.views;
  const values = createQuery(reads, (results) => {
    const missing = Object.entries(results).find(([, result]) => !result.ok);
    if (missing !== undefined) return `${missing[0]}() does not answer`;
    return Object.fromEntries(Object.entries(results).map(([name, result]) => [name, valueOrNull(result)]));
  });
  const objection = andThen(values, (answers): Query<string | null> => {
    if (typeof answers === "string") return createQuery({}, () => answers);
    return of.confirm(answers as ViewValues<R>);
  });
  return mapQuery(objection, (why) => (why === null ? { ok: true } : notIdentified(family, why)));
}

/**
 * The known contracts that create a family's vaults. On a chain without one, the vault's own view functions identify
 * it.
 */
export interface FamilyFactories {
  /** Display name of the family. */
  family: string;
  /** Creates the read of whether a factory created a vault. */
  createdRead: (factory: Address, vault: Address) => Read<boolean>;
  /** Addresses of the factories, by chain id. */
  byChain: Readonly<Record<number, readonly Address[]>>;
}

/**
 * Returns a query for a human-readable reason unless a known factory of a family confirms that it created a contract.
 * The result is null if one does, or if none is known on the chain.
 */
export function factoryQuery(
  { createdRead, byChain }: Omit<FamilyFactories, "family">,
  { chainId, address }: { chainId: number; address: Address },
): Query<string | null> {
  const reads = (byChain[chainId] ?? []).map((factory) => [factory, createdRead(factory, address)] as const);
  return createQuery(Object.fromEntries(reads), (results) =>
    objectionOf(Object.values(results).map((result) => valueOrNull(result))),
  );
}

/**
 * Returns a human-readable reason if no factory confirms that it created a contract; null if one does, or if `created`
 * is empty. `created` holds each factory's answer, or null if it did not respond.
 */
export function objectionOf(created: readonly (boolean | null)[]): string | null {
  if (created.length === 0 || created.includes(true)) return null;
  return created.includes(false)
    ? "no factory of the family created the contract"
    : "no known factory of the family answers on this chain";
}

/**
 * Returns a query that identifies a vault by a view function, which must succeed, and by its family's factories: if any
 * are known on the chain, one of them must have created it.
 */
export function identifyByFactory(
  factories: FamilyFactories,
  of: { chainId: number; address: Address; view: Read<unknown> },
): Query<Identification> {
  const view = createQuery({ view: of.view }, (results) => results.view.ok);
  const parts = queryAll({ view, against: factoryQuery(factories, of) });
  return mapQuery(parts, ({ view: answers, against }): Identification => {
    if (!answers) return notIdentified(factories.family, "its own view does not answer");
    return against === null ? { ok: true } : notIdentified(factories.family, against);
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
    "function name() view returns (string)",
    "function decimals() view returns (uint8)",
    "function totalSupply() view returns (uint256)",
    "function balanceOf(address) view returns (uint256)",
    "function allowance(address, address) view returns (uint256)",
  ]),
);

/** Deviations of an ERC-4626 vault family from the standard that matter for deriving a registry entry. */
export interface Erc4626DeriverOptions {
  /**
   * Returns a query for whether a contract is a vault of the family, and for its registry parameters. Absent if every
   * ERC-4626 vault is one; it then gets no parameters.
   */
  identify?(subject: DerivationSubject): Query<Identification>;
  /** True if `share()` may return a separate share token, as in ERC-7575. */
  ownShare?: boolean;
  /** False if `previewDeposit` may revert although the vault accepts deposits, as in ERC-7540; true if absent. */
  previews?: boolean;
}

/**
 * What an ERC-4626 vault's view functions return. `name` is cut to 120 characters, and empty if the vault has none;
 * `shareToken` is the vault itself unless `share()` returns another token.
 */
interface VaultAnswers {
  name: string;
  asset: Address;
  shareToken: Address;
}

/**
 * Creates the deriver of an ERC-4626 vault family, `conclusive` if `identify` is given. The vault is its own entry
 * point, spender and pricer, and its asset the only accepted token. Sources: EIP-4626, EIP-7575.
 */
export function erc4626Deriver(options: Erc4626DeriverOptions = {}): Deriver {
  const { identify } = options;
  return {
    conclusive: identify !== undefined,
    derive(subject) {
      const identified = identify?.(subject) ?? createQuery({}, (): Identification => ({ ok: true }));
      const both = queryAll({ identified, answers: describeVault(subject.address, options) });
      return andThen(both, ({ identified: identification, answers }) => {
        if (!identification.ok) return createQuery({}, (): Derivation => identification);
        if (typeof answers === "string") return underivableQuery(answers);
        if ("closed" in answers) return createQuery({}, (): Derivation => answers);
        return describeDerivedVault({ subject, answers, identification });
      });
    },
  };
}

const NO_PREVIEW =
  "previewDeposit() does not answer: the vault may take deposits only by request (ERC-7540) or none at all";

type Closed = { ok: false; reason: string; closed: true };

/** Returns that a vault is closed if one of these views reverts with data, as while it is paused; otherwise null. */
function closedBy(views: Record<string, ReadResult<unknown>>): Closed | null {
  for (const [name, result] of Object.entries(views)) {
    if (result.ok || result.revert === null || result.revert === "0x") continue;
    const { text } = explainCommonRevert(result.revert);
    return {
      ok: false,
      reason: `${name}() reverts${text ? `: ${text}` : " without a reason"}`,
      closed: true,
    };
  }
  return null;
}

/**
 * Returns a query for the vault's own view functions. The result is a human-readable reason if the contract is not an
 * ERC-4626 vault, or one that `options` exclude; for a vault that does not say what it holds, it is `Closed`.
 */
function describeVault(
  vault: Address,
  options: Erc4626DeriverOptions,
): Query<VaultAnswers | Closed | string> {
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
      if (!asset.ok || !total.ok || !price.ok) {
        const closed = asset.ok ? closedBy({ totalAssets: total, convertToAssets: price }) : null;
        return closed ?? "the contract is not an ERC-4626 vault";
      }
      if (options.previews !== false && !preview.ok) return NO_PREVIEW;
      const shareToken = valueOrNull(share) ?? vault;
      if (options.ownShare !== true && !isAddressEqual(shareToken, vault))
        return "the vault's shares are a separate token";
      if (isAddressEqual(asset.value, shareToken)) return "the vault's asset is its own share token";
      return {
        name: sanitizeLabel(valueOrNull(name), MAX_NAME_LENGTH),
        asset: getAddress(asset.value),
        shareToken: getAddress(shareToken),
      };
    },
  );
}

/** Returns a query that reads asset and share token of an identified vault and assembles its registry entry. */
function describeDerivedVault(of: {
  subject: DerivationSubject;
  answers: VaultAnswers;
  identification: Extract<Identification, { ok: true }>;
}): Query<Derivation> {
  const { answers, identification } = of;
  const on = { to: answers.shareToken, abi: shareAbi() } as const;
  const share = createQuery(
    {
      name: read({ ...on, name: "name" }),
      decimals: read({ ...on, name: "decimals" }),
      supply: read({ ...on, name: "totalSupply" }),
      balance: read({ ...on, name: "balanceOf", args: [ORDINARY_ACCOUNT] }),
      allowance: read({ ...on, name: "allowance", args: [ORDINARY_ACCOUNT, ORDINARY_ACCOUNT] }),
    },
    ({ name, decimals, supply, balance, allowance }) => ({
      // A vault whose shares are another token may have no name of its own, such as Centrifuge's.
      shareName: sanitizeLabel(valueOrNull(name), MAX_NAME_LENGTH),
      decimals: supply.ok ? valueOrNull(decimals) : null,
      // A vault may report its supply of shares and keep the balances in a contract that it does not name.
      keepsBalances: balance.ok && allowance.ok,
    }),
  );
  const parts = queryAll({ asset: tokenQuery(answers.asset), share });
  return mapQuery(parts, ({ asset, share: { shareName, decimals, keepsBalances } }): Derivation => {
    if (asset === null) return underivable("the vault's asset reports no symbol or decimals");
    if (decimals === null) return underivable("the share token reports no decimals or no total supply");
    if (!keepsBalances)
      return underivable("the share token has no balances, and the vault names no other share token");
    const vault = getAddress(of.subject.address);
    const { caller = "router", params = {} } = identification;
    const own = { entryPoint: vault, spender: vault, pricer: vault, caller, params };
    const { shareToken } = answers;
    const name = answers.name === "" ? shareName : answers.name;
    const derived = { name, asset, acceptedAssets: [asset], shareToken, shareDecimals: decimals, ...own };
    return { ok: true, vault: derived };
  });
}
