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
} from "../../../chains/chain-reads.ts";
import { once } from "../../../lib/once.ts";
import type { Token } from "../../vault.ts";
import {
  type Derivation,
  type DerivationSubject,
  type DerivedVault,
  type Deriver,
  hasFunction,
  MAX_NAME_LENGTH,
  probeFunction,
  sanitizeLabel,
  tokenQuery,
  underivable,
  underivableQuery,
} from "../../vault-deriver.ts";
import { tokenList, withoutParams, withWithdrawSeconds } from "../../vault-params.ts";
import {
  exitWaitOf,
  pastTokens,
  reviewedExits,
  stoppedTokens,
  vedaExitParams,
  vedaWaits,
} from "./veda-exit-derivation.ts";

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
/**
 * ABI of `refundDeposit` in the form of tellers with a referrer argument. It checks the caller's authorization before
 * any state change, so an `eth_call` can probe for it.
 */
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

/**
 * Name and decimals of a share token, with its transfer hook, which is usually the vault's teller. `hook` is null if
 * the token has no `hook()`.
 */
interface ShareInfo {
  name: string;
  decimals: number;
  hook: Address | null;
}
/** A teller (Veda's deposit contract), with the features that identify its version. */
interface TellerInfo {
  address: Address;
  accountant: Address;
  /**
   * True if the caller cannot transfer new shares: they are locked for a while, or only permitted operators may
   * transfer.
   */
  held: boolean;
  /** True if the teller has a deposit cap. */
  capped: boolean;
  /** True if the teller's deposit functions take a referrer. */
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
          name: sanitizeLabel(valueOrNull(name), MAX_NAME_LENGTH),
          decimals: decimals.value,
          hook: valueOrNull(hook),
        }
      : null,
  );
}

/**
 * Returns a query for a teller (Veda's deposit contract) and its features. The result is null if the contract is not a
 * teller of this vault.
 */
function describeTeller(address: Address, vault: Address): Query<TellerInfo | null> {
  const on = { to: address, abi: tellerAbi() } as const;
  const args = [0n, zeroAddress, zeroAddress, 0n, 0n, 0n, 0n, zeroAddress];
  const reads = {
    vault: read({ ...on, name: "vault" }),
    accountant: read({ ...on, name: "accountant" }),
    lock: read({ ...on, name: "shareLockPeriod" }),
    cap: read({ ...on, name: "depositCap" }),
    permissioned: read({ ...on, name: "permissionedTransfers" }),
    referred: probeFunction({ to: address, abi: refundDepositAbi(), name: "refundDeposit", args }),
  };
  return createQuery(reads, (results) => {
    if (!results.vault.ok || !results.accountant.ok || !isAddressEqual(results.vault.value, vault))
      return null;
    return {
      address,
      accountant: getAddress(results.accountant.value),
      held: (valueOrNull(results.lock) ?? 0n) > 0n || valueOrNull(results.permissioned) === true,
      capped: results.cap.ok,
      referred: hasFunction(results.referred),
    };
  });
}

/**
 * Returns a query for the vault's teller (Veda's deposit contract): its transfer hook if that is a teller of this
 * vault, otherwise the entry point of the earlier registry entry. The result is null if neither is.
 */
function findTeller(subject: DerivationSubject, share: ShareInfo): Query<TellerInfo | null> {
  const candidates = [share.hook, subject.entryPoint].flatMap((address) =>
    address === null || isAddressEqual(address, zeroAddress) ? [] : [getAddress(address)],
  );
  const tellers = Object.fromEntries(
    candidates.map((address, index) => [String(index), describeTeller(address, subject.address)]),
  );
  return mapQuery(
    queryAll(tellers),
    (found) => Object.values(found).find((teller) => teller !== null) ?? null,
  );
}

/**
 * Returns a query for those of the tokens that the teller accepts and the accountant prices, and for the `others` that
 * it prices, of which `payable` ones the teller pays. `known` are all tokens whose metadata could be read. `byData` is
 * true if the teller has the view `assetData`, `isForeign` if it has no known view of the tokens that it accepts.
 */
