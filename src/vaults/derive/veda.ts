import { type Address, getAddress, isAddressEqual, parseAbi, zeroAddress } from "viem";
import {
  type Described,
  describe,
  describeAll,
  describeFrom,
  mapDescribed,
  type ReadResult,
  read,
  valueOrNull,
} from "../../chains/read.ts";
import { once } from "../../lib/once.ts";
import { type Derivation, type DerivedVault, describeToken, toLabel, underivable } from "../derivation.ts";
import type { Token } from "../vault.ts";
import { type Deriver, refused, type Subject } from "./derivation.ts";
import { hasFunction, probe } from "./probe.ts";

const vaultAbi = once(() =>
  parseAbi([
    "function hook() view returns (address)",
    "function name() view returns (string)",
    "function decimals() view returns (uint8)",
    "function totalSupply() view returns (uint256)",
  ]),
);
const tellerAbi = once(() =>
  parseAbi([
    "function vault() view returns (address)",
    "function accountant() view returns (address)",
    "function shareLockPeriod() view returns (uint64)",
    "function depositCap() view returns (uint112)",
    "function permissionedTransfers() view returns (bool)",
    "function isSupported(address) view returns (bool)",
    "function assetData(address) view returns (bool allowDeposits, bool allowWithdraws, uint16 sharePremium)",
  ]),
);
/** Of the tellers that are told a referrer. For whoever is nobody it fails before it writes, unlike `deposit`. */
const referredAbi = once(() =>
  parseAbi([
    "function refundDeposit(uint256 nonce, address receiver, address depositAsset, uint256 depositAmount, uint256 shareAmount, uint256 depositTimestamp, uint256 shareLockUpPeriodAtTimeOfDeposit, address referralAddress)",
  ]),
);
const accountantAbi = once(() =>
  parseAbi([
    "function base() view returns (address)",
    "function getRateInQuote(address) view returns (uint256)",
    "function lastVirtualSharePrice() view returns (uint256)",
  ]),
);
const MAX_NAME = 120;

interface Share {
  name: string;
  decimals: number;
  hook: Address | null;
}
interface Teller {
  address: Address;
  accountant: Address;
  /** Whether shares stay with whoever deposits: locked for a while, or moved by a few operators alone. */
  held: boolean;
  capped: boolean;
  referred: boolean;
}

function describeVault(vault: Address): Described<Share | null> {
  const on = { to: vault, abi: vaultAbi() } as const;
  const reads = {
    hook: read({ ...on, name: "hook" }),
    name: read({ ...on, name: "name" }),
    decimals: read({ ...on, name: "decimals" }),
    supply: read({ ...on, name: "totalSupply" }),
  };
  return describe(reads, ({ hook, name, decimals, supply }) =>
    decimals.ok && supply.ok
      ? { name: toLabel(valueOrNull(name), MAX_NAME), decimals: decimals.value, hook: valueOrNull(hook) }
      : null,
  );
}

/** What a contract says as the vault's teller; null: it is none. */
function describeTeller(address: Address, vault: Address): Described<Teller | null> {
  const on = { to: address, abi: tellerAbi() } as const;
  const args = [0n, zeroAddress, zeroAddress, 0n, 0n, 0n, 0n, zeroAddress];
  const reads = {
    vault: read({ ...on, name: "vault" }),
    accountant: read({ ...on, name: "accountant" }),
    lock: read({ ...on, name: "shareLockPeriod" }),
    cap: read({ ...on, name: "depositCap" }),
    few: read({ ...on, name: "permissionedTransfers" }),
    referred: probe({ to: address, abi: referredAbi(), name: "refundDeposit", args }),
  };
  return describe(reads, (told) => {
    if (!told.vault.ok || !told.accountant.ok || !isAddressEqual(told.vault.value, vault)) return null;
    return {
      address,
      accountant: getAddress(told.accountant.value),
      held: (valueOrNull(told.lock) ?? 0n) > 0n || valueOrNull(told.few) === true,
      capped: told.cap.ok,
      referred: hasFunction(told.referred),
    };
  });
}

/** The teller that the vault's hook is; where the hook is something else, the one that the reviewed row names. */
function findTeller(subject: Subject, share: Share): Described<Teller | null> {
  const candidates = [share.hook, subject.entryPoint].flatMap((address) =>
    address === null || isAddressEqual(address, zeroAddress) ? [] : [getAddress(address)],
  );
  const asked = Object.fromEntries(
    candidates.map((address, index) => [String(index), describeTeller(address, subject.address)]),
  );
  return mapDescribed(
    describeAll(asked),
    (told) => Object.values(told).find((teller) => teller !== null) ?? null,
  );
}

