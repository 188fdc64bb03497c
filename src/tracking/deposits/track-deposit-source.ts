import { type Address, type Hex, keccak256, type Log, parseAbi, parseEventLogs, zeroAddress } from "viem";
import type { Receipt, Transaction, TransactionOnChain } from "../../chains/chain-transaction.ts";
import type { Context } from "../../context.ts";
import type { DepositRow, TrackedRow } from "../../db/queries/deposit-queries.ts";
import { sameAddress } from "../../lib/address.ts";
import { once } from "../../lib/once.ts";
import { depositRouterAddress } from "../../router/router-address.ts";
import { executedOrders, routerBridgeOutput, unsignedCalldata } from "../../router/router-codec.ts";
import { namesAccount } from "../../vaults/vault-log-arguments.ts";
import { holdsSource, leaveToEarlierRow, precedesBuild } from "../track-equal-orders.ts";
import { innerDataHashes } from "../tracked-calldata-hashes.ts";
import { findShareProof, findSwapOutput, transfersOf } from "./deposit-proofs.ts";
import { isOpen } from "./deposit-state-machine.ts";
import { isConfirmed } from "./deposit-transaction-reader.ts";
import { completedTransition, deliveredTransition, type Transition } from "./deposit-transitions.ts";
import { MADE_FOR_OTHERS } from "./deposits-in-batch.ts";
import { failureReason } from "./track-deposit-failure.ts";
import { mintTransitions } from "./track-deposit-mint.ts";
import { isRejected, requestTransitions } from "./track-deposit-request.ts";

type BuiltSource = Pick<
  TrackedRow,
  | "direction"
  | "ref"
  | "moveToken"
  | "userAddress"
  | "sourceTo"
  | "sourceDataHash"
  | "builtBlock"
  | "fromToken"
  | "fromAmount"
>;

/**
 * Returns true if a transaction was built for the row. It must be one of these: its source transaction, even if pending
 * or reverted; a successful batch that contains its call, in which the called contract emitted an event and the user
 * paid (in a withdrawal, an event with the user's address suffices); or a successful Router order of the row that takes
 * the user's tokens into a bridge or for `moveToken`. False for a transaction that precedes the build (`precedesBuild`)
 * or was not found.
 */
export function matchesSource(row: BuiltSource, seen: TransactionOnChain): boolean {
  const { transaction, receipt } = seen;
  if (transaction === null || precedesBuild(row, seen)) return false;
  if (isSourceTransaction(row, transaction)) return true;
  if (receipt !== null && paidForRoute(row, receipt)) return true;
  return receipt !== null && isInBatch(row, { transaction, receipt });
}

/**
 * Returns true if a transaction would be the row's source if the row had been built before it. Not for a batch, which
 * may prove none of several equal rows.
 */
export const isEarlierSource = (row: BuiltSource, seen: TransactionOnChain): boolean =>
  seen.transaction !== null && precedesBuild(row, seen) && isSourceTransaction(row, seen.transaction);

/**
 * Returns true if a receipt shows a Router order of the row, from any submitter, that took the user's tokens into a
 * bridge or for `moveToken`. The Router names the user as payer only if the user's own tokens were taken.
 */
function paidForRoute(row: BuiltSource, receipt: Receipt): boolean {
  const { ref, userAddress, fromToken, sourceTo, moveToken } = row;
  if (!receipt.succeeded || !sameAddress(sourceTo, depositRouterAddress)) return false;
  return executedOrders(receipt.logs).some(
    ({ args }) =>
      args.ref === ref &&
      sameAddress(args.payer, userAddress) &&
      sameAddress(args.tokenIn, fromToken) &&
      [routerBridgeOutput, moveToken ?? routerBridgeOutput].some((token) =>
        sameAddress(args.tokenOut, token),
      ),
  );
}

/**
 * Returns true if a transaction has the sender, target and calldata (of a signed Router order, without the signature)
 * of the source transaction that was built for a deposit or withdrawal.
 */
export function isSourceTransaction(row: BuiltSource, transaction: Transaction): boolean {
  return (
    sameAddress(transaction.from, row.userAddress) &&
    transaction.to !== null &&
    sameAddress(transaction.to, row.sourceTo) &&
    builtDataHashes(transaction.input).includes(row.sourceDataHash as Hex)
  );
}

/**
 * Returns the keccak256 hashes to compare with the stored `sourceDataHash` of a deposit or withdrawal: that of the
 * calldata and, for a signed Router order, that of the same order without the signature.
 */
export function builtDataHashes(input: Hex): Hex[] {
  const unsigned = unsignedCalldata(input);
  return [input, ...(unsigned === null || unsigned === input ? [] : [unsigned])].map((data) =>
    keccak256(data),
  );
}

/**
 * Returns true if a successful transaction made the built source call within a batch: its input contains the calldata,
 * which anyone can repeat, the call's target emitted an event, and the user paid.
 */
