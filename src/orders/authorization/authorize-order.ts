import {
  type Address,
  decodeAbiParameters,
  erc20Abi,
  type Hex,
  parseAbi,
  recoverAddress,
  size,
  sliceHex,
  zeroHash,
} from "viem";
import { accountCodeRead, nativeBalanceRead, runQuery } from "../../chains/aggregator/aggregate-reads.ts";
import type { ChainClient } from "../../chains/chain-client.ts";
import { createQuery, read, valueOrNull } from "../../chains/chain-reads.ts";
import { runSimulation } from "../../chains/simulator/run-simulation.ts";
import type { Context } from "../../context.ts";
import { type AppError, failure } from "../../errors.ts";
import { sameAddress } from "../../lib/address.ts";
import type { BlockTime } from "../../lib/block-ranges.ts";
import { once } from "../../lib/once.ts";
import { depositRouterAddress } from "../../router/router-address.ts";
import {
  decodeRouterError,
  failedTokenOf,
  foreignReason,
  routerBridgeOutput,
} from "../../router/router-codec.ts";
import { permit2Address } from "../../router/router-signature-messages.ts";
import type { TransactionRequest, WalletCall } from "../../schemas/transaction-schema.ts";
import { explainCommonRevert } from "../../vaults/vault-reverts.ts";
import { isGasSufficient, readGasPrice } from "../order-gas-funds.ts";
import { toTransactionRequest, toWalletCall, type UserCall } from "../order-wallet-calls.ts";
import { INCLUSION_DELAY_S, simulatedHead } from "../simulate-order-payment.ts";
import { type AccountKind, accountKindOf } from "./authorization-facts.ts";
import {
  digestOf,
  orderNonce,
  orderOf,
  type PlannedAuthorization,
  permit2NonceBit,
  signedCalldata,
} from "./planned-authorization.ts";

/**
 * A signed order as a transaction that any wallet (with a permit, only the owner's) can send, with the result of its
 * simulation.
 */
export interface AuthorizedOrder {
  transaction: TransactionRequest;
  call: WalletCall;
  simulation: {
    block_number: number;
    gas_used: string;
    /**
     * Output for the receiver, in the output token's smallest unit; null if the order ends in a bridge, or if the node
     * returned no data.
     */
    output: bigint | null;
    balance_sufficient: true;
    /** True if the submitter's native balance pays for the gas limit, false if not, null if unknown. */
    gas_sufficient: boolean | null;
  };
}

/** An owner's signature for a planned order. */
export interface GivenSignature {
  planned: PlannedAuthorization;
  signature: Hex;
  /** Error code to throw if the order was already sent or cancelled; it also tells a deposit from a withdrawal. */
  spent: "deposit_state" | "withdrawal_state";
  /** Returns the error of the vault that made the order revert with this data, or null if no vault did. */
  explain: (revert: Hex) => Promise<AppError | null>;
}

/**
 * Completes an order with its owner's signature and simulates it as sent by the submitter, without state overrides.
 * Stores nothing. Throws `signature_invalid`, the code in `spent`, `quote_expired`, `authorization_unsupported`,
 * `would_revert`, `price_unsafe`, `simulation_unavailable`, `chain_unsupported`, the error of `explain`, and errors of
 * the RPC nodes.
 */
