import { type Address, getAddress, isAddressEqual, parseAbi, zeroAddress } from "viem";
import {
  andThen,
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  type ReadResult,
  read,
  valueOrNull,
} from "../../../chains/query.ts";
import { once } from "../../../lib/once.ts";
import {
  type Derivation,
  type DerivationSubject,
  type DerivedVault,
  type Deriver,
  hasFunction,
  probeFunction,
  sanitizeLabel,
  tokenQuery,
  underivable,
  underivableQuery,
} from "../../derivation.ts";
import type { Token } from "../../vault.ts";

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
const refundDepositAbi = once(() =>
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

interface ShareInfo {
  name: string;
  decimals: number;
  hook: Address | null;
}
interface TellerInfo {
  address: Address;
  accountant: Address;
  /** Whether shares stay with whoever deposits: locked for a while, or moved by a few operators alone. */
  held: boolean;
  capped: boolean;
  referred: boolean;
}

function describeVault(vault: Address): Query<ShareInfo | null> {
  const on = { to: vault, abi: vaultAbi() } as const;
  const reads = {
    hook: read({ ...on, name: "hook" }),
    name: read({ ...on, name: "name" }),
    decimals: read({ ...on, name: "decimals" }),
    supply: read({ ...on, name: "totalSupply" }),
  };
  return createQuery(reads, ({ hook, name, decimals, supply }) =>
    decimals.ok && supply.ok
      ? {
          name: sanitizeLabel(valueOrNull(name), MAX_NAME),
          decimals: decimals.value,
          hook: valueOrNull(hook),
        }
      : null,
  );
}

/** What a contract says as the vault's teller; null: it is none. */
function describeTeller(address: Address, vault: Address): Query<TellerInfo | null> {
  const on = { to: address, abi: tellerAbi() } as const;
  const args = [0n, zeroAddress, zeroAddress, 0n, 0n, 0n, 0n, zeroAddress];
  const reads = {
    vault: read({ ...on, name: "vault" }),
    accountant: read({ ...on, name: "accountant" }),
    lock: read({ ...on, name: "shareLockPeriod" }),
    cap: read({ ...on, name: "depositCap" }),
    few: read({ ...on, name: "permissionedTransfers" }),
    referred: probeFunction({ to: address, abi: refundDepositAbi(), name: "refundDeposit", args }),
  };
  return createQuery(reads, (told) => {
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
function findTeller(subject: DerivationSubject, share: ShareInfo): Query<TellerInfo | null> {
  const candidates = [share.hook, subject.entryPoint].flatMap((address) =>
    address === null || isAddressEqual(address, zeroAddress) ? [] : [getAddress(address)],
  );
  const asked = Object.fromEntries(
    candidates.map((address, index) => [String(index), describeTeller(address, subject.address)]),
  );
  return mapQuery(queryAll(asked), (told) => Object.values(told).find((teller) => teller !== null) ?? null);
}

/** Which tokens the teller takes at a price of the accountant's, and how it says so. */
function describeTaken(
  teller: TellerInfo,
  tokens: readonly Address[],
): Query<{ taken: Token[]; byData: boolean }> {
  const parts = Object.fromEntries(tokens.map((token) => [token, describeSupport(teller, token)]));
  return mapQuery(queryAll(parts), (told) => {
    const taken = Object.values(told).flatMap(({ token, takes }) => (takes && token !== null ? [token] : []));
    return { taken, byData: Object.values(told).some(({ data }) => data) };
  });
}

function describeSupport(teller: TellerInfo, token: Address) {
  const on = { to: teller.address, abi: tellerAbi(), args: [token] } as const;
  const support = createQuery(
    {
      data: read({ ...on, name: "assetData" }),
      supported: read({ ...on, name: "isSupported" }),
      rate: read({ to: teller.accountant, abi: accountantAbi(), name: "getRateInQuote", args: [token] }),
    },
    ({ data, supported, rate }) => ({ data: data.ok, takes: rate.ok && allows(data, supported) }),
  );
  return mapQuery(queryAll({ support, token: tokenQuery(token) }), (told) => ({
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

interface AccountantInfo {
  base: Address;
  streams: boolean;
}

function describeAccountant({ accountant }: TellerInfo): Query<AccountantInfo | null> {
  const on = { to: accountant, abi: accountantAbi() } as const;
  const reads = {
    base: read({ ...on, name: "base" }),
    // Those that let yield in second by second have a price of more digits.
    virtual: read({ ...on, name: "lastVirtualSharePrice" }),
  };
  return createQuery(reads, ({ base, virtual }) =>
    base.ok ? { base: getAddress(base.value), streams: virtual.ok } : null,
  );
}

function derive(subject: DerivationSubject): Query<Derivation> {
  return andThen(describeVault(subject.address), (share) => {
    if (share === null) return underivableQuery("the contract is no share token");
    return andThen(findTeller(subject, share), (teller) => {
      if (teller === null) return underivableQuery("neither the vault's hook nor its row names its teller");
      return andThen(describeAccountant(teller), (accountant) => {
        if (accountant === null) return underivableQuery("the accountant does not name its base asset");
        const { base, streams } = accountant;
        const tokens = [...new Set([base, ...subject.tokens])];
        return mapQuery(describeTaken(teller, tokens), ({ taken, byData }): Derivation => {
          // The row's own asset where the teller takes it: prices are told in it.
          const asset =
            subject.tokens.flatMap((token) => findToken(taken, token))[0] ?? findToken(taken, base)[0];
          if (asset === undefined)
            return underivable("the teller takes neither the base asset nor the row's");
          const generation = teller.referred ? "d" : !byData ? "a" : teller.capped ? "c" : "b";
          return { ok: true, vault: assemble({ subject, share, teller, asset, taken, generation, streams }) };
        });
      });
    });
  });
}

const findToken = (tokens: readonly Token[], address: Address): Token[] =>
  tokens.filter((token) => isAddressEqual(token.address, address));

function assemble(of: {
  subject: DerivationSubject;
  share: ShareInfo;
  teller: TellerInfo;
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