function isInBatch(
  row: BuiltSource,
  { transaction, receipt }: { transaction: Transaction; receipt: Receipt },
): boolean {
  return (
    receipt.succeeded &&
    receipt.logs.some(({ address }) => sameAddress(address, row.sourceTo)) &&
    hasPaid(row, { transaction, receipt }) &&
    innerDataHashes(transaction.input).has(row.sourceDataHash as Hex)
  );
}

/**
 * Returns how often a transaction that was built for a row may make its source call: as often as its batch contains the
 * calldata, and once with a provider's, because a bridge's part of several equal calls is not told apart. Which of the
 * calls were made, only their effects show.
 */
export const callsOf = (row: BuiltSource & Pick<TrackedRow, "provider">, transaction: Transaction): number =>
  row.provider !== null || isSourceTransaction(row, transaction)
    ? 1
    : (innerDataHashes(transaction.input).get(row.sourceDataHash as Hex) ?? 1);

/**
 * Returns true if a transaction shows that the user paid: by a Transfer event of the token; for native currency, by the
 * user's account having executed the batch; for a withdrawal also by the vault's event for the user.
 */
function hasPaid(
  { direction, userAddress, sourceTo, fromToken, fromAmount }: BuiltSource,
  { transaction, receipt }: { transaction: Transaction; receipt: Receipt },
): boolean {
  // Some vaults leave the shares of a request in the wallet; then their own event names the user.
  const isNamed = (log: Log): boolean =>
    sameAddress(log.address, sourceTo) && namesAccount(log, { account: userAddress as Address });
  if (direction === "withdrawal" && receipt.logs.some(isNamed)) return true;
  if (!sameAddress(fromToken, zeroAddress)) {
    return transfersOf(receipt.logs, fromToken).some(
      ({ from, value }) =>
        sameAddress(from, userAddress) && (fromAmount === "0" || value === BigInt(fromAmount)),
    );
  }
  const { from, to } = transaction;
  const own = [from, to ?? zeroAddress].some((account) => sameAddress(account, userAddress));
  return own || ranUserOperation(userAddress, { to, logs: receipt.logs });
}

/**
 * EntryPoint contracts of ERC-4337 (v0.6, v0.7, v0.8 and v0.9), each at the same address on every chain. Source:
 * ERC-4337.
 */
export const entryPoints: readonly Address[] = [
  "0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789",
  "0x0000000071727De22E5E9d8BAf0edAc6f37da032",
  "0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108",
  "0x433709009B8330FDa32311DF1C2AFA402eD8D009",
];

/** Returns the ABI of the event that an EntryPoint emits for each user operation. Source: ERC-4337. */
export const userOperationAbi = once(() =>
  parseAbi([
    "event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)",
  ]),
);

/** Returns true if an ERC-4337 EntryPoint executed a user operation of the account successfully. */
function ranUserOperation(account: string, ran: { to: Address | null; logs: readonly Log[] }): boolean {
  const entryPoint = entryPoints.find((known) => sameAddress(known, ran.to ?? zeroAddress));
  if (entryPoint === undefined) return false;
  const logs = ran.logs.filter(({ address }) => sameAddress(address, entryPoint));
  const operations = parseEventLogs({ abi: userOperationAbi(), logs });
  return operations.some(({ args }) => sameAddress(args.sender, account) && args.success);
}

/** A source-chain transaction that may belong to a deposit. */
interface SourceCandidate {
  row: DepositRow;
  hash: Hex;
  seen: TransactionOnChain;
  /** Receives the transaction if it is left to another deposit with the same call for now. */
  leave?: ((hash: Hex) => unknown) | undefined;
}

/**
 * Returns the transitions of a deposit that a transaction on the source chain shows; empty if it shows none or counts
 * for an equal row. Throws `store_unavailable`, `vault_not_found` and errors of the RPC nodes.
 */
export async function sourceTransitions(ctx: Context, source: SourceCandidate): Promise<Transition[]> {
  const { row, hash, seen, leave } = source;
  const { transaction, receipt } = seen;
  const carries = matchesSource(row, seen);
  if (receipt === null) {
    // A pending transaction proves nothing, because another transaction may replace it.
    return carries
      ? [{ event: { kind: "source_pending" }, change: sourceColumns(hash), write: "on_change" }]
      : [];
  }
  const confirmed = isConfirmed(ctx, { chainId: row.fromChainId, seen });
  const at = {
    row,
    hash,
    receipt,
    confirmed,
    batched: transaction !== null && !isSourceTransaction(row, transaction),
  };
  if (!receipt.succeeded)
    return carries && (await holdsSource(ctx, { row, hash, receipt, leave }))
      ? revertTransitions(ctx, { ...at, transaction })
      : [];
  const proof = mayUseRouter(row) ? findShareProof(receipt, { row, via: "router" }) : null;
  // Anyone can repeat a deposit for its user: this completes it, but its source is the user's own transaction.
  if (proof !== null && !carries && !proof.byUser) {
    const repeated = completedTransition(at, { ...proof, destinationTxHash: hash });
    if (confirmed) return [repeated];
    // Until then it proves nothing, and the user may still send the own transaction.
    return row.sourceTxHash === hash ? [{ ...repeated, change: {} }] : [];
  }
  if (proof !== null) return [completedTransition(at, proof)].map(withSource(at));
  if (!carries) {
    if (confirmed && isEarlierSource(row, seen)) await leaveToEarlierRow(ctx, { row, hash, receipt, leave });
    return [];
  }
  const calls = transaction === null ? 1 : callsOf(row, transaction);
  if (!(await holdsSource(ctx, { row, hash, receipt, calls, leave }))) return [];
  return (row.provider === null ? await directTransitions(ctx, at) : routedTransitions(at)).map(
    withSource(at),
  );
}

