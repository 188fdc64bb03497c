import { type Address, concatHex, type Hex, numberToHex, size } from "viem";
import type { BridgeTree, MessageTree, SwapTree } from "../lifi/calls.ts";
import { addressOf, dexStep, feeStep, NATIVE, NOW, RELAYER, tokens, word } from "../lifi/parts.ts";
import type { TradeOptions } from "./world.ts";

const ATTACKER = addressOf("attacker");
/** Bridged USDC of Arbitrum, which shares the symbol of the native one but not its issuer. */
export const BRIDGED_USDC: Address = "0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8";
/** Ten years, in seconds. */
export const YEARS = 315_360_000;

/** Changes LI.FI's response before its calldata is encoded. */
export type Reshape = NonNullable<TradeOptions["reshape"]>;
const onBridge =
  (change: (tree: BridgeTree) => BridgeTree): Reshape =>
  (scenario) =>
    scenario.tree.kind === "bridge" ? { ...scenario, tree: change(scenario.tree) } : scenario;
/** Changes fields of a bridge's own data. */
export const facet = (change: Record<string, unknown>): Reshape =>
  onBridge((tree) => ({ ...tree, facet: { ...tree.facet, ...change } }));
const sendParams = (change: (params: Record<string, unknown>) => Record<string, unknown>): Reshape =>
  onBridge((tree) => {
    const params = tree.facet["sendParams"] as Record<string, unknown>;
    return { ...tree, facet: { ...tree.facet, sendParams: { ...params, ...change(params) } } };
  });
const message = (change: (tree: MessageTree) => MessageTree): Reshape =>
  sendParams(({ composeMsg }) => ({ composeMsg: change(composeMsg as MessageTree) }));
const swaps = (change: (list: readonly SwapTree[]) => SwapTree[]): Reshape =>
  onBridge((tree) => ({ ...tree, swaps: change(tree.swaps ?? []) }));

/** Encodes one LayerZero option of the executor. Source: LayerZero V2 ExecutorOptions.sol. */
const layerZeroOption = (type: number, body: Hex): Hex =>
  concatHex(["0x01", numberToHex(size(body) + 1, { size: 2 }), numberToHex(type, { size: 1 }), body]);
const refuel = concatHex([
  "0x0003",
  layerZeroOption(3, concatHex(["0x0000", numberToHex(0x100000n, { size: 16 })])),
  layerZeroOption(2, concatHex([numberToHex(10n ** 16n, { size: 16 }), word(ATTACKER)])),
]);
const littleGas = concatHex([
  "0x0003",
  layerZeroOption(3, concatHex(["0x0000", numberToHex(1n, { size: 16 })])),
]);

/** A further fee payment out of what the calls before it leave. */
const feeOutOf = (fromAmount: bigint, amount: bigint): SwapTree => ({
  ...feeStep(tokens.usdc[8453], fromAmount),
  callData: { feeToken: tokens.usdc[8453], distributions: [{ recipient: ATTACKER, amount }] },
  requiresDeposit: false,
});
const dex = (sendingAssetId: Address, receivingAssetId: Address, fromAmount = 1n): SwapTree =>
  dexStep({ sendingAssetId, receivingAssetId, fromAmount });