export async function authorizeOrder(ctx: Context, given: GivenSignature): Promise<AuthorizedOrder> {
  const { planned, spent } = given;
  const client = clientOf(ctx, planned);
  const signed = { address: planned.owner, hash: digestOf(planned), signature: given.signature };
  const [state, gasPrice] = await Promise.all([
    readOrderState(client, { planned, signed }),
    readGasPrice(ctx, client),
  ]);
  const signature = await checkedSignature(signed, state);
  if (state.used) throw failure(spent, "the order was already sent or cancelled");
  const { order } = orderOf(planned);
  if (state.balance !== null && state.balance < order.amountIn)
    throw failure("would_revert", "the account does not hold the amount", { revert: null });
  const call: UserCall = {
    target: depositRouterAddress,
    value: 0n,
    data: signedCalldata(planned, signature),
  };
  const simulation = await runSimulation(client, {
    user: planned.submitter,
    calls: [call],
    reads: [],
    overrides: [],
    time: state.block.timestamp + INCLUSION_DELAY_S,
    standsAlone: true,
    keepsCode: true,
  });
  const [made] = simulation.calls;
  if (simulation.failedAt !== null || made === undefined)
    throw await refusalOf(given, made?.returnData ?? "0x");
  const { chainId } = planned;
  const transaction = toTransactionRequest(call, { chainId, gasUsed: made.gasUsed });
  const funds = state.gas === null || gasPrice === null ? null : { balance: state.gas, gasPrice };
  return {
    transaction,
    call: toWalletCall(call, chainId),
    simulation: {
      block_number: simulatedHead(simulation, state.block),
      gas_used: made.gasUsed.toString(),
      output: order.tokenOut === routerBridgeOutput ? null : outputOf(made.returnData),
      balance_sufficient: true,
      gas_sufficient: isGasSufficient(funds, { transaction, approvals: 0 }),
    },
  };
}

/** Returns the RPC client of the chain on which a planned order is executed. Throws `chain_unsupported`. */
export function clientOf(ctx: Context, { chainId }: PlannedAuthorization): ChainClient {
  const client = ctx.chains.client(chainId);
  if (client === null) throw failure("chain_unsupported", `chain ${chainId} is not served`);
  return client;
}

const stateAbi = once(() =>
  parseAbi([
    "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
    "function nonceBitmap(address owner, uint256 word) view returns (uint256)",
    "function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)",
  ]),
);

/** Return value of `isValidSignature` for a valid signature. Source: ERC-1271. */
const ACCEPTED = "0x1626ba7e";

/** A signature of a digest, and the account that is said to have signed it. */
interface SignedDigest {
  address: Address;
  hash: Hex;
  signature: Hex;
}

/** On-chain state at one block that determines whether a signed order can still be executed. */
interface OrderState {
  /**
   * True if the chain shows the order's nonce as used or cancelled. Always false for a permit, because anyone may
   * submit a permit ahead of the order without harm.
   */
  used: boolean;
  /** Kind of the owner's account, or null if unknown. */
  account: AccountKind | null;
  /** True if the owner's code accepts the signature (ERC-1271). */
  accepted: boolean;
  /**
   * The owner's balance of the order's token, in its smallest unit, and the submitter's native balance, in wei. Each is
   * null if unknown.
   */
  balance: bigint | null;
  gas: bigint | null;
}

/**
 * Reads the state of a signed order in one batch. `signed` is null while there is no signature to check. A failed read
 * leaves its value null or false. Errors of the chain client propagate.
 */
export async function readOrderState(
  client: ChainClient,
  { planned, signed }: { planned: PlannedAuthorization; signed: SignedDigest | null },
): Promise<OrderState & { block: BlockTime }> {
  const { kind, owner, submitter } = planned;
  const token = orderOf(planned).order.tokenIn;
  const { word, mask } = permit2NonceBit(planned);
  const { hash, signature } = signed ?? { hash: zeroHash, signature: "0x" };
  const abi = stateAbi();
  const query = createQuery(
    {
      state: read({ to: token, abi, name: "authorizationState", args: [owner, orderNonce(planned)] }),
      bitmap: read({ to: permit2Address, abi, name: "nonceBitmap", args: [owner, word] }),
      code: accountCodeRead(owner),
      answer: read({ to: owner, abi, name: "isValidSignature", args: [hash, signature] }),
      balance: read({ to: token, abi: erc20Abi, name: "balanceOf", args: [owner] }),
      gas: nativeBalanceRead(submitter),
    },
    (seen): OrderState => {
      const code = valueOrNull(seen.code);
      const used = {
        erc3009: valueOrNull(seen.state) === true,
        permit2: ((valueOrNull(seen.bitmap) ?? 0n) & mask) !== 0n,
        // A permit that a third party submitted first does no harm: the allowance decides.
        permit: false,
      };
      return {
        used: used[kind],
        account: code === null ? null : accountKindOf(code),
        accepted: valueOrNull(seen.answer) === ACCEPTED,
        balance: valueOrNull(seen.balance),
        gas: valueOrNull(seen.gas),
      };
    },
  );
  const { value, block } = await runQuery(client, query);
  return { ...value, block };
}

