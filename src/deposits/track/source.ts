import { type Address, type Hex, keccak256, type Log, parseAbi, parseEventLogs, zeroAddress } from "viem";
import type { Receipt, Transaction, TransactionOnChain } from "../../chains/transaction.ts";
import type { Context } from "../../context.ts";
import { type DepositRow, provesAnother } from "../../db/queries/deposits.ts";
import { sameAddress } from "../../lib/address.ts";
import { once } from "../../lib/once.ts";
import { depositRouterAddress } from "../../router/address.ts";
import { requestTransitions } from "./async-request.ts";
import { failureReason } from "./failure-reason.ts";
import { countShareTransfers, findShareProof, findSwapOutput, transfersOf } from "./proofs.ts";
import { isConfirmed } from "./transaction-reader.ts";
import { completedTransition, deliveredTransition, type Transition } from "./transitions.ts";

/** No calldata of ours is shorter than a function's four bytes and two words. */
const MIN_CALL_BYTES = 68;
/** Bounds what a transaction that somebody names can cost: bytes that are searched, and that are hashed in all. */
const MAX_SEARCHED_BYTES = 131_072;
const MAX_HASHED_BYTES = 262_144;
const WORD_DIGITS = 64;
/** A length is a word whose first 28 bytes are zero; the search may begin in the zeros of the word before. */
const LENGTH_WORD = /(?=0{56}([0-9a-f]{8}))/g;

/**
 * The hashes of all calldata that a transaction may hand on: every run of bytes in its input that stands behind its
 * own length, as batches of smart accounts write the calls they make, and at any depth. Where to look, not proof:
 * nothing says that a call is made with them. Source: EIP-5792, ERC-7579, ERC-4337, Safe's MultiSend.
 */
export function innerDataHashes(input: Hex): Set<Hex> {
  const text = input.slice(2, 2 + 2 * MAX_SEARCHED_BYTES).toLowerCase();
  const hashes = new Set<Hex>();
  let left = MAX_HASHED_BYTES;
  for (const match of text.matchAll(LENGTH_WORD)) {
    const bytes = Number.parseInt(match[1] ?? "0", 16);
    const start = match.index + WORD_DIGITS;
    if (match.index % 2 !== 0 || bytes < MIN_CALL_BYTES || start + 2 * bytes > text.length) continue;
    left -= bytes;
    if (left < 0) break;
    hashes.add(keccak256(`0x${text.slice(start, start + 2 * bytes)}`));
  }
  return hashes;
}

type BuiltSource = Pick<
  DepositRow,
  "userAddress" | "sourceTo" | "sourceDataHash" | "fromToken" | "fromAmount"
>;

/**
 * Whether a transaction does what build handed out: it is that one, or the batch of a smart account that made this
 * call among others, whoever sent it.
 */
export function matchesSource(row: BuiltSource, { transaction, receipt }: TransactionOnChain): boolean {
  if (transaction === null) return false;
  if (isSourceTransaction(row, transaction)) return true;
  return receipt !== null && isInBatch(row, { transaction, receipt });
}

/** Whether a transaction is the one that build handed out: same sender, target and calldata. */
export function isSourceTransaction(row: BuiltSource, transaction: Transaction): boolean {
  return (
    sameAddress(transaction.from, row.userAddress) &&
    transaction.to !== null &&
    sameAddress(transaction.to, row.sourceTo) &&
    keccak256(transaction.input) === row.sourceDataHash
  );
}

/**
 * Whether a transaction that succeeded made the call: the calldata is among what it hands on, the call's target has
 * told of something, and the user has paid. Calldata alone anybody can repeat, and a batch may swallow a failure.
 */
function isInBatch(
  row: BuiltSource,
  { transaction, receipt }: { transaction: Transaction; receipt: Receipt },
): boolean {
  return (
    receipt.succeeded &&
    receipt.logs.some(({ address }) => sameAddress(address, row.sourceTo)) &&
    hasPaid(row, { transaction, receipt }) &&
    [...innerDataHashes(transaction.input)].some((hash) => hash === row.sourceDataHash)
  );
}

/** By the token's own Transfer; native money leaves no trace, so that the user's own account has to have run it. */
function hasPaid(
  { userAddress, fromToken, fromAmount }: BuiltSource,
  { transaction, receipt }: { transaction: Transaction; receipt: Receipt },
): boolean {
  if (!sameAddress(fromToken, zeroAddress)) {
    return transfersOf(receipt.logs, fromToken).some(
      ({ from, value }) => sameAddress(from, userAddress) && value === BigInt(fromAmount),
    );
  }
  const { from, to } = transaction;
  const own = [from, to ?? zeroAddress].some((account) => sameAddress(account, userAddress));
  return own || ranUserOperation(userAddress, { to, logs: receipt.logs });
}

