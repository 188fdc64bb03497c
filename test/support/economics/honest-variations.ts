import { concatHex, type Hex, slice } from "viem";
import { decodeKyberSwap, encodeKyberSwap, kyberFlags } from "../../../src/providers/kyber/kyber-calldata.ts";
import {
  type AugustusSwap,
  decodeAugustusSwap,
  encodeAugustusSwap,
} from "../../../src/providers/velora/velora-calldata.ts";
import type { SwapTree } from "../lifi/calls.ts";
import type { Json } from "../lifi/captured.ts";
import { addressOf, NOW, RELAYER, tokens } from "../lifi/parts.ts";
import { edit, type FieldAttack, onBase, onGnosis, tradeOf } from "./field-changes.ts";
import { honest, type Lie } from "./lies.ts";
import type { Trade } from "./trades.ts";
import type { TradeOptions } from "./world.ts";

/** An honest answer that differs from those that were recorded, as providers change without notice. */
export type Variation = Omit<FieldAttack, "must">;

const OTHER = addressOf("a newer contract");
const WALLET = addressOf("a newer fee wallet");
const PARTNER = addressOf("an integrator's wallet");

/** A trade for each function of LI.FI's contracts that is used. */
const lifiTrades: readonly Trade[] = [
  onBase,
  tradeOf("WETH swapped on one chain, one step"),
  tradeOf("ETH swapped on one chain"),
  ...["across", "stargateV2", "celercircle", "polymerStandard"].flatMap((tool) => [
    tradeOf("USDC bridged, two steps", tool),
    tradeOf("WETH swapped and bridged, two steps", tool),
  ]),
];

type Change = Pick<TradeOptions, "reshape" | "retell"> & { lie?: Partial<Lie> };

const byLifi = (name: string, { lie = {}, ...change }: Change): Variation[] =>
  lifiTrades.map((trade) => ({
    name: `${name}, LI.FI: ${trade.name} by ${trade.tools[0]}`,
    ...{ trade, ...change, providers: { lifi: { ...honest, ...lie }, across: null } },
  }));

const onSwaps =
  (change: (swap: SwapTree, at: number) => SwapTree): NonNullable<TradeOptions["reshape"]> =>
  (scenario) => {
    const { tree } = scenario;
    const swaps = tree.swaps?.map((swap, at) =>
      typeof swap.callData === "string" && isOurs(swap) ? swap : change(swap, at),
    );
    return { ...scenario, tree: { ...tree, swaps: swaps ?? null } as typeof tree };
  };
/** The destination call of a deposit, which no honest answer changes. */
const isOurs = ({ callData }: SwapTree): boolean => typeof callData === "string" && callData.length > 200;

const onFee = (
  change: (distributions: { recipient: `0x${string}`; amount: bigint }[]) => typeof distributions,
) =>
  onSwaps((swap) =>
    typeof swap.callData === "string"
      ? swap
      : { ...swap, callData: { ...swap.callData, distributions: change(swap.callData.distributions) } },
  );
const onExchange = (change: (swap: SwapTree & { callData: Hex }) => Partial<SwapTree>) =>
  onSwaps((swap) =>
    typeof swap.callData === "string" ? { ...swap, ...change({ ...swap, callData: swap.callData }) } : swap,
  );
const inSteps =
  (change: (step: Json) => Json): NonNullable<TradeOptions["retell"]> =>
  (answer) => {
    const routes = answer["routes"] as { steps: Json[] }[] | undefined;
    return routes === undefined
      ? change(answer)
      : { ...answer, routes: routes.map(({ steps }) => ({ steps: steps.map(change) })) };
  };
const estimateWith = (change: (estimate: Json) => Json) =>
  inSteps((step) => ({ ...step, estimate: change(step["estimate"] as Json) }));
const rowsOf = (estimate: Json): Json[] => estimate["feeCosts"] as Json[];

const lifiVariations: readonly Variation[] = [
  ...byLifi("a rotated fee wallet", {
    reshape: onFee((fees) => fees.map((fee) => ({ ...fee, recipient: WALLET }))),
  }),
  ...byLifi("a rotated fee contract", { lie: { strangeFeeContract: true } }),
  ...byLifi("an integrator's part of the fee", {
    reshape: onFee((fees) =>
      fees.flatMap(({ recipient, amount }) => [
        { recipient, amount: amount - amount / 3n },
        { recipient: PARTNER, amount: amount / 3n },
      ]),
    ),
  }),
  ...byLifi("an integrator's fee besides", {
    lie: { takenFee: 75, declaredFee: 75, quoted: 9_915, built: 9_915 },
  }),
  ...byLifi("no fee at all", { lie: { takenFee: 0, declaredFee: 0, quoted: 9_990, built: 9_990 } }),
  ...byLifi("another function of another exchange", {
    reshape: onExchange(({ callData }) => ({
      ...{ callTo: OTHER, approveTo: addressOf("a newer spender") },
      callData: concatHex(["0x0badf00d", slice(callData, 4)]),
    })),
  }),
  ...byLifi("fees without decimals, a name or a percentage", {
    retell: estimateWith((estimate) => ({
      ...estimate,
      feeCosts: rowsOf(estimate).map(({ amount, included, token }) => {
        const { chainId, address } = token as Json;
        return { amount, included, token: { chainId, address } };
      }),
    })),
  }),
  ...byLifi("a fee without an amount, for display", {
    retell: estimateWith((estimate) => ({
      ...estimate,
      feeCosts: [...rowsOf(estimate), { name: "Relayer tip", description: "paid by the protocol" }],
    })),
  }),
  ...byLifi("no gas, duration or logo", {
    retell: inSteps((step) => {
      const { gasCosts: _gas, executionDuration: _duration, ...estimate } = step["estimate"] as Json;
      return { ...step, estimate, toolDetails: null };
    }),
  }),
  ...byLifi("fields that nobody knows", {
    retell: inSteps((step) => ({ ...edit(step, ["estimate", "riskScore"], { level: 1 }), warnings: [] })),
  }),
];

