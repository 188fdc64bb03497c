import * as z from "zod";
import type { ChainClient } from "../chains/chain-client.ts";
import { RpcQuantity } from "../chains/rpc-values.ts";
import type { Context } from "../context.ts";
import { withDeadline } from "../lib/timers.ts";
import type { TransactionRequest } from "../schemas/transaction-schema.ts";

/** The native balance of the account that submits a transaction, and the chain's gas price, both in wei. */
export interface GasFunds {
  balance: bigint;
  gasPrice: bigint;
}

/**
 * Ages in milliseconds up to which a cached gas price is fresh (10 s), and is served while it is reloaded or if that
 * fails (60 s).
 */
const PRICE_AGES = { freshMs: 10_000, staleMs: 60_000, keepMs: 60_000 } as const;

/**
 * Returns a chain's gas price in wei, which may have been read up to 60 seconds ago. Returns null if it cannot be read,
 * because it is only used to estimate whether the user can pay for gas. Never throws.
 */
export async function readGasPrice(ctx: Context, client: ChainClient): Promise<bigint | null> {
  try {
    const { value } = await ctx.cache.cached({
      key: `gas-price:${client.definition.chainId}`,
      schema: z.bigint(),
      ...PRICE_AGES,
      load: () =>
        client.ask({ method: "eth_gasPrice", params: [], read: (response) => RpcQuantity.parse(response) }),
    });
    return value;
  } catch {
    return null;
  }
}

/** Maximum time that a finished build waits for the gas price, in milliseconds. */
const GAS_WAIT_MS = 300;

/** Waits up to 300 ms for a gas price that is being read. Returns null if that takes longer or fails. Never throws. */
export function waitForGasPrice(price: Promise<bigint | null>): Promise<bigint | null> {
  return withDeadline(price, { ms: GAS_WAIT_MS, late: () => new Error("too late") }).catch(() => null);
}

/** Gas that one ERC-20 approval is assumed to need at most. */
const APPROVAL_GAS = 60_000n;

/**
 * Returns true if a native balance covers a transaction's value and gas limit, and 60,000 gas for each approval, at the
 * gas price. Null if the funds or the gas limit are unknown. L1 data fees of rollups are not included.
 */
export function isGasSufficient(
  funds: GasFunds | null,
  { transaction, approvals }: { transaction: TransactionRequest; approvals: number },
): boolean | null {
  if (funds === null || transaction.gas_limit === null) return null;
  const gas = BigInt(transaction.gas_limit) + BigInt(approvals) * APPROVAL_GAS;
  return funds.balance >= BigInt(transaction.value) + gas * funds.gasPrice;
}
