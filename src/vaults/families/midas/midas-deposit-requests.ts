import { isAddressEqual, parseAbi, parseEventLogs, zeroAddress } from "viem";
import { createQuery, type ReadResult, read } from "../../../chains/chain-reads.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { AsyncDeposits, PendingDeposit, SubmittedRequest } from "../../vault-adapter.ts";
import { paidTo } from "../../vault-exits.ts";
import { depositRequestsAbi } from "./midas-flow-events.ts";
import { midasUnit } from "./midas-params.ts";

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
const STATUS_REJECTED = 2;
const REQUEST_ID_PATTERN = /^\d{1,77}$/;

type MintRequest = readonly [`0x${string}`, `0x${string}`, number, bigint, bigint, bigint];

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

const sum = (amounts: readonly (bigint | null)[]): bigint | null =>
  amounts.reduce((total, amount) => (total === null || amount === null ? null : total + amount), 0n);

/**
 * Asynchronous deposits into Midas, which can be read only by known request ids. An approval mints the mTokens, so
 * there is nothing to claim. A rejection refunds nothing on chain. Source: midas-apps/contracts.
 */
export const midasRequests: AsyncDeposits = {
  pending(vault, { requestIds }) {
    const known = [...new Set(requestIds)].filter((id) => REQUEST_ID_PATTERN.test(id));
    const on = { to: vault.entryPoint, abi: requestsAbi(), name: "mintRequests" } as const;
    return createQuery(
      Object.fromEntries(known.map((id) => [id, read({ ...on, args: [BigInt(id)] })])),
      (results): PendingDeposit => {
        const amounts = Object.values(results).map((result) => pendingAssetsOf(vault, result));
        const statuses = Object.values(results).map((result) => (result.ok ? result.value[2] : null));
        return {
          pendingAssets: known.length === 0 ? null : sum(amounts),
          claimableShares: 0n,
          claimableAssets: 0n,
          rejected: known.length > 0 && statuses.every((status) => status === STATUS_REJECTED),
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