const byKyber = (name: string, change: (swap: NonNullable<ReturnType<typeof decodeKyberSwap>>) => object) =>
  ({
    ...{ name: `${name}, KyberSwap`, trade: onBase, providers: { lifi: null, across: null, kyber: honest } },
    retell: (answer: Json, { pathname }: URL): Json => {
      const { data } = answer["data"] as { data: Hex };
      const swap = pathname.endsWith("/build") ? decodeKyberSwap(data) : null;
      return swap === null
        ? answer
        : edit(answer, ["data", "data"], encodeKyberSwap({ ...swap, ...change(swap) }));
    },
  }) satisfies Variation;

const kyberVariations: readonly Variation[] = [
  byKyber("another executor", () => ({ executor: OTHER, executorData: `0x${"77".repeat(3_000)}` })),
  byKyber("a long text for statistics", () => ({ clientData: `0x${"20".repeat(2_000)}` })),
  byKyber("pools that are paid directly", ({ desc }) => ({
    kind: "swapSimpleMode",
    desc: {
      ...{ ...desc, flags: kyberFlags.simpleSwap },
      ...{ srcReceivers: [OTHER, RELAYER], srcAmounts: [desc.amount / 3n, desc.amount - desc.amount / 3n] },
    },
  })),
  byKyber("no flag", ({ desc }) => ({ desc: { ...desc, flags: 0n } })),
  byKyber("a fee of a tenth of a percent", ({ desc }) => ({
    desc: {
      ...desc,
      ...{ feeReceivers: [WALLET], feeAmounts: [10n] },
      flags: desc.flags | kyberFlags.feeOnOutput | kyberFlags.feeInBps,
    },
  })),
  {
    ...byKyber("neither gas nor the native amount", () => ({})),
    retell: (answer) => {
      const { gas: _gas, transactionValue: _value, ...data } = answer["data"] as Json;
      return { ...answer, data: { ...data, additionalCostUsd: "0.1" }, requestId: "7" };
    },
  },
];

const byVelora = (name: string, change: (swap: AugustusSwap) => Partial<AugustusSwap>): Variation => ({
  ...{ name: `${name}, Velora`, trade: onGnosis, providers: { lifi: null, across: null, velora: honest } },
  retell: (answer, { pathname }) => {
    const sent = answer["txParams"] as { data: Hex } | undefined;
    const swap = pathname.endsWith("/swap") && sent ? decodeAugustusSwap(sent.data) : null;
    return swap === null
      ? answer
      : edit(answer, ["txParams", "data"], encodeAugustusSwap({ ...swap, ...change(swap) }));
  },
});

const veloraVariations: readonly Variation[] = [
  byVelora("another executor", () => ({ executor: OTHER, executorData: `0x${"77".repeat(3_000)}` })),
  byVelora("other flags of the fee", () => ({ feeData: 0n })),
  byVelora("a quote above the price", ({ quotedAmount }) => ({ quotedAmount: quotedAmount + 7n })),
  byVelora("other metadata", () => ({ metadata: `0x${"ab".repeat(32)}` })),
];

const byAcross = (name: string, change: Json, lie: Partial<Lie> = {}): Variation => ({
  ...{ name: `${name}, Across`, trade: tradeOf("USDC bridged, one step") },
  providers: { lifi: null, across: { ...honest, takenFee: 0, ...lie } },
  retell: (answer) => ({ ...answer, ...change }),
});

const acrossVariations: readonly Variation[] = [
  byAcross("a higher fee of the relayer", {}, { quoted: 9_930, built: 9_930 }),
  byAcross("almost no fee of the relayer", {}, { quoted: 9_999, built: 9_999 }),
  byAcross("a relayer that may fill first", { exclusiveRelayer: RELAYER, exclusivityDeadline: 30 }),
  byAcross("a relayer that may fill first until then", {
    ...{ exclusiveRelayer: RELAYER, exclusivityDeadline: NOW + 60 },
  }),
  byAcross("a quote of twenty minutes ago", { timestamp: String(NOW - 1_200) }),
  byAcross("a deadline in five hours", { fillDeadline: String(NOW + 18_000) }),
  byAcross("numbers in place of texts", { timestamp: NOW - 60, fillDeadline: NOW + 7_200 }),
  byAcross("fields that nobody knows", { gasless: { supported: false }, tokens: [tokens.usdc[1]] }),
  byAcross("no fee's details", { totalRelayFee: null, lpFee: null }),
];

/** Honest answers in forms that were not recorded. All of them must be accepted. */
export const variations: readonly Variation[] = [
  ...lifiVariations,
  ...kyberVariations,
  ...veloraVariations,
  ...acrossVariations,
];
