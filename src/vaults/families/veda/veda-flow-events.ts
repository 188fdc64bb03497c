import { type Address, decodeEventLog, isAddressEqual, parseAbi, toEventSelector, zeroAddress } from "viem";
import { createQuery, read } from "../../../chains/chain-reads.ts";
import { sameAddress } from "../../../lib/address.ts";
import { mulDivDown } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { FlowSource, VaultFlow } from "../../vault-adapter.ts";
import { atomicPayment, atomicPaymentTopic, atomicQueues } from "./veda-atomic-queue.ts";
import { delayedContracts } from "./veda-delayed-contracts.ts";
import { accountantAbi } from "./veda-pricing.ts";
import { queueRequestId, queuesOf } from "./veda-queue-requests.ts";

const flowsAbi = once(() =>
  parseAbi([
    "event Enter(address indexed from, address indexed asset, uint256 amount, address indexed to, uint256 shares)",
    "event Exit(address indexed to, address indexed asset, uint256 amount, address indexed from, uint256 shares)",
  ]),
);

const queueAbi = once(() =>
  parseAbi([
    "event OnChainWithdrawRequested(bytes32 indexed requestId, address indexed user, address indexed assetOut, uint96 nonce, uint128 amountOfShares, uint128 amountOfAssets, uint40 creationTime, uint24 secondsToMaturity, uint24 secondsToDeadline)",
    "event OnChainWithdrawCancelled(bytes32 indexed requestId, address indexed user, uint256 timestamp)",
  ]),
);
const delayedAbi = once(() =>
  parseAbi([
    "event WithdrawRequested(address indexed account, address indexed asset, uint96 shares, uint40 maturity)",
    "event WithdrawCancelled(address indexed account, address indexed asset, uint96 shares)",
    "event WithdrawCompleted(address indexed account, address indexed asset, uint256 shares, uint256 assets)",
  ]),
);

/**
 * Returns the events from which a vault's deposits and withdrawals are indexed. A request in the queue counts for its
 * user when it is made and, if a solver later redeems its shares, again for the solver; a cancellation is a deposit
 * that names the request. A delayed withdrawal takes the shares at the request and pays at its completion. A payment by
 * an AtomicQueue is the user's withdrawal; its id leaves it out of the vault's sums, in which the exit of a solver that
 * redeems the shares counts. Throws an Error for an invalid parameter. Source: Veda-Labs.
 */
export function vedaFlows(vault: Vault): FlowSource {
  const queues = queuesOf(vault);
  const delayed = delayedContracts(vault);
  const atomic = atomicQueues(vault);
  const hasRequests = queues.length > 0 || atomic.length > 0;
  const isDelayed = (address: Address): boolean => delayed.some((one) => sameAddress(one, address));
  const isQueue = (address: Address): boolean => queues.some((one) => sameAddress(one, address));
  // The vault's `Exit` names a solver or a delayed-withdrawal contract instead of the user.
  return {
    addresses: [vault.shareToken, ...queues, ...delayed, ...atomic],
    namesCaller: true,
    revision: 1,
    ...(hasRequests && { namesRequests: true }),
    ...(queues.length > 0 && {
      ownRequests: { contracts: queues, topics: queueAbi().map(toEventSelector) },
    }),
    ...((hasRequests || delayed.length > 0) && { takesRequested: true }),
    ...(delayed.length > 0 && { paysUnseen: true }),
    topics: [
      ...flowsAbi(),
      ...(queues.length === 0 ? [] : queueAbi()),
      ...(delayed.length === 0 ? [] : delayedAbi()),
    ]
      .map(toEventSelector)
      .concat(atomic.length === 0 ? [] : atomicPaymentTopic()),
    decode(log) {
      try {
        if (sameAddress(log.address, vault.shareToken)) return exchangeFlow(vault, { log, isDelayed });
        if (isQueue(log.address)) return queueFlow(vault, log);
        return isDelayed(log.address) ? delayedFlow(vault, log) : atomicFlow(vault, log);
      } catch {
        // The topic matches but the indexed arguments differ: another event.
        return null;
      }
    },
  };
}

type FlowLog = Parameters<FlowSource["decode"]>[0];

function exchangeFlow(
  vault: Vault,
  { log, isDelayed }: { log: FlowLog; isDelayed: (address: Address) => boolean },
): VaultFlow | null {
  const { eventName, args } = decodeEventLog({ abi: flowsAbi(), data: log.data, topics: log.topics });
  // A teller that sends shares to another chain burns and mints them for nothing.
  if (args.amount === 0n && isAddressEqual(args.asset, zeroAddress)) return null;
  const amounts = { ...assetsOf(vault, args), shares: args.shares };
  if (eventName === "Enter") return { kind: "deposit", user: args.to, ...amounts };
  // The delayed-withdrawal contract's own event names the account.
  if (isDelayed(args.from)) return null;
  return { kind: "withdrawal", user: args.from, ...amounts };
}

function queueFlow(vault: Vault, log: FlowLog): VaultFlow | null {
  const { eventName, args } = decodeEventLog({ abi: queueAbi(), data: log.data, topics: log.topics });
  if (eventName === "OnChainWithdrawCancelled")
    return { kind: "deposit", user: args.user, assets: null, shares: null, requestId: args.requestId };
  const paid = assetsOf(vault, { asset: args.assetOut, amount: args.amountOfAssets });
  const requestId = queueRequestId(vault, { queue: log.address, request: args });
  if (requestId === null) return null;
  return { kind: "withdrawal", user: args.user, ...paid, shares: args.amountOfShares, requestId };
}

function delayedFlow(vault: Vault, log: FlowLog): VaultFlow {
  const { eventName, args } = decodeEventLog({ abi: delayedAbi(), data: log.data, topics: log.topics });
  const { account: user, shares } = args;
  if (eventName === "WithdrawRequested")
    return { kind: "withdrawal", user, assets: 0n, shares, sharesOnly: true };
  if (eventName === "WithdrawCancelled")
    return { kind: "deposit", user, assets: 0n, shares, sharesOnly: true };
  // The shares left the account when it made the request.
  return {
    ...{ kind: "withdrawal", user, shares: 0n },
    ...assetsOf(vault, { asset: args.asset, amount: args.assets }),
  };
}

function atomicFlow(vault: Vault, log: FlowLog): VaultFlow | null {
  const payment = atomicPayment(vault, log);
  if (payment === null) return null;
  const { requestId, user, shares, token: asset, assets: amount } = payment;
  return { kind: "withdrawal", user, ...assetsOf(vault, { asset, amount }), shares, requestId };
}

/** Returns an amount of a token as the vault's asset, with the query that converts it if it is another token. */
function assetsOf(
  vault: Vault,
  { asset: token, amount }: { asset: Address; amount: bigint },
): Pick<VaultFlow, "assets" | "conversion"> {
  if (isAddressEqual(token, vault.asset.address)) return { assets: amount };
  const rateIn = (quote: Address) =>
    read({ to: vault.pricer, abi: accountantAbi(), name: "getRateInQuote", args: [quote] });
  const reads = { own: rateIn(vault.asset.address), paid: rateIn(token) };
  return {
    assets: null,
    conversion: createQuery(reads, ({ own, paid }) =>
      own.ok && paid.ok && paid.value > 0n ? mulDivDown(amount, own.value, paid.value) : null,
    ),
  };
}
