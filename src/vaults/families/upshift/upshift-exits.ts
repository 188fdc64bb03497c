import {
  type Address,
  encodeFunctionData,
  hexToBigInt,
  isAddressEqual,
  type Log,
  parseAbi,
  parseEventLogs,
  slice,
  zeroAddress,
} from "viem";
import { createQuery, type Query, type ReadResults, read, valueOrNull } from "../../../chains/chain-reads.ts";
import { smaller } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import {
  type ExitCall,
  type ExitInput,
  type ExitRequestSeen,
  type ExitSettlement,
  type ExitTerms,
  type ExitTermsInput,
  paidTo,
  unknownExitTerms,
  type VaultExits,
} from "../../vault-exits.ts";
import { namesAccount } from "../../vault-log-arguments.ts";
import { familyErrors } from "../../vault-reverts.ts";
import { legacyPaidAbi, legacyPayment, upshiftTakenOut } from "./upshift-flow-events.ts";
import { datedRequests, parseRequestDate, requestIdOf } from "./upshift-requests.ts";

const vaultAbi = once(() =>
  parseAbi([
    "function asset() view returns (address)",
    "function previewRedemption(uint256 shares, bool isInstant) view returns (uint256 gross, uint256 net)",
    "function previewRedeem(uint256 shares) view returns (uint256)",
    "function convertToAssets(uint256 shares) view returns (uint256)",
    "function maxRedeem(address owner) view returns (uint256)",
    "function maxWithdrawalAmount() view returns (uint256)",
    "function withdrawalsPaused() view returns (bool)",
    "function getWithdrawalEpoch() view returns (uint256 year, uint256 month, uint256 day, uint256 claimableEpoch)",
    "function claim(uint256 year, uint256 month, uint256 day, address receiver)",
  ]),
);
const shareAbi = once(() => parseAbi(["function balanceOf(address) view returns (uint256)"]));
/**
 * ABI of the redemption functions. Those of multi-asset vaults name the receiver; those of legacy vaults also name the
 * holder.
 */
const callsAbi = once(() =>
  parseAbi([
    "function requestRedeem(uint256 shares, address receiver)",
    "function instantRedeem(uint256 shares, address receiver)",
    "function requestRedeem(uint256 shares, address receiver, address holder)",
    "function instantRedeem(uint256 shares, address receiver, address holder)",
  ]),
);
const eventsAbi = once(() =>
  parseAbi([
    "event WithdrawalRequested(uint256 shares, address indexed holder, address indexed receiver)",
    "event WithdrawalRequested(address indexed owner, address indexed receiver, uint256 shares, uint256 assets, uint256 fee, uint256 year, uint256 month, uint256 day)",
  ]),
);
/** ABI of the legacy vaults' event without indexed arguments; its first topic equals that of the indexed version. */
const plainEventAbi = once(() =>
  parseAbi([
    "event WithdrawalRequested(address owner, address receiver, uint256 shares, uint256 assets, uint256 fee, uint256 year, uint256 month, uint256 day)",
  ]),
);
/**
 * Beginnings of the first topics of `WithdrawalRequested` in multi-asset and in legacy vaults, whose arguments differ.
 */
const REQUESTED_TOPICS: readonly string[] = ["0xcf41fab8", "0xf60d67b1"];
/**
 * Beginnings of the first topics of `WithdrawalProcessed` in multi-asset vaults and in the two versions of legacy
 * vaults, without and with `wasBlacklisted`.
 */
const PROCESSED_TOPICS: readonly string[] = ["0x2e06b2c9", "0x5c7471cb", "0xa6f30f7b"];

const SHARES_OFFSET = 4;
const RECEIVER_OFFSET = 36;
const HOLDER_OFFSET = 68;
/** Differences between redemptions from Upshift's two kinds of vaults. */
interface UpshiftExitOptions {
  /** True for legacy vaults: they have the ERC-4626 view functions, and their calls name the holder of the shares. */
  legacy: boolean;
}

const onVault = (vault: Vault) => ({ to: vault.entryPoint, abi: vaultAbi() }) as const;

