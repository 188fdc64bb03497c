import { type Address, decodeAbiParameters, decodeFunctionData, type Hex, zeroAddress } from "viem";
import { feeAbi, lifiAbi, messageAbi } from "./abi.ts";

/**
 * The effects of a transaction on tokens, derived from the contracts' rules and not from the service's checks. Two
 * transactions with equal effects are equivalent for the user.
 */
export interface Outcome {
  to: string;
  chainId: number;
  value: bigint;
  /** Tokens taken from the sender: the contract that takes them, the token and the amount. */
  pulled: string[];
  fees: string[];
  receiver: string;
  refundTo: string;
  destinationChain: string;
  delivers: string;
  /** Guaranteed amount of the delivered token, in its smallest unit. */
  least: bigint;
  /**
   * Maximum amount that the bridge can deliver. A higher requested amount would hide a source swap without a minimum.
   * Null if there is no bridge.
   */
  bridged: bigint | null;
  call: string | null;
  nativeFee: bigint;
}

type Decoded = ReturnType<typeof decodeFunctionData<typeof lifiAbi>>;
type Swaps = Extract<Decoded, { functionName: "swapAndExecute" }>["args"][1];

interface Envelope {
  to: string;
  chainId: number;
  value: bigint;
  data: Hex;
}

const low = (text: string): string => text.toLowerCase();

/** Tokens of the scenarios that have 18 decimals. */
const decimals18 = new Set([
  "0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d",
  "0x55d398326f99059ff775485246999027b3197955",
]);
const STARGATE: Readonly<Record<string, string>> = {
  "1:42161": "0xaf88d065e77c8cc2239327c5edb3a432268e5831",
  "2:42161": "0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9",
  "13:8453": zeroAddress,
};
const ENDPOINTS: Readonly<Record<number, number>> = { 30110: 42161, 30184: 8453 };

/** Derives the effects of a transaction. Throws for an unknown function. */
export function outcomeOf(envelope: Envelope, minIn: bigint | null): Outcome {
  const decoded = decodeFunctionData({ abi: lifiAbi, data: envelope.data });
  const base = { to: low(envelope.to), chainId: envelope.chainId, value: envelope.value };
  if (decoded.functionName === "swapAndExecute")
    return { ...base, ...executed(decoded.args, envelope, minIn) };
  if (decoded.functionName.startsWith("swapTokens")) return { ...base, ...swapped(decoded, envelope) };
  return { ...base, ...bridged(decoded, envelope) };
}

function pulls(swaps: Swaps, to: string): string[] {
  return swaps
    .filter((swap) => swap.requiresDeposit && swap.sendingAssetId !== zeroAddress)
    .map((swap) => `${low(to)} ${low(swap.sendingAssetId)} ${swap.fromAmount}`);
}

/** Sums the fees by recipient. */
function feesOf(swaps: Swaps): string[] {
  const paid = new Map<string, bigint>();
  for (const swap of swaps) {
    for (const { recipient, amount } of distributionsOf(swap.callData)) {
      const key = `${low(swap.callTo)} ${low(recipient)}`;
      paid.set(key, (paid.get(key) ?? 0n) + amount);
    }
  }
  return [...paid].map(([key, amount]) => `${key} ${amount}`);
}

function distributionsOf(callData: Hex): readonly { recipient: Address; amount: bigint }[] {
  try {
    const { functionName, args } = decodeFunctionData({ abi: feeAbi, data: callData });
    return functionName === "forwardERC20Fees" ? args[1] : args[0];
  } catch {
    return [];
  }
}

function executed(
  args: Extract<Decoded, { functionName: "swapAndExecute" }>["args"],
  envelope: Envelope,
  minIn: bigint | null,
) {
  const [, swaps, asset, receiver, amount] = args;
  const last = swaps.at(-1);
  const fees = feesOf(swaps);
  const paid = fees.reduce((sum, fee) => sum + BigInt(fee.split(" ")[2] ?? "0"), 0n);
  // With only the fee before it, the call's input is exact; after a swap only its minimum is known.
  const steps = swaps.slice(0, -1);
  const exact = steps.every((swap) => low(swap.sendingAssetId) === low(swap.receivingAssetId));
  return {
    pulled: asset === zeroAddress ? [] : [`proxy ${low(asset)} ${amount}`],
    fees,
    receiver: low(receiver),
    refundTo: low(receiver),
    destinationChain: String(envelope.chainId),
    delivers: low(last?.sendingAssetId ?? ""),
    least: exact ? amount - paid : (minIn ?? 0n),
    bridged: null,
    call: last ? `${low(last.callTo)} ${low(last.approveTo)} ${last.callData} ${low(receiver)}` : null,
    nativeFee: 0n,
  };
}

