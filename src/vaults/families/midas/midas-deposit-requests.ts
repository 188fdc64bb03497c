import { isAddressEqual, parseAbi, parseEventLogs, zeroAddress } from "viem";
import { createQuery, type Query, type ReadResult, read } from "../../../chains/chain-reads.ts";
import { mulDivDown } from "../../../lib/amount.ts";
import { depositRequestOf } from "../../../lib/deposit-request-id.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { AsyncDeposits, PendingDeposit, SubmittedRequest } from "../../vault-adapter.ts";
import { paidTo } from "../../vault-exits.ts";
import type { RequestFlow } from "../../vault-request-flow.ts";
import { depositRequestsAbi } from "./midas-flow-events.ts";
import { midasUnit } from "./midas-params.ts";
import { WAD } from "./midas-pricing.ts";

const requestsAbi = once(() =>
  parseAbi([
    "function mintRequests(uint256) view returns (address sender, address tokenIn, uint8 status, uint256 depositedUsdAmount, uint256 usdAmountWithoutFees, uint256 tokenOutRate)",
  ]),
);
const approvalsAbi = once(() =>
  parseAbi([
    "event ApproveRequest(uint256 indexed requestId, uint256 newOutRate)",
    "event SafeApproveRequest(uint256 indexed requestId, uint256 newOutRate)",
    "event ApproveRequest(uint256 indexed requestId, uint256 newOutRate, bool isSafe, bool isAvgRate)",
  ]),
);
/** Status of a deposit request that is neither approved nor rejected yet. */
const STATUS_OPEN = 0;
const STATUS_APPROVED = 1;
const STATUS_REJECTED = 2;
const REQUEST_ID_PATTERN = /^\d{1,77}$/;

type MintRequest = readonly [`0x${string}`, `0x${string}`, number, bigint, bigint, bigint];

const requestRead = (vault: Vault, id: string) =>
  read({ to: vault.entryPoint, abi: requestsAbi(), name: "mintRequests", args: [BigInt(id)] });

/**
 * Returns the assets of an open deposit request in the asset's smallest unit, or 0 once it is approved or rejected.
 * Null if unknown: the contract stores a value in USD, which is the amount only for a token with a fixed price.
 */
function pendingAssetsOf(vault: Vault, result: ReadResult<MintRequest>): bigint | null {
  if (!result.ok) return null;
  const [, tokenIn, status, value] = result.value;
  if (status !== STATUS_OPEN) return 0n;
  const unit = midasUnit(vault.asset.decimals);
  const fixed = vault.params["asset_rate"] === "stable" && isAddressEqual(tokenIn, vault.asset.address);
  return fixed && unit !== null ? value / unit : null;
}

/**
 * Returns the assets of an approved deposit request, in the asset's smallest unit, or 0 if it is open or rejected. They
 * are those of its flow (`known`) or, for an asset with a fixed price, the stored value. Null if unknown.
 */
function putInBy(vault: Vault, of: { result: ReadResult<MintRequest>; known: bigint | null }): bigint | null {
  if (!of.result.ok) return null;
  const [, , status, value] = of.result.value;
  if (status !== STATUS_APPROVED) return 0n;
  const unit = midasUnit(vault.asset.decimals);
  return of.known ?? (vault.params["asset_rate"] === "stable" && unit !== null ? value / unit : null);
}

/**
 * Returns the mTokens that a deposit request has minted, or 0 unless it is approved. An approval stores its price. Null if
 * unknown.
 */
function mintedBy(result: ReadResult<MintRequest>): bigint | null {
  if (!result.ok) return null;
  const [, , status, , paid, mTokenRate] = result.value;
  if (status !== STATUS_APPROVED) return 0n;
  return mTokenRate === 0n ? null : mulDivDown(paid, WAD, mTokenRate);
}

/** Returns the deposit requests of flows, and their reads, by the DepositVault's number. */
function depositRequestsOf(vault: Vault, flows: readonly RequestFlow[]) {
  const known = new Map(
    flows.flatMap(({ requestId, assets }): [string, bigint | null][] => {
      const id = depositRequestOf(requestId);
      return id === null ? [] : [[id, assets]];
    }),
  );
  return { known, reads: Object.fromEntries([...known.keys()].map((id) => [id, requestRead(vault, id)])) };
}