function exitReads(vault: Vault, request: ExitTermsInput) {
  const on = onVault(vault);
  return {
    asset: read({ ...on, name: "asset" }),
    held: read({ to: vault.shareToken, abi: shareAbi(), name: "balanceOf", args: [request.owner] }),
    preview: read({ ...on, name: "previewRedemption", args: [request.shares, request.mode === "instant"] }),
    legacyPreview: read({ ...on, name: "previewRedeem", args: [request.shares] }),
    value: read({ ...on, name: "convertToAssets", args: [request.shares] }),
    most: read({ ...on, name: "maxWithdrawalAmount" }),
    paused: read({ ...on, name: "withdrawalsPaused" }),
    epoch: read({ ...on, name: "getWithdrawalEpoch" }),
  };
}

type Results = ReadResults<ReturnType<typeof exitReads>>;

function describeExit(
  vault: Vault,
  { request, legacy }: { request: ExitTermsInput; legacy: boolean },
): Query<ExitTerms> {
  return createQuery(exitReads(vault, request), (results): ExitTerms => {
    const instant = request.mode === "instant";
    const [gross, net] = amountsOf(results, legacy);
    const epoch = valueOrNull(results.epoch);
    return {
      ...unknownExitTerms,
      asset: valueOrNull(results.asset),
      heldShares: valueOrNull(results.held),
      previewAssets: net,
      grossAssets: gross,
      availableAssets: valueOrNull(results.most),
      // Legacy vaults fix the assets when the withdrawal is requested; of the others it is not known.
      priced: instant || legacy ? "now" : "later",
      earliest: instant || epoch === null ? null : Number(epoch[3]),
      paused: valueOrNull(results.paused) === true,
    };
  });
}

function amountsOf(results: Results, legacy: boolean): [gross: bigint | null, net: bigint | null] {
  if (legacy) return [valueOrNull(results.value), valueOrNull(results.legacyPreview)];
  return results.preview.ok ? [results.preview.value[0], results.preview.value[1]] : [null, null];
}

function exitCall(vault: Vault, { request, legacy }: { request: ExitInput; legacy: boolean }): ExitCall {
  const instant = request.mode === "instant";
  const own = request.caller ?? zeroAddress;
  const receiver = request.receiver ?? own;
  const args = [request.shares, receiver] as const;
  const functionName = instant ? "instantRedeem" : "requestRedeem";
  const call = { abi: callsAbi(), functionName } as const;
  const data = legacy
    ? encodeFunctionData({ ...call, args: [...args, own] })
    : encodeFunctionData({ ...call, args });
  const names = [...(request.receiver === null ? [RECEIVER_OFFSET] : []), ...(legacy ? [HOLDER_OFFSET] : [])];
  const separate = !isAddressEqual(vault.shareToken, vault.entryPoint);
  return {
    target: vault.entryPoint,
    data,
    // A vault whose share token is another contract pulls the shares.
    spender: separate ? vault.entryPoint : null,
    sharesOffset: SHARES_OFFSET,
    sharesScale: 1n,
    selfOffsets: request.caller === null ? names : [],
    paysTo: request.receiver === null ? "caller" : "receiver",
    minAssets: "none",
    tokenOut: vault.asset.address,
    async: !instant,
  };
}

function findRequest(
  vault: Vault,
  { user, logs }: { user: Address; logs: readonly Log[] },
): ExitRequestSeen | null {
  const own = logs.filter(
    ({ address, topics }) =>
      isAddressEqual(address, vault.entryPoint) && REQUESTED_TOPICS.includes(topics[0]?.slice(0, 10) ?? ""),
  );
  const named = { eventName: "WithdrawalRequested", logs: own } as const;
  const seen = [
    ...parseEventLogs({ abi: eventsAbi(), ...named }),
    ...parseEventLogs({ abi: plainEventAbi(), ...named }),
  ];
  for (const { args } of seen) {
    if (!isAddressEqual(args.receiver, user)) continue;
    // The multi-asset vaults' event has no date; the requests of the days around are read anyway.
    if (!("year" in args)) return { requestId: null, shares: args.shares };
    if (isPaidWithin(vault, { user, logs })) return null;
    return { requestId: requestIdOf(args), shares: args.shares, assets: legacyPayment(args) };
  }
  return null;
}

