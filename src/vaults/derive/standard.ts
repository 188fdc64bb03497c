import { type Address, getAddress, isAddressEqual, parseAbi } from "viem";
import {
  type Described,
  describe,
  describeAll,
  describeFrom,
  mapDescribed,
  read,
  valueOrNull,
} from "../../chains/read.ts";
import type { VaultCaller } from "../../db/schema.ts";
import { once } from "../../lib/once.ts";
import type { VaultType } from "../../schemas/vault.ts";
import { type Derivation, describeToken, toLabel, underivable } from "../derivation.ts";
import { type Deriver, refused, type Subject } from "./derivation.ts";
import { ANYBODY } from "./marks.ts";

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
export type Mark =
  | { ok: true; caller?: VaultCaller; params?: Record<string, string> }
  | { ok: false; reason: string };

/** What sets a family that keeps to ERC-4626 apart when it is recognised. */
export interface StandardTraits {
  adapter: string;
  type: VaultType;
  /** The family's own views; absent where none tells it from any other ERC-4626 vault. */
  mark?(subject: Subject): Described<Mark>;
  /** Whether `share()` may name another share token, as in ERC-7575. */
  ownShare?: boolean;
  /** False where `previewDeposit` never answers: the asynchronous side of ERC-7540. */
  previews?: boolean;
}

/** What a vault says of itself. */
interface Told {
  name: string;
  asset: Address;
  shareToken: Address;
}

/**
 * Makes the deriver of a family that keeps to ERC-4626: the vault is entry point, spender and pricer and names
 * its asset; it is the share token too unless the family has another. Source: EIP-4626, EIP-7575.
 */
export function standardDeriver(traits: StandardTraits): Deriver {
  const { adapter, type, mark } = traits;
  return {
    adapter,
    type,
    telling: mark !== undefined,
    derive(subject) {
      const own = mark?.(subject) ?? describe({}, (): Mark => ({ ok: true }));
      return describeFrom(describeAll({ own, told: describeVault(subject.address, traits) }), (found) => {
        if (!found.own.ok) return refused(found.own.reason);
        if (typeof found.told === "string") return refused(found.told);
        return describeRest({ subject, told: found.told, mark: found.own });
      });
    },
  };
}

/** What the vault says, or why it is no vault of the family. */
function describeVault(vault: Address, traits: StandardTraits): Described<Told | string> {
  const on = { to: vault, abi: vaultAbi() } as const;
  return describe(
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
        name: toLabel(valueOrNull(name), MAX_NAME),
        asset: getAddress(asset.value),
        shareToken: getAddress(shareToken),
      };
    },
  );
}

/** What asset and share token say of themselves, and the vault that all of it makes. */
function describeRest(of: {
  subject: Subject;
  told: Told;
  mark: Extract<Mark, { ok: true }>;
}): Described<Derivation> {
  const { told, mark } = of;
  const on = { to: told.shareToken, abi: shareAbi() } as const;
  const share = describe(
    {
      decimals: read({ ...on, name: "decimals" }),
      supply: read({ ...on, name: "totalSupply" }),
      balance: read({ ...on, name: "balanceOf", args: [ANYBODY] }),
      allowance: read({ ...on, name: "allowance", args: [ANYBODY, ANYBODY] }),
    },
    ({ decimals, supply, balance, allowance }) => ({
      decimals: supply.ok ? valueOrNull(decimals) : null,
      // A vault may tell its shares' supply and keep them in a contract that it does not name.
      keepsBalances: balance.ok && allowance.ok,
    }),
  );
  const asked = describeAll({ asset: describeToken(told.asset), share });
  return mapDescribed(asked, ({ asset, share: { decimals, keepsBalances } }): Derivation => {
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
