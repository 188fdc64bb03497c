import {
  type Address,
  decodeEventLog,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  type Log,
  parseAbi,
  parseEventLogs,
  toEventSelector,
} from "viem";
import { createQuery, read, valueOrNull } from "../../../chains/chain-reads.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type {
  AsyncDeposits,
  DepositCall,
  DepositInput,
  FlowSource,
  PendingDeposit,
} from "../../vault-adapter.ts";
import type { DepositClaim } from "../../vault-deposit-claim.ts";
import { sharePriceOf } from "../../vault-share-price.ts";
import { samplePrice, samplePriceReads, sampleShares } from "../erc4626-base/erc4626-adapter.ts";

const requestDepositAbi = once(() =>
  parseAbi([
    "function requestDeposit(uint256 assets, address controller, address owner) returns (uint256 requestId)",
  ]),
);
/** Byte offset of the amount in every deposit call of ERC-7540 families: the first word after the selector. */
const AMOUNT_OFFSET = 4;

/**
 * Encodes an ERC-7540 deposit request whose controller and owner are the receiver. If `data` is not null, the call is a
 * synchronous deposit with that calldata instead, which mints to the receiver. Source: EIP-7540.
 */
export function erc7540DepositCall(
  vault: Vault,
  deposit: { request: DepositInput; data: Hex | null },
): DepositCall {
  const { amount, receiver } = deposit.request;
  const args = [amount, receiver, receiver] as const;
  return {
    target: vault.entryPoint,
    spender: vault.spender,
    data:
      deposit.data ?? encodeFunctionData({ abi: requestDepositAbi(), functionName: "requestDeposit", args }),
    amountOffset: AMOUNT_OFFSET,
    amountScale: 1n,
    shareToken: vault.shareToken,
    sharesTo: "receiver",
    async: deposit.data === null,
    minShares: "router",
  };
}

const conversionAbi = once(() =>
  parseAbi([
    "function asset() view returns (address)",
    "function totalAssets() view returns (uint256)",
    "function totalSupply() view returns (uint256)",
    "function convertToShares(uint256) view returns (uint256)",
  ]),
);

/**
 * Creates the reads of a vault's asset and of a sample of its share price (`price`, `finePrice`). Unlike previews, they
 * also work in vaults with asynchronous deposits.
 */
export function conversionReads(vault: Vault) {
  const asset = read({ to: vault.entryPoint, abi: conversionAbi(), name: "asset" });
  return { asset, ...samplePriceReads(vault, sampleShares(vault)) };
}

/**
 * Creates the read of the pricer's `convertToShares`, which converts an amount of assets to shares, both in smallest
 * units.
 */
export const convertToSharesRead = (vault: Vault, amount: bigint) =>
  read({ to: vault.pricer, abi: conversionAbi(), name: "convertToShares", args: [amount] });

/**
 * Creates the reads of a vault's total assets and total supply, and of a sample of its share price (`price`,
 * `finePrice`).
 */
export function totalsReads(vault: Vault) {
  return {
    ...samplePriceReads(vault, sampleShares(vault)),
    totalAssets: read({ to: vault.entryPoint, abi: conversionAbi(), name: "totalAssets" }),
    totalSupply: read({ to: vault.shareToken, abi: conversionAbi(), name: "totalSupply" }),
  };
}

type ConversionResults = Parameters<typeof samplePrice>[1];

/**
 * Returns a sample of the share price from the results of `conversionReads` or `totalsReads`: shares and their value in
 * assets, both in smallest units. Null if the conversion failed.
 */
export const conversionPrice = (vault: Vault, results: ConversionResults) =>
  samplePrice(sampleShares(vault), results);

/**
 * Returns the share price: assets per share, both in whole tokens, scaled by 10^18 and rounded down. Null if it is
 * unknown or exceeds a uint256.
 */
export function conversionSharePrice(vault: Vault, results: ConversionResults): bigint | null {
  return sharePriceOf(conversionPrice(vault, results), {
    asset: vault.asset.decimals,
    share: vault.shareDecimals,
  });
}

const flowsAbi = once(() =>
  parseAbi([
    "event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)",
    "event DepositSync(address indexed sender, address indexed owner, uint256 assets, uint256 shares)",
    "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
    "event WithdrawSync(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
  ]),
);

/**
 * Returns the events from which an ERC-7540 vault's deposits and withdrawals are indexed, for the event's owner: claims
 * and instant ones, not requests. `swapped`: the first argument of `Deposit` is the owner. Source: EIP-7540.
 */
export function erc7540Flows(vault: Vault, { swapped }: { swapped: boolean }): FlowSource {
  return {
    addresses: [vault.entryPoint],
    topics: flowsAbi().map(toEventSelector),
    decode(log) {
      if (!isAddressEqual(log.address, vault.entryPoint)) return null;
      try {
        const { eventName, args } = decodeEventLog({ abi: flowsAbi(), data: log.data, topics: log.topics });
        const kind = eventName.startsWith("Deposit") ? "deposit" : "withdrawal";
        const user = swapped && eventName === "Deposit" ? args.sender : args.owner;
        return { kind, user, assets: args.assets, shares: args.shares };
      } catch {
        // The topic matches but the indexed arguments differ: another event.
        return null;
      }
    },
  };
}