function describeTokens(
  teller: TellerInfo,
  tokens: readonly Address[],
): Query<{
  accepted: Token[];
  others: (Token & { payable: boolean })[];
  known: Token[];
  byData: boolean;
  isForeign: boolean;
}> {
  const parts = Object.fromEntries(tokens.map((token) => [token, describeSupport(teller, token)]));
  return mapQuery(queryAll(parts), (answers) => {
    const accepted = Object.values(answers).flatMap(({ token, accepts }) =>
      accepts && token !== null ? [token] : [],
    );
    const others = Object.values(answers).flatMap(({ token, accepts, priced, payable }) =>
      priced && !accepts && token !== null ? [{ ...token, payable }] : [],
    );
    const known = Object.values(answers).flatMap(({ token }) => token ?? []);
    const isForeign = Object.values(answers).every(({ lacks }) => lacks);
    return { accepted, others, known, byData: Object.values(answers).some(({ data }) => data), isForeign };
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
    ({ data, supported, rate }) => ({
      ...{ data: data.ok, accepts: rate.ok && allows(data, supported) },
      ...{ priced: rate.ok, payable: valueOrNull(data)?.[1] === true },
      lacks: [data, supported].every((view) => !view.ok && view.revert !== null),
    }),
  );
  return mapQuery(queryAll({ support, token: tokenQuery(token) }), (results) => ({
    ...results.support,
    token: results.token,
  }));
}

function allows(
  data: ReadResult<readonly [boolean, boolean, number]>,
  supported: ReadResult<boolean>,
): boolean {
  return data.ok ? data.value[0] : valueOrNull(supported) === true;
}

/**
 * An accountant (Veda's price contract): its base asset, and whether yield accrues to its rate every second
 * (`streams`).
 */
interface AccountantInfo {
  base: Address;
  streams: boolean;
}

function describeAccountant({ accountant }: TellerInfo): Query<AccountantInfo | null> {
  const on = { to: accountant, abi: accountantAbi() } as const;
  const reads = {
    base: read({ ...on, name: "base" }),
    // Only accountants with streamed yield have this view function.
    virtual: read({ ...on, name: "lastVirtualSharePrice" }),
  };
  return createQuery(reads, ({ base, virtual }) =>
    base.ok ? { base: getAddress(base.value), streams: virtual.ok } : null,
  );
}

const NOTHING_TAKEN = "the teller accepts neither the base asset nor a token of the registry entry";
/** As for Nucleus's tellers, which list the accepted tokens in `isDepositSupported`. */
const UNKNOWN_TELLER =
  "this version of the teller is not supported: it has neither assetData() nor isSupported()";

function derive(subject: DerivationSubject): Query<Derivation> {
  return andThen(describeVault(subject.address), (share) => {
    if (share === null) return underivableQuery("the contract is not a share token");
    return andThen(findTeller(subject, share), (teller) => {
      if (teller === null)
        return underivableQuery(
          "neither the vault's hook nor the entry point of its registry entry is its teller",
        );
      return andThen(describeAccountant(teller), (accountant) => {
        if (accountant === null) return underivableQuery("the accountant does not name its base asset");
        const { base, streams } = accountant;
        const { paid, stopped: ended } = pastTokens(subject);
        const past = [...paid, ...ended];
        const tokens = [...new Set([base, ...subject.tokens, ...past.map(({ address }) => address)])];
        const parts = queryAll({
          tokens: describeTokens(teller, tokens),
          exits: vedaExitParams(subject, teller.address),
          waits: vedaWaits(reviewedExits(subject), tokens),
        });
        return mapQuery(parts, ({ tokens: taken, exits, waits }): Derivation => {
          // What the vault had stopped paying is looked at for open requests only, until the vault takes it again.
          const { accepted, others, byData, isForeign } = taken;
          // The registry entry's asset has precedence, because past prices are stored in it.
          const ranked = [subject.asset ?? base, base, ...subject.tokens];
          const asset = ranked.flatMap((token) => findToken(accepted, token))[0];
          if (asset === undefined) return underivable(isForeign ? UNKNOWN_TELLER : NOTHING_TAKEN);
          const generation = teller.referred ? "d" : !byData ? "a" : teller.capped ? "c" : "b";
          const wait = exitWaitOf(exits, waits[asset.address.toLowerCase()]);
          const isOpen = exits["teller_withdraw"] === "public";
          const paysOnly = others.filter(
            ({ address, payable }) =>
              (isOpen && payable) ||
              waits[address.toLowerCase()]?.paidBy.some((name) => (exits[name] ?? "") !== "") === true,
          );
          const listed = [asset, ...accepted, ...paysOnly];
          const named = taken.known.filter(({ address }) => subject.tokens.includes(address));
          const known = [...paid, ...named, ...ended];
          const stopped = stoppedTokens({ exits: { ...subject.params, ...exits }, listed, known });
          const tokensOf = { asset, accepted, paysOnly, stopped };
          const found = { share, teller, ...tokensOf, generation, streams, exits, wait };
          return { ok: true, vault: assemble({ subject, ...found }) };
        });
      });
    });
  });
}

const findToken = (tokens: readonly Token[], address: Address): Token[] =>
  tokens.filter((token) => isAddressEqual(token.address, address));

/** Parameters that each derivation sets anew, or leaves out. */
const DERIVED = ["teller_withdraw", "redeem_tokens", "stopped_tokens"];

function assemble(of: {
  subject: DerivationSubject;
  share: ShareInfo;
  teller: TellerInfo;
  asset: Token;
  accepted: readonly Token[];
  /** Tokens that the vault pays but does not accept. */
  paysOnly: readonly Token[];
  /** Tokens of earlier registry entries that open requests may still name. */
  stopped: readonly Token[];
  generation: string;
  streams: boolean;
  exits: Readonly<Record<string, string>>;
  /** Wait for withdrawals in seconds, or null if the vault pays immediately or states none. */
  wait: number | null;
}): DerivedVault {
  const { subject, share, teller, asset, accepted } = of;
  const vault = getAddress(subject.address);
  return {
    name: share.name,
    asset,
    acceptedAssets: [asset, ...accepted.filter((token) => token !== asset)],
    shareToken: vault,
    shareDecimals: share.decimals,
    entryPoint: teller.address,
    spender: vault,
    pricer: teller.accountant,
    // The Router could not forward locked shares; version `a` locks them until the end of the block at least.
    caller: teller.held || of.generation === "a" ? "user" : "router",
    params: {
      ...withWithdrawSeconds(withoutParams(subject.params, DERIVED), of.wait),
      ...(of.paysOnly.length > 0 && { redeem_tokens: tokenList(of.paysOnly) }),
      ...(of.stopped.length > 0 && { stopped_tokens: tokenList(of.stopped) }),
      ...{ teller: of.generation, ...(of.streams && { rate: "streamed" }) },
      ...of.exits,
    },
  };
}

/**
 * Deriver of Veda's BoringVaults. The teller, which names the accountant, is the vault's transfer hook or, if that is
 * not a teller of the vault, the entry point of the earlier registry entry. Source: Veda-Labs/boring-vault.
 */
export const vedaDeriver: Deriver = { conclusive: true, derive };