/** Where bundlers send what accounts signed; each version has one address on every chain. Source: ERC-4337. */
const entryPoints: readonly Address[] = [
  "0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789",
  "0x0000000071727De22E5E9d8BAf0edAc6f37da032",
  "0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108",
  "0x433709009B8330FDa32311DF1C2AFA402eD8D009",
];

const operationAbi = once(() =>
  parseAbi([
    "event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)",
  ]),
);

/** Whether an entry point ran an operation that the account had signed, with success. */
function ranUserOperation(account: string, ran: { to: Address | null; logs: readonly Log[] }): boolean {
  const entryPoint = entryPoints.find((known) => sameAddress(known, ran.to ?? zeroAddress));
  if (entryPoint === undefined) return false;
  const logs = ran.logs.filter(({ address }) => sameAddress(address, entryPoint));
  const operations = parseEventLogs({ abi: operationAbi(), logs });
  return operations.some(({ args }) => sameAddress(args.sender, account) && args.success);
}

/** A transaction of the source chain that may carry a deposit. */
interface SourceCandidate {
  row: DepositRow;
  hash: Hex;
  seen: TransactionOnChain;
}

/**
 * What a transaction of the source chain shows of a deposit; nothing, when it is not the one that build handed
 * out and no proof by itself. Throws `store_unavailable` and what reading the chain throws.
 */
export async function sourceTransitions(ctx: Context, source: SourceCandidate): Promise<Transition[]> {
  const { row, hash, seen } = source;
  const { transaction, receipt } = seen;
  const carries = matchesSource(row, seen);
  if (receipt === null) {
    // Only a receipt proves: a waiting transaction may still be replaced by another.
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
  if (!receipt.succeeded) return carries ? revertTransitions(ctx, { ...at, transaction }) : [];
  const proof = mayUseRouter(row) ? findShareProof(receipt, { row, via: "router" }) : null;
  if (proof !== null) return [completedTransition(at, proof)].map(withSource(at));
  if (!carries || (await provesAnother(ctx.db, { row, hash }))) return [];
  return (row.provider === null ? await directTransitions(ctx, at) : routedTransitions(at)).map(
    withSource(at),
  );
}

/** Whether the deposit's source transaction is still to be found, or to be sent again. */
export function isSourceOpen(row: DepositRow): boolean {
  return !row.sourceProven || row.state === "failed";
}

/** Whether the Router's event in a source receipt can be this deposit's: direct through it, or after a swap. */
function mayUseRouter(row: DepositRow): boolean {
  if (row.provider !== null) return row.fromChainId === row.vaultChainId;
  return sameAddress(row.sourceTo, depositRouterAddress);
}

interface MatchedSource {
  row: DepositRow;
  hash: Hex;
  receipt: Receipt;
  confirmed: boolean;
  /** Whether the call was one of several that an account made. */
  batched: boolean;
}

const sourceColumns = (hash: Hex) => ({ sourceTxHash: hash, substatus: null });

/** Notes the source transaction itself; as proven once its chain has confirmed it. */
const withSource =
  ({ hash, confirmed }: MatchedSource) =>
  (transition: Transition): Transition => ({
    ...transition,
    change: { ...sourceColumns(hash), ...(confirmed ? { sourceProven: true, ...transition.change } : {}) },
  });

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

/** The user's own deposit into the vault; the Router's needs no carrier, see above. */
async function directTransitions(ctx: Context, at: MatchedSource): Promise<Transition[]> {
  const { row, hash, receipt, batched } = at;
  if (sameAddress(row.sourceTo, depositRouterAddress)) return [];
  // Of shares that several calls of a batch brought nobody can say which are whose.
  if (batched && countShareTransfers(row, receipt) > 1) return [];
  const proof = findShareProof(receipt, { row, via: "user" });
  // A transfer of shares names no deposit: whoever was proven by it first has it.
  if (proof !== null) return [completedTransition(at, { ...proof, depositTxHash: hash })];
  return requestTransitions(ctx, at);
}

/** The money left for the vault's chain, or was swapped in this very transaction. */
function routedTransitions(at: MatchedSource): Transition[] {
  const { row, hash, receipt, confirmed } = at;
  const event = { kind: "chain", shows: "source_succeeded", confirmed } as const;
  // Of a deposit that was first seen where it arrived, the reported source is still to be noted as its own.
  const write = confirmed && row.sourceTxHash === hash ? "always" : "on_change";
  const left: Transition = { event, change: {}, write };
  const amount = row.fromChainId === row.vaultChainId ? findSwapOutput(receipt, row) : null;
  return amount === null ? [left] : [left, deliveredTransition(at, { amount, destinationTxHash: hash })];
}