const requestsAbi = once(() =>
  parseAbi([
    "function pendingDepositRequest(uint256 requestId, address controller) view returns (uint256)",
    "function claimableDepositRequest(uint256 requestId, address controller) view returns (uint256)",
    "function maxMint(address controller) view returns (uint256)",
    "function deposit(uint256 assets, address receiver, address controller) returns (uint256 shares)",
    "event DepositRequest(address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 assets)",
  ]),
);
const claimsAbi = once(() =>
  parseAbi([
    "event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)",
    "event DepositClaimable(address indexed controller, uint256 indexed requestId, uint256 assets, uint256 shares)",
  ]),
);
const cancellationsAbi = once(() =>
  parseAbi([
    "event DepositRequestCanceled(uint256 indexed requestId, address indexed controller)",
    "event CancelDepositClaim(address indexed receiver, address indexed controller, uint256 indexed requestId, address sender, uint256 assets)",
  ]),
);
/** Request id 0, for which a vault may return the total of a controller's requests, or its last request. */
const ANY_REQUEST = 0n;

/**
 * Asynchronous deposits that the user requests and claims, as controller, owner and receiver at once. They are read
 * under the request id 0, under which a vault may return only the last request. Source: EIP-7540.
 */
export const erc7540Requests: AsyncDeposits = {
  pending(vault, { user }) {
    const on = { to: vault.entryPoint, abi: requestsAbi() } as const;
    const args = [ANY_REQUEST, user] as const;
    return createQuery(
      {
        pending: read({ ...on, name: "pendingDepositRequest", args }),
        claimable: read({ ...on, name: "claimableDepositRequest", args }),
        shares: read({ ...on, name: "maxMint", args: [user] }),
      },
      ({ pending, claimable, shares }): PendingDeposit => {
        const assets = valueOrNull(claimable);
        const mintable = valueOrNull(shares);
        // A paused vault returns 0 claimable shares even if there are claimable assets.
        const known = assets === 0n || (mintable !== null && mintable > 0n);
        return {
          pendingAssets: valueOrNull(pending),
          claimableShares: assets === 0n ? 0n : known && assets !== null ? mintable : null,
          claimableAssets: assets,
        };
      },
    );
  },
  claim(vault, { user, pending }) {
    const assets = pending.claimableAssets;
    if (assets === null || assets === 0n) return null;
    const args = [assets, user, user] as const;
    return {
      target: vault.entryPoint,
      data: encodeFunctionData({ abi: requestsAbi(), functionName: "deposit", args }),
    };
  },
  findRequest(vault, { user, logs }) {
    const own = logs.filter(({ address }) => isAddressEqual(address, vault.entryPoint));
    const requests = parseEventLogs({ abi: requestsAbi(), eventName: "DepositRequest", logs: own });
    const found = requests.find(({ args }) => isAddressEqual(args.controller, user));
    if (found === undefined) return null;
    return { requestId: found.args.requestId.toString(), assets: found.args.assets };
  },
  // A claim's `Deposit` names the controller and the receiver, here both the user. Centrifuge names the receiver first.
  findClaim(vault, { user, logs }) {
    const own = logs.filter(({ address }) => isAddressEqual(address, vault.entryPoint));
    const claims = parseEventLogs({ abi: claimsAbi(), eventName: "Deposit", logs: own }).filter(
      ({ args }) => isAddressEqual(args.sender, user) && isAddressEqual(args.owner, user),
    );
    if (claims.length === 0) return findWorthless(own, user);
    return {
      shares: claims.reduce((total, { args }) => total + args.shares, 0n),
      assets: claims.reduce((total, { args }) => total + args.assets, 0n),
    };
  },
  // Lagoon pays a cancelled request back at once, the standard's cancellations when they are claimed.
  findCancellation(vault, { user, requestId, logs }) {
    const own = logs.filter(({ address }) => isAddressEqual(address, vault.entryPoint));
    const cancellations = parseEventLogs({ abi: cancellationsAbi(), logs: own });
    return cancellations.some(
      ({ args }) =>
        isAddressEqual(args.controller, user) &&
        (requestId === null || args.requestId.toString() === requestId),
    );
  },
};

/**
 * Finds the announcement that a user's assets were settled for no shares, of which nothing is left to claim. Returns
 * null if there is none. Source: centrifuge/protocol, IAsyncVault.
 */
function findWorthless(own: readonly Log[], user: Address): DepositClaim | null {
  const settled = parseEventLogs({ abi: claimsAbi(), eventName: "DepositClaimable", logs: [...own] });
  const assets = settled
    .filter(({ args }) => isAddressEqual(args.controller, user) && args.shares === 0n)
    .reduce((sum, { args }) => sum + args.assets, 0n);
  return assets === 0n ? null : { shares: 0n, assets, announced: true };
}
