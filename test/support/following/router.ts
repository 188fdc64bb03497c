import { type Address, encodeAbiParameters, encodeEventTopics, type Hex, parseAbiParameters } from "viem";
import { depositRouterAbi } from "../../../src/router/deposit-router-artifact.ts";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import { decodeRouterCall, encodeRouterCall, type RouterOrder } from "../../../src/router/router-codec.ts";
import { type Call, minted, sharesFor, transfer } from "./contracts.ts";
import type { Emitted, Outcome, SimulatedChain } from "./simulated-chain.ts";

const ALL = 2n ** 256n - 1n;
/** Scale of an order's minimum output per unit of input. */
const PER_IN_UNIT = 10n ** 27n;
const EXECUTOR: Address = "0x00000000000000000000000000000000000e8ec0";

/**
 * Returns the effects of a Router deposit: it takes the asset, the vault mints shares, and the Router emits its event.
 */
export function routerOutcome(chain: SimulatedChain, { from, data, delivered = 0n }: Call): Outcome {
  const { order } = decodeRouterCall(data);
  const amount = order.amountIn === ALL ? delivered : order.amountIn;
  const shares = sharesFor(chain, amount);
  const late = BigInt(chain.head.timestamp) > order.deadline;
  const floor = (amount * order.minOutPerIn + PER_IN_UNIT - 1n) / PER_IN_UNIT;
  const short = amount < order.minIn || shares < order.minOut || shares < floor;
  if (late || short) return { succeeded: false, logs: [] };
  const { tokenIn, tokenOut, receiver } = order;
  return {
    succeeded: true,
    logs: [
      transfer(tokenIn, { from, to: EXECUTOR, value: amount }),
      ...minted(tokenOut, { caller: EXECUTOR, receiver, assets: amount, shares, chainId: chain.chainId }),
      routerEvent(depositRouterAddress, { ...order, sender: from, amount, shares }),
    ],
  };
}

/** Creates the Router's event, emitted by the given contract. */
export function routerEvent(
  emitter: Address,
  of: Pick<RouterOrder, "ref" | "partnerId" | "receiver" | "tokenOut" | "tokenIn" | "partnerType"> & {
    sender: Address;
    amount: bigint;
    shares: bigint;
  },
): Emitted {
  const { ref, partnerId, receiver, tokenOut, sender, tokenIn, amount, shares, partnerType } = of;
  const topics = encodeEventTopics({
    abi: depositRouterAbi,
    eventName: "OrderExecuted",
    args: { ref, partnerId, receiver },
  }) as Hex[];
  const types = parseAbiParameters("address, address, address, uint256, uint256, uint8");
  return {
    address: emitter.toLowerCase() as Hex,
    topics: topics.map((topic) => topic.toLowerCase() as Hex),
    data: encodeAbiParameters(types, [sender, tokenIn, tokenOut, amount, shares, partnerType]),
  };
}

/** A genuine Router event, decoded for the recount. */
export interface RouterRecord {
  ref: Hex;
  receiver: string;
  shareToken: string;
  sender: string;
  shares: bigint;
  amount: bigint;
}

const EXECUTED = (
  encodeEventTopics({ abi: depositRouterAbi, eventName: "OrderExecuted" })[0] as Hex
).toLowerCase();

/** Decodes the events that the Router itself emitted. */
export function routerRecords(logs: readonly Emitted[]): RouterRecord[] {
  return logs.flatMap(({ address, topics, data }) => {
    if (address !== depositRouterAddress.toLowerCase() || topics[0] !== EXECUTED) return [];
    const word = (at: number): string => data.slice(2 + at * 64, 66 + at * 64);
    const account = (at: number): string => `0x${word(at).slice(24)}`;
    const [, ref = "0x", , receiver = "0x"] = topics;
    return [
      {
        ref,
        receiver: `0x${receiver.slice(26)}`,
        shareToken: account(2),
        sender: account(0),
        amount: BigInt(`0x${word(3)}`),
        shares: BigInt(`0x${word(4)}`),
      },
    ];
  });
}

/** Encodes a Router deposit with a given order reference for another account. */
export function copyWithReference(
  ref: Hex,
  { receiver, asset, shareToken }: { receiver: Address; asset: Address; shareToken: Address },
): Hex {
  const deadline = 2n ** 40n;
  const order: RouterOrder = {
    ...{ tokenIn: asset, amountIn: 10n ** 10n, minIn: 1n, nativeFee: 0n, tokenOut: shareToken, receiver },
    ...{ minOut: 1n, minOutPerIn: 0n, deadline, direct: true },
    ...{ refundTo: receiver, ref, partnerId: `0x${"00".repeat(32)}`, partnerType: 0 },
  };
  return encodeRouterCall({ order, steps: [], sweep: [] });
}