/** Which tokens the teller takes at a price of the accountant's, and how it says so. */
function describeTaken(
  teller: Teller,
  tokens: readonly Address[],
): Described<{ taken: Token[]; byData: boolean }> {
  const parts = Object.fromEntries(tokens.map((token) => [token, describeSupport(teller, token)]));
  return mapDescribed(describeAll(parts), (told) => {
    const taken = Object.values(told).flatMap(({ token, takes }) => (takes && token !== null ? [token] : []));
    return { taken, byData: Object.values(told).some(({ data }) => data) };
  });
}

function describeSupport(teller: Teller, token: Address) {
  const on = { to: teller.address, abi: tellerAbi(), args: [token] } as const;
  const support = describe(
    {
      data: read({ ...on, name: "assetData" }),
      supported: read({ ...on, name: "isSupported" }),
      rate: read({ to: teller.accountant, abi: accountantAbi(), name: "getRateInQuote", args: [token] }),
    },
    ({ data, supported, rate }) => ({ data: data.ok, takes: rate.ok && allows(data, supported) }),
  );
  return mapDescribed(describeAll({ support, token: describeToken(token) }), (told) => ({
    ...told.support,
    token: told.token,
  }));
}

function allows(
  data: ReadResult<readonly [boolean, boolean, number]>,
  supported: ReadResult<boolean>,
): boolean {
  return data.ok ? data.value[0] : valueOrNull(supported) === true;
}

interface Accountant {
  base: Address;
  streams: boolean;
}

function describeAccountant({ accountant }: Teller): Described<Accountant | null> {
  const on = { to: accountant, abi: accountantAbi() } as const;
  const reads = {
    base: read({ ...on, name: "base" }),
    // Those that let yield in second by second have a price of more digits.
    virtual: read({ ...on, name: "lastVirtualSharePrice" }),
  };
  return describe(reads, ({ base, virtual }) =>
    base.ok ? { base: getAddress(base.value), streams: virtual.ok } : null,
  );
}

function derive(subject: Subject): Described<Derivation> {
  return describeFrom(describeVault(subject.address), (share) => {
    if (share === null) return refused("the contract is no share token");
    return describeFrom(findTeller(subject, share), (teller) => {
      if (teller === null) return refused("neither the vault's hook nor its row names its teller");
      return describeFrom(describeAccountant(teller), (accountant) => {
        if (accountant === null) return refused("the accountant does not name its base asset");
        const { base, streams } = accountant;
        const tokens = [...new Set([base, ...subject.tokens])];
        return mapDescribed(describeTaken(teller, tokens), ({ taken, byData }): Derivation => {
          // The row's own asset where the teller takes it: prices are told in it.
          const asset = subject.tokens.flatMap((token) => find(taken, token))[0] ?? find(taken, base)[0];
          if (asset === undefined)
            return underivable("the teller takes neither the base asset nor the row's");
          const generation = teller.referred ? "d" : !byData ? "a" : teller.capped ? "c" : "b";
          return { ok: true, vault: assemble({ subject, share, teller, asset, taken, generation, streams }) };
        });
      });
    });
  });
}

const find = (tokens: readonly Token[], address: Address): Token[] =>
  tokens.filter((token) => isAddressEqual(token.address, address));

function assemble(of: {
  subject: Subject;
  share: Share;
  teller: Teller;
  asset: Token;
  taken: readonly Token[];
  generation: string;
  streams: boolean;
}): DerivedVault {
  const { subject, share, teller, asset, taken } = of;
  const vault = getAddress(subject.address);
  return {
    name: share.name,
    asset,
    acceptedAssets: [asset, ...taken.filter((token) => token !== asset)],
    shareToken: vault,
    shareDecimals: share.decimals,
    entryPoint: teller.address,
    spender: vault,
    pricer: teller.accountant,
    // What stays in the hands of whoever deposits cannot be passed on; the first generation locks it for the block.
    caller: teller.held || of.generation === "a" ? "user" : "router",
    params: { ...subject.params, teller: of.generation, ...(of.streams && { rate: "streamed" }) },
  };
}

/**
 * Veda's vaults: the hook is the teller, which names the accountant. Generations differ in what the teller
 * answers to. Source: Veda-Labs/boring-vault.
 */
export const vedaDeriver: Deriver = { adapter: "veda", type: "veda", telling: true, derive };