/** Half of the order of secp256k1. Contracts reject signatures with a higher `s`, because they are malleable. */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/**
 * Verifies that an account signed a digest, and returns the signature in the form that contracts accept: by its key
 * (ECDSA), except for a `contract` account, or by its code (ERC-1271), except for a `plain` one. Throws
 * `signature_invalid`.
 */
export async function checkedSignature(
  { address, hash, signature }: SignedDigest,
  { account, accepted }: Pick<OrderState, "account" | "accepted">,
): Promise<Hex> {
  const canonical = canonicalSignature(signature);
  if (account !== "contract" && canonical !== null) {
    const signer = await recoverAddress({ hash, signature: canonical }).catch(() => null);
    if (signer !== null && sameAddress(signer, address)) return canonical;
  }
  if (account !== "plain" && accepted) return signature;
  throw failure(
    "signature_invalid",
    "this is not the user's signature of the step's `typed_data`: sign that unchanged, with the account `user_address`",
  );
}

/**
 * Returns an ECDSA signature of 65 or 64 bytes (EIP-2098) in 65 bytes with `v` of 27 or 28, or null for other lengths,
 * an invalid `v`, a zero `s`, and malleable signatures (high `s`).
 */
function canonicalSignature(signature: Hex): Hex | null {
  const bytes = size(signature);
  if (bytes !== 65 && bytes !== 64) return null;
  const [r, last] = [sliceHex(signature, 0, 32), sliceHex(signature, 32)];
  const compact = bytes === 64 ? BigInt(last) : null;
  const s = compact === null ? BigInt(sliceHex(last, 0, 32)) : compact & ((1n << 255n) - 1n);
  const v = compact === null ? Number(sliceHex(last, 32)) : Number(compact >> 255n);
  const parity = v >= 27 ? v - 27 : v;
  if (s === 0n || s > HALF_ORDER || parity > 1) return null;
  return `${r}${s.toString(16).padStart(64, "0")}${(27 + parity).toString(16)}`;
}

/**
 * Returns the error for a signed order whose simulation reverted: that of the vault, if a vault is the reason. Of all
 * other revert data, only errors that the Router itself raises select a specific code; the default is `would_revert`.
 */
async function refusalOf({ planned, spent, explain }: GivenSignature, revert: Hex): Promise<AppError> {
  const error = decodeRouterError(revert);
  if (error?.name === "DeadlinePassed")
    return failure("quote_expired", "the order's deadline has passed; build again");
  const explained = await explain(revert);
  if (explained !== null) return explained;
  const { order, steps } = orderOf(planned);
  // A withdrawal's first step redeems, and another one swaps or bridges. A deposit that no vault explains is a swap.
  const withdraws = spent === "withdrawal_state";
  const swaps = !withdraws || steps.length > 1;
  const { text } = explainCommonRevert(foreignReason(revert) ?? revert);
  switch (error?.name) {
    case "AuthorizationFailed":
      return refusedSignature();
    case "TokenFailed":
      return planned.kind === "permit" && sameAddress(failedTokenOf(revert) ?? "", order.tokenIn)
        ? refusedSignature()
        : wouldRevert(text);
    case "OutputBelowMinimum":
      return failure("price_unsafe", "the order would now return less than its minimum", {
        subject: swaps ? "route" : "vault",
      });
    case "StepUnderfunded":
      if (!withdraws) return wouldRevert(text ?? error.name);
      return failure("price_unsafe", "the vault would now pay less than its minimum", { subject: "vault" });
    default:
      return wouldRevert(text ?? error?.name ?? null);
  }
}

const wouldRevert = (revert: string | null): AppError =>
  failure("would_revert", "the signed order would revert", { revert });

const refusedSignature = (): AppError =>
  failure(
    "authorization_unsupported",
    "the token or the account's code rejects this signature; build again with `approve`",
  );

/** Decodes the output amount that the Router returned, or returns null if the node returned no data. */
function outputOf(returned: Hex): bigint | null {
  return size(returned) === 32 ? decodeAbiParameters([{ type: "uint256" }], returned)[0] : null;
}
