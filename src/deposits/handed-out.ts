import { type Address, keccak256, type Log, parseAbi, parseEventLogs, zeroAddress } from "viem";
import type { Receipt, SeenTransaction, Transaction } from "../chains/transaction.ts";
import type { DepositRow } from "../db/queries/deposits.ts";
import { sameAddress } from "../lib/address.ts";
import { once } from "../lib/once.ts";
import { transfersOf } from "./evidence.ts";
import { innerDataHashes } from "./inner-calldata.ts";

type HandedOut = Pick<DepositRow, "userAddress" | "sourceTo" | "sourceDataHash" | "fromToken" | "fromAmount">;

/**
 * Whether a transaction does what build handed out: it is that one, or the batch of a smart account that made this
 * call among others, whoever sent it.
 */
export function carriesHandedOut(row: HandedOut, { transaction, receipt }: SeenTransaction): boolean {
  if (transaction === null) return false;
  if (isHandedOut(row, transaction)) return true;
  return receipt !== null && isBatched(row, { transaction, receipt });
}

/** Whether a transaction is the one that build handed out: same sender, target and calldata. */
export function isHandedOut(row: HandedOut, transaction: Transaction): boolean {
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
function isBatched(
  row: HandedOut,
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
  { userAddress, fromToken, fromAmount }: HandedOut,
  { transaction, receipt }: { transaction: Transaction; receipt: Receipt },
): boolean {
  if (!sameAddress(fromToken, zeroAddress)) {
    return transfersOf(receipt.logs, fromToken).some(
      ({ from, value }) => sameAddress(from, userAddress) && value === BigInt(fromAmount),
    );
  }
  const { from, to } = transaction;
  const own = [from, to ?? zeroAddress].some((account) => sameAddress(account, userAddress));
  return own || ranOperationOf(userAddress, { to, logs: receipt.logs });
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
function ranOperationOf(account: string, ran: { to: Address | null; logs: readonly Log[] }): boolean {
  const entryPoint = entryPoints.find((known) => sameAddress(known, ran.to ?? zeroAddress));
  if (entryPoint === undefined) return false;
  const logs = ran.logs.filter(({ address }) => sameAddress(address, entryPoint));
  const operations = parseEventLogs({ abi: operationAbi(), logs });
  return operations.some(({ args }) => sameAddress(args.sender, account) && args.success);
}