/**
 * Returns true if a legacy vault paid a request of the user in the transaction that made it, as it does without a lag.
 */
function isPaidWithin(vault: Vault, { user, logs }: { user: Address; logs: readonly Log[] }): boolean {
  const own = logs.filter(({ address }) => isAddressEqual(address, vault.entryPoint));
  return parseEventLogs({ abi: legacyPaidAbi(), eventName: "WithdrawalProcessed", logs: own }).some(
    ({ args }) => isAddressEqual(args.receiverAddr, user) && args.processedOn === args.requestedOn,
  );
}

/** Returns true if a legacy vault's event says that it paid its settlement account, as the receiver is on its blacklist. */
const isPaidElsewhere = (processed: Log): boolean =>
  parseEventLogs({ abi: legacyPaidAbi(), logs: [processed] }).some(
    ({ args }) => "wasBlacklisted" in args && args.wasBlacklisted,
  );

function findSettlement(
  vault: Vault,
  { user, logs }: { user: Address; logs: readonly Log[] },
): ExitSettlement | null {
  const processed = logs.filter(
    (log) =>
      isAddressEqual(log.address, vault.entryPoint) &&
      PROCESSED_TOPICS.includes(log.topics[0]?.slice(0, 10) ?? "") &&
      // Anyone can pay another account's request together with a transfer to the user.
      namesAccount(log, { account: user }),
  );
  const amounts = paidTo(logs, { token: vault.asset.address, receiver: user });
  const paid = processed.filter((log) => !isPaidElsewhere(log));
  if (processed.length === 0 || (paid.length > 0 && amounts.length === 0)) return null;
  const sumOf = (values: readonly bigint[]) => values.reduce((sum, value) => sum + value, 0n);
  // Anyone can make payments of other vaults in the same transaction. Every version of the event has the amount first.
  const named = paid.map(({ data }) => (data === "0x" ? 0n : hexToBigInt(slice(data, 0, 32))));
  return { outcome: "paid", assets: smaller(sumOf(named), sumOf(amounts)) };
}

const explainUpshiftExit = familyErrors({
  errors: {
    "error WithdrawalsPaused()": "exits_paused",
    "error WithdrawalLimitReached()": "no_liquidity",
    "error InsufficientLiquidity()": "no_liquidity",
    "error WithdrawalRequestRequired()": "mode_unsupported",
    // A multi-asset vault without a lag takes no requests.
    "error VaultNotTimelocked()": "mode_unsupported",
    "error AmountTooLow()": "below_minimum",
    "error TooEarly()": "cooldown",
    "error NoSharesForReceiver()": "withdrawal_state",
    "error AddressBlacklisted()": "not_allowed",
    "error InsufficientShares()": "nothing_to_withdraw",
  },
});

/**
 * Creates the withdrawal part of the adapters of Upshift's vaults: instant redemptions, and requests, whose ids are the
 * UTC dates (`YYYY-MM-DD`) on which they become claimable. Sources: August Digital's published ABIs.
 */
export function upshiftExits({ legacy }: UpshiftExitOptions): VaultExits {
  return {
    modes: () => ["instant", "request"],
    tokens: (vault) => [vault.asset],
    viaRouter: (vault, mode) => mode === "instant" && vault.caller === "router",
    terms: (vault, request) => describeExit(vault, { request, legacy }),
    encode: (vault, request) => exitCall(vault, { request, legacy }),
    // Some legacy vaults have no instant redemption: a function that a contract lacks reverts without data.
    explain: (revert) =>
      revert === "0x" ? { code: "mode_unsupported", text: null } : explainUpshiftExit(revert),
    pending: datedRequests,
    takenOut: upshiftTakenOut,
    takenShares: () => 0n,
    claim(vault, { user, request }) {
      const date = parseRequestDate(request.requestId);
      if (date === null || request.state !== "claimable") return null;
      const args = [...date.args, user] as const;
      return {
        target: vault.entryPoint,
        data: encodeFunctionData({ abi: vaultAbi(), functionName: "claim", args }),
      };
    },
    findRequest,
    findSettlement,
    // One payment settles the requests of one date, which its event does not name.
    settlesUnnamed: () => true,
  };
}