function swapped(decoded: Decoded, envelope: Envelope) {
  const args = decoded.args as readonly [Hex, string, string, Address, bigint, Swaps | Swaps[number]];
  const swaps = Array.isArray(args[5]) ? (args[5] as Swaps) : [args[5] as Swaps[number]];
  const single = decoded.functionName.includes("Single");
  const first = swaps[0];
  const native = decoded.functionName.includes("NativeToERC20");
  // A single swap always pulls its amount; of several, those with requiresDeposit.
  const taken = single && first ? [{ ...first, requiresDeposit: true }] : swaps;
  return {
    pulled: native ? [] : pulls(taken, envelope.to),
    fees: feesOf(swaps),
    receiver: low(args[3]),
    refundTo: low(args[3]),
    destinationChain: String(envelope.chainId),
    delivers: decoded.functionName.endsWith("ToNative")
      ? zeroAddress
      : low(swaps.at(-1)?.receivingAssetId ?? ""),
    least: args[4],
    bridged: null,
    call: null,
    nativeFee: 0n,
  };
}

interface Bridge {
  sendingAssetId: Address;
  receiver: Address;
  minAmount: bigint;
  destinationChainId: bigint;
}

function bridged(decoded: Decoded, envelope: Envelope) {
  const args = decoded.args as unknown as readonly unknown[];
  const bridge = args[0] as Bridge;
  const swaps = args.length === 3 ? (args[1] as Swaps) : null;
  const facet = args.at(-1) as Record<string, unknown>;
  const sends = low(swaps?.at(-1)?.receivingAssetId ?? bridge.sendingAssetId);
  const own = [`${low(envelope.to)} ${low(bridge.sendingAssetId)} ${bridge.minAmount}`];
  const pulled = swaps === null ? (sends === zeroAddress ? [] : own) : pulls(swaps, envelope.to);
  const common = { pulled, fees: swaps === null ? [] : feesOf(swaps), nativeFee: 0n };
  // The swaps' output must be the token that the bridge sends, or the user's money stays behind.
  const sound = sends === low(bridge.sendingAssetId) ? "" : " not what is bridged";
  const name = decoded.functionName;
  const context = { bridge, facet, swapped: swaps !== null };
  if (name.includes("Across")) return { ...common, ...across(context, sound) };
  if (name.includes("Stargate")) return { ...common, ...stargate(context, sound) };
  return { ...common, ...minted(context, sound) };
}

interface Context {
  bridge: Bridge;
  facet: Record<string, unknown>;
  swapped: boolean;
}

function messageCall(message: Hex): string | null {
  if (message === "0x") return null;
  const [, swaps, receiver] = decodeAbiParameters(messageAbi, message);
  return swaps
    .map((swap) => `${low(swap.callTo)} ${low(swap.approveTo)} ${low(swap.sendingAssetId)} ${swap.callData}`)
    .concat(low(receiver))
    .join("; ");
}

function across({ bridge, facet, swapped: hasSwaps }: Context, sound: string) {
  const multiplied = (bridge.minAmount * (facet["outputAmountMultiplier"] as bigint)) / 10n ** 18n;
  const native = bridge.sendingAssetId === zeroAddress;
  const sends = native ? "wrapped" : low(facet["sendingAssetId"] as string);
  return {
    receiver: low(facet["receiverAddress"] as string),
    refundTo: low(facet["refundAddress"] as string),
    destinationChain: String(bridge.destinationChainId),
    delivers: `${low(facet["receivingAssetId"] as string)} for ${sends}${sound}`,
    least: hasSwaps ? multiplied : (facet["outputAmount"] as bigint),
    bridged: bridge.minAmount,
    call: messageCall(facet["message"] as Hex),
  };
}

function stargate({ bridge, facet }: Context, sound: string) {
  const send = facet["sendParams"] as Record<string, unknown>;
  const fee = facet["fee"] as { nativeFee: bigint; lzTokenFee: bigint };
  const chain = ENDPOINTS[Number(send["dstEid"])] ?? 0;
  const scale = decimals18.has(low(bridge.sendingAssetId)) ? 10n ** 12n : 1n;
  return {
    receiver: low(send["to"] as string),
    refundTo: low(facet["refundAddress"] as string),
    destinationChain: `${chain} and ${bridge.destinationChainId}`,
    delivers: `${STARGATE[`${facet["assetId"]}:${chain}`] ?? "unknown"}${sound}`,
    least: (send["minAmountLD"] as bigint) / scale,
    bridged: null,
    call: messageCall(send["composeMsg"] as Hex),
    nativeFee: fee.nativeFee + fee.lzTokenFee,
  };
}

function minted({ bridge, facet }: Context, sound: string) {
  const own = ["maxFee", "polymerTokenFee", "maxCCTPFee"];
  const fees = own.reduce((sum, name) => sum + ((facet[name] as bigint | undefined) ?? 0n), 0n);
  const elsewhere = ["nonEVMReceiver", "solanaReceiverATA", "hookData", "minFinalityThreshold"].map(
    (name) => facet[name] ?? "",
  );
  return {
    receiver: low(bridge.receiver),
    refundTo: low(String(facet["refundRecipient"] ?? "")),
    destinationChain: String(bridge.destinationChainId),
    delivers: `usdc for ${low(bridge.sendingAssetId)} ${elsewhere.join(" ")}${sound}`,
    least: bridge.minAmount - fees,
    bridged: null,
    call: null,
  };
}
