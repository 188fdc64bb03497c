import { type Hex, type Log, parseAbi, parseEventLogs } from "viem";
import type { Receipt } from "../chains/transaction.ts";
import type { DepositRow } from "../db/queries/deposits.ts";
import { sameAddress } from "../lib/address.ts";
import { routerDeposits } from "../router/decode.ts";

/** Shares that a receipt shows to have reached a deposit's user, in the share token's smallest unit. */
export interface ShareProof {
  shares: bigint;
  /** What went into the vault, where the receipt tells; smallest unit of the asset. */
  amountIn: bigint | null;
}

export interface ProofSubject {
  row: Pick<DepositRow, "ref" | "userAddress" | "shareToken" | "minShares" | "fromAmount">;
  via: "router" | "user";
}

const transferAbi = parseAbi(["event Transfer(address indexed from, address indexed to, uint256 value)"]);

/**
 * Looks in a successful receipt for the proof that a deposit's shares reached its user. Through the Router:
 * its own `Deposited` with this reference, receiver and share token, and no fewer shares than promised (the
 * reference alone proves nothing, anybody can repeat it). Otherwise the net share transfers to the user.
 */
export function findShareProof(receipt: Receipt, subject: ProofSubject): ShareProof | null {
  if (!receipt.succeeded) return null;
  return subject.via === "router" ? routerProof(receipt, subject) : transferProof(receipt.logs, subject);
}

function routerProof(receipt: Receipt, { row }: ProofSubject): ShareProof | null {
  const minimum = BigInt(row.minShares ?? "1");
  for (const { args } of routerDeposits(receipt.logs)) {
    if (args.ref !== row.ref || args.shares < minimum) continue;
    if (!sameAddress(args.receiver, row.userAddress) || !sameAddress(args.shareToken, row.shareToken))
      continue;
    return { shares: args.shares, amountIn: args.amountIn };
  }
  return null;
}

function transferProof(logs: readonly Log[], { row }: ProofSubject): ShareProof | null {
  const shares = netTransfers(logs, { token: row.shareToken, account: row.userAddress });
  return shares > 0n ? { shares, amountIn: BigInt(row.fromAmount) } : null;
}

/** What an account gained of a token, by the token's own Transfer events (EIP-20). Negative: it lost. */
export function netTransfers(logs: readonly Log[], of: { token: string; account: string }): bigint {
  const own = logs.filter((log) => sameAddress(log.address, of.token));
  let net = 0n;
  for (const { args } of parseEventLogs({ abi: transferAbi, logs: own })) {
    if (sameAddress(args.to, of.account)) net += args.value;
    if (sameAddress(args.from, of.account)) net -= args.value;
  }
  return net;
}

/** The references of all Router deposits in a receipt. */
export function routerRefs(receipt: Receipt): Hex[] {
  return receipt.succeeded ? routerDeposits(receipt.logs).map(({ args }) => args.ref) : [];
}