/**
 * Returns a query for the total that a user's deposit requests among `flows` have put into the vault, in the asset's
 * smallest unit: a request counts once it is approved, and never if it is rejected, because the payment of a rejected
 * one is returned outside of the chain. Null if the amount or state of one of them is unknown.
 */
export function midasPutIn(vault: Vault, flows: readonly RequestFlow[]): Query<bigint | null> {
  const { known, reads } = depositRequestsOf(vault, flows);
  return createQuery(reads, (results) =>
    sum(
      Object.entries(results).map(([id, result]) => putInBy(vault, { result, known: known.get(id) ?? null })),
    ),
  );
}

/**
 * Returns a query for the mTokens that a user's deposit requests among `flows` have minted; null if those of one of them
 * are unknown.
 */
export const midasMintedShares = (vault: Vault, flows: readonly RequestFlow[]): Query<bigint | null> =>
  createQuery(depositRequestsOf(vault, flows).reads, (results) => sum(Object.values(results).map(mintedBy)));

const sum = (amounts: readonly (bigint | null)[]): bigint | null =>
  amounts.reduce((total, amount) => (total === null || amount === null ? null : total + amount), 0n);

/**
 * Asynchronous deposits into Midas, which can be read only by known request ids. An approval mints the mTokens, so
 * there is nothing to claim. A rejection refunds nothing on chain. Source: midas-apps/contracts.
 */
export const midasRequests: AsyncDeposits = {
  pending(vault, { requestIds }) {
    const known = [...new Set(requestIds)].filter((id) => REQUEST_ID_PATTERN.test(id));
    return createQuery(
      Object.fromEntries(known.map((id) => [id, requestRead(vault, id)])),
      (results): PendingDeposit => {
        const amounts = Object.values(results).map((result) => pendingAssetsOf(vault, result));
        const statuses = Object.values(results).map((result) => (result.ok ? result.value[2] : null));
        // One that cannot be read may be open.
        const openIds = Object.keys(results).filter((_, at) => (statuses[at] ?? STATUS_OPEN) === STATUS_OPEN);
        return {
          pendingAssets: known.length === 0 ? null : sum(amounts),
          claimableShares: 0n,
          claimableAssets: 0n,
          rejected: known.length > 0 && statuses.every((status) => status === STATUS_REJECTED),
          openIds,
        };
      },
    );
  },
  claim: () => null,
  sendsUnclaimed: true,
  findRequest(vault, { user, logs }): SubmittedRequest | null {
    const own = logs.filter(({ address }) => isAddressEqual(address, vault.entryPoint));
    for (const { eventName, args } of parseEventLogs({ abi: depositRequestsAbi(), logs: own })) {
      const owner = eventName === "DepositRequest" ? args.user : args.recipient;
      if (!isAddressEqual(owner, user)) continue;
      const unit = midasUnit(vault.asset.decimals);
      const inAsset = isAddressEqual(args.tokenIn, vault.asset.address) && unit !== null;
      return {
        requestId: args.requestId.toString(),
        assets: inAsset ? args.amountToken / unit : null,
      };
    }
    return null;
  },
  // The events have no amount, so the shares are those that arrived; a receipt may approve several requests.
  findClaim(vault, { user, requestId, logs }) {
    const own = logs.filter(({ address }) => isAddressEqual(address, vault.entryPoint));
    const approvals = parseEventLogs({ abi: approvalsAbi(), logs: own });
    const at = approvals.findIndex(({ args }) => args.requestId.toString() === requestId);
    const [approval, before] = [approvals[at], approvals[at - 1]];
    if (approval === undefined) return null;
    const to = { token: vault.shareToken, receiver: user };
    // Each approval mints right before its event.
    const [after, until] = [before?.logIndex ?? -1, approval.logIndex ?? -1];
    const between = logs.filter(({ logIndex }) => Number(logIndex) > after && Number(logIndex) < until);
    const [minted, ...more] = paidTo(between, { ...to, sender: zeroAddress });
    if (minted !== undefined && more.length === 0) return { shares: minted, assets: null, alone: true };
    const shares = sum(paidTo(logs, to));
    return shares === null ? null : { shares, assets: null };
  },
};
