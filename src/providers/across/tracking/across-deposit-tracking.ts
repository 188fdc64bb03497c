import {
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  keccak256,
  parseEventLogs,
} from "viem";
import type { ChainClient } from "../../../chains/chain-client.ts";
import type { Receipt } from "../../../chains/chain-transaction.ts";
import { RpcWord } from "../../../chains/rpc-values.ts";
import { matchTransfer } from "../../match-transfer.ts";
import { relayHashParameters, spokePoolAbi } from "../across-abi.ts";
import type { AcrossDeployment } from "../across-deployments.ts";
import { isAsBuilt, isWordOf, paidAmount, type WantedDeposit } from "./across-deposit-match.ts";

/**
 * An Across deposit as the source chain's SpokePool recorded it in its `FundsDeposited` event. Addresses are
 * left-padded to 32 bytes; amounts are in the tokens' smallest units. Source: SpokePool.sol.
 */
export interface AcrossDeposit {
  originChainId: number;
  destinationChainId: number;
  depositId: bigint;
  depositor: Hex;
  recipient: Hex;
  exclusiveRelayer: Hex;
  inputToken: Hex;
  outputToken: Hex;
  inputAmount: bigint;
  outputAmount: bigint;
  /** Time of the quote, in UNIX seconds, as are the deadlines below. */
  quoteTimestamp: number;
  fillDeadline: number;
  /** Time until which only `exclusiveRelayer` may fill; 0 if every relayer may. */
  exclusivityDeadline: number;
  message: Hex;
}

/**
 * Returns the Across deposit to chain `toChainId` from a source receipt, or null if there is none, or if there are
 * several and `matchTransfer` does not identify one of them. Deposits to other chains do not count, nor those that
 * differ from what was built.
 */
export function findAcrossDeposit(receipt: Receipt, on: WantedDeposit): AcrossDeposit | null {
  const own = receipt.logs.filter((log) => isAddressEqual(log.address, on.origin.spokePool));
  const events = parseEventLogs({ abi: spokePoolAbi(), eventName: "FundsDeposited", logs: own });
  const matching = events
    .map((event, index) => ({ ...event, after: events[index - 1]?.logIndex ?? -1 }))
    .filter(({ args }) => args.destinationChainId === BigInt(on.toChainId) && isAsBuilt(args, on));
  const found = matchTransfer(
    matching.map(({ args, logIndex, after }) => ({
      transfer: args,
      namesAccount: isWordOf(args.depositor, on.sender?.account ?? null),
      amount: paidAmount(args, on),
      ...{ logIndex, after },
    })),
    { ...on, logs: receipt.logs },
  );
  if (found === null) return null;
  const { destinationChainId, ...fields } = found;
  return { ...fields, originChainId: on.origin.chainId, destinationChainId: Number(destinationChainId) };
}

/**
 * Computes the relay hash of an Across deposit: the key of its fill status in the destination SpokePool.
 * Source: SpokePool.sol, `getV3RelayHash`.
 */
export function relayHash(deposited: AcrossDeposit): Hex {
  const { originChainId, destinationChainId, ...relay } = deposited;
  const data = { ...relay, originChainId: BigInt(originChainId) };
  return keccak256(encodeAbiParameters(relayHashParameters, [data, BigInt(destinationChainId)]));
}

/**
 * Fill status of an Across deposit in the destination SpokePool. `slow_fill_requested`: Across itself was asked to
 * deliver; a relayer may do so first. Source: SpokePool.sol, `FillStatus`.
 */
export type RelayState = "unfilled" | "slow_fill_requested" | "filled";

/** Fill statuses, indexed by their value in the SpokePool. */
const STATES: readonly RelayState[] = ["unfilled", "slow_fill_requested", "filled"];

/**
 * Reads an Across deposit's fill status at the newest block of the destination chain. Throws an Error if the node's
 * response is malformed; errors of the chain client propagate. Source: SpokePool.sol, `fillStatuses`.
 */
export async function readRelayState(
  client: ChainClient,
  of: { deposited: AcrossDeposit; destination: AcrossDeployment },
): Promise<RelayState> {
  const { deposited, destination } = of;
  const functionName = "fillStatuses";
  const data = encodeFunctionData({ abi: spokePoolAbi(), functionName, args: [relayHash(deposited)] });
  const answer = await client.request("eth_call", [{ to: destination.spokePool, data }, "latest"]);
  const status = decodeFunctionResult({ abi: spokePoolAbi(), functionName, data: RpcWord.parse(answer) });
  const state = STATES[Number(status)];
  if (state === undefined) throw new Error(`the SpokePool returned an unknown fill status ${status}`);
  return state;
}