/** Attacks in the calldata of LI.FI's bridges, by tool. */
export const bridgeDisguises: readonly (readonly [string, tool: string, Reshape, trade?: string])[] = [
  [
    "the message fee pays a refuel of the attacker",
    "stargateV2",
    sendParams(() => ({ extraOptions: refuel })),
  ],
  [
    "the message has too little gas for the deposit",
    "stargateV2",
    sendParams(() => ({ extraOptions: littleGas })),
  ],
  [
    "a swap is inserted before the deposit",
    "stargateV2",
    message((tree) => ({ ...tree, swaps: [dex(tokens.usdc[42161], tokens.usdt[42161]), ...tree.swaps] })),
  ],
  [
    "the deposit takes half, the rest stays at the executor",
    "stargateV2",
    message((tree) => ({
      ...tree,
      swaps: tree.swaps.map((swap) => ({ ...swap, fromAmount: swap.fromAmount / 2n })),
    })),
  ],
  [
    "the failed deposit pays the attacker",
    "stargateV2",
    message((tree) => ({ ...tree, receiver: ATTACKER })),
  ],
  ["the unused message fee goes to the attacker", "stargateV2", facet({ refundAddress: ATTACKER })],
  ["the pool of another asset delivers", "stargateV2", facet({ assetId: 2 })],
  [
    "one relayer may fill for ever",
    "across",
    facet({ exclusivityParameter: NOW + YEARS, exclusiveRelayer: word(RELAYER) }),
  ],
  ["the quote is an hour old, so that nobody can send it", "across", facet({ quoteTimestamp: NOW - 3_600 })],
  ["the quote is of the future", "across", facet({ quoteTimestamp: NOW + 601 })],
  ["the refund comes after a day", "across", facet({ fillDeadline: NOW + 86_401 })],
  ["the refund goes to the attacker", "across", facet({ refundAddress: word(ATTACKER) })],
  ["another dollar of the same name is delivered", "across", facet({ receivingAssetId: word(BRIDGED_USDC) })],
  [
    "native money is named where its wrapped form is due",
    "across",
    facet({ receivingAssetId: word(NATIVE) }),
    "WETH bridged",
  ],
  [
    "wrapped money is paid and native money bridged",
    "across",
    onBridge((tree) => ({ ...tree, bridge: { ...tree.bridge, sendingAssetId: NATIVE } })),
    "WETH bridged",
  ],
  [
    "a second fee takes a twentieth, which the bridge's rate hides",
    "across",
    onBridge((tree) => {
      const { minAmount } = tree.bridge;
      const left = minAmount - minAmount / 20n;
      const rate = ((tree.facet["outputAmountMultiplier"] as bigint) * minAmount) / left;
      return {
        ...tree,
        swaps: [...(tree.swaps ?? []), feeOutOf(minAmount, minAmount / 20n)],
        bridge: { ...tree.bridge, minAmount: left },
        facet: { ...tree.facet, outputAmountMultiplier: rate },
      };
    }),
  ],
  [
    "the fee is split over nine payments",
    "across",
    swaps((list) => [...list, ...Array.from({ length: 8 }, () => feeOutOf(1n, 1n))]),
  ],
  [
    "the swap goes there and back",
    "celercircle",
    onBridge((tree) => ({
      ...tree,
      swaps: [
        ...(tree.swaps ?? []),
        dex(tokens.usdc[8453], tokens.weth[8453], tree.bridge.minAmount),
        dex(tokens.weth[8453], tokens.usdc[8453]),
      ],
    })),
  ],
  [
    "the second call takes other money that the user approved",
    "across",
    swaps((list) => list.map((swap, index) => (index === 0 ? swap : { ...swap, requiresDeposit: true }))),
    "WETH swapped and bridged, one step",
  ],
  [
    "the swap ends in a token of the attacker's",
    "across",
    onBridge((tree) => ({
      ...tree,
      swaps: (tree.swaps ?? []).map((swap, index) =>
        index === 0 ? swap : { ...swap, receivingAssetId: ATTACKER },
      ),
      bridge: { ...tree.bridge, sendingAssetId: ATTACKER },
    })),
    "WETH swapped and bridged, one step",
  ],
  ["the fee of the burn takes a twentieth", "celercircle", facet({ maxFee: 250_000_000n })],
  [
    "the burn is fast and dear, the quote slow and cheap",
    "celercircle",
    facet({ minFinalityThreshold: 1_000 }),
  ],
  ["the burn carries a call of the attacker's", "polymerStandard", facet({ hookData: "0xdeadbeef" })],
  ["the bridge's fee takes a twentieth", "polymerStandard", facet({ polymerTokenFee: 250_000_000n })],
];