/**
 * Returns true if a transaction can still become the source of a deposit: none is proven yet, or the proven one
 * reverted, so that the user may send it again. A request that the vault rejected is no revert.
 */
export function isSourceOpen(row: DepositRow): boolean {
  return !row.sourceProven || (row.state === "failed" && !isRejected(row));
}

/**
 * Returns true if a Router event in a source-chain receipt can belong to this deposit: if it is a direct deposit
 * through the Router, or begins with a swap on the vault's chain.
 */
function mayUseRouter(row: DepositRow): boolean {
  if (row.provider !== null) return row.fromChainId === row.vaultChainId;
  return sameAddress(row.sourceTo, depositRouterAddress);
}

interface MatchedSource {
  row: DepositRow;
  hash: Hex;
  receipt: Receipt;
  confirmed: boolean;
  /** True if the source call was made within another transaction, such as a smart account's batch. */
  batched: boolean;
}

const sourceColumns = (hash: Hex) => ({ sourceTxHash: hash, substatus: null });

/**
 * Adds the source transaction to a transition. A confirmed one is marked as proven in any state, which also gives a
 * deposit that was found by its delivery its source. An unconfirmed one only sets the hash.
 */
const withSource =
  ({ row, hash, confirmed }: MatchedSource) =>
  (transition: Transition): Transition => {
    if (!confirmed) return { ...transition, change: sourceColumns(hash) };
    const proven = { sourceTxHash: hash, sourceProven: true };
    const known = row.sourceProven && row.sourceTxHash === hash;
    const write = known ? transition.write : "always";
    if (repeatedByOthers(row, transition))
      return { ...transition, change: { ...transition.change, ...proven, destinationTxHash: null }, write };
    if (!isOpen(row.state)) return { ...transition, change: proven, write };
    return { ...transition, change: { ...sourceColumns(hash), ...proven, ...transition.change }, write };
  };

/**
 * Returns true if a direct deposit was completed by another account that repeated it, before the user's own transaction
 * was seen.
 */
const repeatedByOthers = ({ state, provider }: DepositRow, { event }: Transition): boolean =>
  state === "completed" && provider === null && event.kind === "chain" && event.shows === "shares";

async function revertTransitions(
  ctx: Context,
  at: MatchedSource & { transaction: Transaction | null },
): Promise<Transition[]> {
  const { row, hash, receipt, transaction, confirmed } = at;
  const client = ctx.chains.client(row.fromChainId);
  if (!confirmed || client === null || transaction === null) return [];
  const substatus = await failureReason(client, { transaction, receipt });
  const event = { kind: "chain", shows: "source_reverted", confirmed } as const;
  return [{ event, change: { ...sourceColumns(hash), sourceProven: true, substatus }, write: "on_change" }];
}

/**
 * Returns the transitions of a direct deposit that the user made at the vault without the Router. Empty for a Router
 * deposit, which only the Router's event proves.
 */
export async function directTransitions(ctx: Context, at: MatchedSource): Promise<Transition[]> {
  if (sameAddress(at.row.sourceTo, depositRouterAddress)) return [];
  // Some vaults send the shares of an earlier request when a new one is made.
  const requested = await requestTransitions(ctx, at);
  const shown = requested.length > 0 ? requested : await mintTransitions(ctx, at);
  return shown.filter((one) => one !== MADE_FOR_OTHERS);
}

/**
 * Returns the transitions of a routed deposit whose source transaction succeeded: its tokens are in transit or, after a
 * swap on the vault's chain, already delivered.
 */
function routedTransitions(at: MatchedSource): Transition[] {
  const { row, hash, receipt, confirmed } = at;
  const event = { kind: "chain", shows: "source_succeeded", confirmed } as const;
  const left: Transition = { event, change: {}, write: "on_change" };
  const amount = row.fromChainId === row.vaultChainId ? findSwapOutput(receipt, row) : null;
  return amount === null ? [left] : [left, deliveredTransition(at, { amount, destinationTxHash: hash })];
}
