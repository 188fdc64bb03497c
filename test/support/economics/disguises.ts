import { type Hex, numberToHex } from "viem";
import type { TokenPrice } from "../../../src/prices/price.ts";
import { decodeKyberSwap, encodeKyberSwap, kyberFlags } from "../../../src/providers/kyber/kyber-calldata.ts";
import {
  type AugustusSwap,
  decodeAugustusSwap,
  encodeAugustusSwap,
} from "../../../src/providers/velora/velora-calldata.ts";

import type { GenericSwapTree, SwapTree } from "../lifi/calls.ts";
import type { Json } from "../lifi/captured.ts";
import { addressOf, NATIVE, NOW, RELAYER, tokens } from "../lifi/parts.ts";
import { BRIDGED_USDC, bridgeDisguises, facet, type Reshape, YEARS } from "./bridge-disguises.ts";
import { honest, type Lie } from "./lies.ts";
import { priceOfToken, type Trade, type TradedToken, trades } from "./trades.ts";
import type { Providers, TradeOptions } from "./world.ts";

/** An attack that hides in one field of otherwise honest answers, or in what two providers say together. */
export interface Disguise extends Pick<TradeOptions, "reshape" | "retell" | "priceOf" | "priced"> {
  name: string;
  trade: Trade;
  providers: Providers;
  /** The lie by whose declared fee an accepted deposit is judged. */
  lie: Lie;
}

const ATTACKER = addressOf("attacker");

function tradeNamed(name: string, tool?: string): Trade {
  const trade = trades.find((one) => one.name === name);
  if (trade === undefined) throw new Error(`no trade ${name}`);
  return tool === undefined ? trade : { ...trade, tools: [tool] };
}

const lieOf = (change: Partial<Lie> = {}): Lie => ({ ...honest, ...change });

const onSwap =
  (change: (tree: GenericSwapTree) => Partial<GenericSwapTree>): Reshape =>
  (scenario) =>
    scenario.tree.kind === "swap"
      ? { ...scenario, tree: { ...scenario.tree, ...change(scenario.tree) } }
      : scenario;
/** Changes every call of a swap but the fee. */
const exchangeCall = (change: (swap: SwapTree) => Partial<SwapTree>): Reshape =>
  onSwap(({ swaps }) => ({
    swaps: swaps.map((swap, index) => (index === 0 ? swap : { ...swap, ...change(swap) })),
  }));

const lifiDisguises: readonly Disguise[] = bridgeDisguises.map(
  ([name, tool, reshape, trade = "USDC bridged, one step"]) => ({
    ...{ name: `${name}, LI.FI`, trade: tradeNamed(trade, tool), lie: honest, reshape },
    providers: { lifi: honest, across: null },
  }),
);

const edit = (answer: Json, path: readonly string[], value: unknown): Json => {
  const [key = "", ...rest] = path;
  return { ...answer, [key]: rest.length === 0 ? value : edit((answer[key] ?? {}) as Json, rest, value) };
};
const isBuild = ({ pathname }: URL): boolean => !pathname.endsWith("/advanced/routes");
const onBuild =
  (path: readonly string[], value: unknown): NonNullable<TradeOptions["retell"]> =>
  (answer, url) =>
    isBuild(url) ? edit(answer, path, value) : answer;

const tenFees = (answer: Json): Json => {
  const fee = (answer["estimate"] as { feeCosts: Json[] } | undefined)?.feeCosts[0];
  return fee === undefined
    ? answer
    : edit(answer, ["estimate", "feeCosts"], Array(10).fill({ ...fee, amount: "25000000" }));
};
const inRoutes =
  (change: (step: Json) => Json): NonNullable<TradeOptions["retell"]> =>
  (answer) => {
    const routes = answer["routes"] as { steps: Json[] }[] | undefined;
    return routes === undefined
      ? change(answer)
      : { ...answer, routes: routes.map(({ steps }) => ({ steps: steps.map(change) })) };
  };

const bridgedBy = (tool: string) => tradeNamed("USDC bridged, one step", tool);
const swappedOnBase = tradeNamed("WETH swapped on one chain, two steps");
const told = (
  name: string,
  given: { trade: Trade; lie?: Partial<Lie> } & Pick<Disguise, "retell" | "priceOf" | "reshape">,
): Disguise => {
  const lie = lieOf(given.lie);
  return { name: `${name}, LI.FI`, ...given, lie, providers: { lifi: lie, across: null } };
};

const unknownNative = (token: TradedToken): TokenPrice => ({
  ...priceOfToken(token),
  judges: token.address !== NATIVE,
});

/** Attacks in the JSON of LI.FI's answers. */
const toldDisguises: readonly Disguise[] = [
  told("the step before the deposit guarantees half, the whole quote nothing less", {
    trade: bridgedBy("across"),
    retell: (answer, url) => {
      const steps = answer["includedSteps"] as Json[] | undefined;
      if (!isBuild(url) || steps === undefined) return answer;
      return {
        ...answer,
        includedSteps: steps.map((step) => edit(step, ["estimate", "toAmountMin"], "2400000000")),
      };
    },
    reshape: facet({ outputAmount: 2_400_000_000n, outputAmountMultiplier: 48n * 10n ** 16n }),
  }),
  told("ten fees of half a percent each", {
    trade: bridgedBy("across"),
    lie: { quoted: 9_500, built: 9_500, takenFee: 450, declaredFee: 450 },
    retell: inRoutes(tenFees),
  }),
  told("the declared fee is more than was paid", {
    trade: swappedOnBase,
    lie: { quoted: 9_300, built: 9_300, declaredFee: 50_000 },
  }),
  told("the swap pays the attacker", {
    trade: swappedOnBase,
    reshape: onSwap(() => ({ receiver: ATTACKER })),
  }),
  told("the swap leaves half of the payment where it is", {
    trade: swappedOnBase,
    reshape: exchangeCall(({ fromAmount }) => ({ fromAmount: fromAmount / 2n })),
  }),
  told("a token is called in place of an exchange", {
    trade: swappedOnBase,
    reshape: exchangeCall(() => ({ callTo: tokens.usdc[8453], callData: `0xa9059cbb${"00".repeat(64)}` })),
  }),
  told("the attacker is approved", {
    trade: swappedOnBase,
    retell: onBuild(["estimate", "approvalAddress"], ATTACKER),
  }),
  told("native money is taken besides", {
    trade: bridgedBy("across"),
    retell: onBuild(["transactionRequest", "value"], numberToHex(2n * 10n ** 16n)),
  }),
  told("the message fee is more than the deposit", {
    trade: tradeNamed("a little USDC bridged", "stargateV2"),
    lie: { onTop: 2n * 10n ** 16n },
  }),
  told("the message fee is in money without a price", {
    trade: tradeNamed("a little USDC bridged", "stargateV2"),
    lie: { onTop: 2n * 10n ** 16n },
    priceOf: unknownNative,
  }),
  told("the quote names another token to receive", {
    trade: swappedOnBase,
    retell: onBuild(["action", "toToken", "address"], ATTACKER),
  }),
];

const kyber = (name: string, change: Parameters<typeof kyberAnswer>[0]): Disguise => ({
  ...{ name: `${name}, KyberSwap`, trade: swappedOnBase, lie: honest, retell: kyberAnswer(change) },
  providers: { lifi: null, across: null, kyber: honest },
});
type KyberSwap = NonNullable<ReturnType<typeof decodeKyberSwap>>;
const kyberAnswer =
  (change: (swap: KyberSwap) => Partial<KyberSwap["desc"]>) =>
  (answer: Json, { pathname }: URL): Json => {
    const swap = pathname.endsWith("/build") ? decodeKyberSwap((answer["data"] as { data: Hex }).data) : null;
    if (swap === null) return answer;
    return edit(
      answer,
      ["data", "data"],
      encodeKyberSwap({ ...swap, desc: { ...swap.desc, ...change(swap) } }),
    );
  };

const velora = (name: string, change: (swap: AugustusSwap) => Partial<AugustusSwap>): Disguise => ({
  ...{ name: `${name}, Velora`, trade: tradeNamed("WETH swapped on Gnosis, two steps"), lie: honest },
  providers: { lifi: null, across: null, velora: honest },
  retell: (answer, { pathname }) => {
    const sent = answer["txParams"] as { data: Hex } | undefined;
    const swap = pathname.endsWith("/swap") && sent ? decodeAugustusSwap(sent.data) : null;
    if (swap === null) return answer;
    return edit(answer, ["txParams", "data"], encodeAugustusSwap({ ...swap, ...change(swap) }));
  },
});

const { shouldClaim, partialFill, feeOnOutput } = kyberFlags;
/** Attacks in the calldata of the exchanges. */
const exchangeDisguises: readonly Disguise[] = [
  kyber("a tenth may be filled at a tenth of the minimum", () => ({ flags: shouldClaim | partialFill })),
  kyber("an absolute fee takes a twentieth", ({ desc }) => ({
    ...{
      feeReceivers: [ATTACKER],
      feeAmounts: [desc.minReturnAmount / 20n],
      flags: shouldClaim | feeOnOutput,
    },
  })),
  kyber("two fees of a third of a percent", ({ desc }) => ({
    ...{ feeReceivers: [ATTACKER, RELAYER], flags: shouldClaim },
    feeAmounts: [desc.amount / 300n, desc.amount / 300n],
  })),
  kyber("another dollar is bought", () => ({ dstToken: ATTACKER })),
  kyber("more is passed on than was paid", ({ desc }) => ({ srcAmounts: [desc.amount * 2n] })),
  kyber("another permit of the user is used", () => ({ permit: `0x${"11".repeat(224)}` })),
  velora("a partner without a fee is named", () => ({ partner: ATTACKER })),
  velora("a fee without a partner is taken", ({ feeData }) => ({ feeData: feeData | 500n })),
  velora("the router keeps what exceeds the minimum", ({ toAmount }) => ({ quotedAmount: toAmount })),
  velora("native money is bought where its wrapped form is due", () => ({ destToken: ATTACKER })),
];

const across = (name: string, change: Json): Disguise => ({
  ...{ name: `${name}, Across`, trade: tradeNamed("USDC bridged, one step"), lie: lieOf({ takenFee: 0 }) },
  providers: { lifi: null, across: lieOf({ takenFee: 0 }) },
  retell: (answer) => ({ ...answer, ...change }),
});

const acrossDisguises: readonly Disguise[] = [
  across("the quote is more than half an hour old", { timestamp: String(NOW - 1_801) }),
  across("the quote is of the future", { timestamp: String(NOW + 1) }),
  across("one relayer may fill for ever", { exclusiveRelayer: RELAYER, exclusivityDeadline: NOW + YEARS }),
  across("nobody may fill first", { exclusivityDeadline: 300 }),
  across("the refund comes after seven hours", { fillDeadline: String(NOW + 25_200) }),
  across("the delivered dollar has eighteen decimals", {
    outputToken: { chainId: 42161, address: tokens.usdc[42161], decimals: 18, symbol: "USDC" },
  }),
  across("another dollar of the same name is delivered", {
    outputToken: { chainId: 42161, address: BRIDGED_USDC, decimals: 6, symbol: "USDC" },
  }),
  across("another pool takes the deposit", { spokePoolAddress: ATTACKER }),
];

const dropped = (quoted: number, built: number, who: Exclude<keyof Providers, "velora">, trade: Trade) => {
  const lie = lieOf({ quoted, built, takenFee: 0 });
  const providers: Providers = { lifi: null, across: null, [who]: lie };
  return { name: `${quoted - built} basis points go after the quote, ${who}`, trade, lie, providers };
};

/** Attacks that no honest provider outbids: each is refused. */
export const disguises: readonly Disguise[] = [
  ...lifiDisguises,
  ...toldDisguises,
  ...exchangeDisguises,
  ...acrossDisguises,
  dropped(10_000, 9_880, "across", tradeNamed("USDC bridged, one step")),
  dropped(9_965, 9_800, "kyber", swappedOnBase),
  dropped(9_965, 9_800, "lifi", swappedOnBase),
];

const both = (lifi: Partial<Lie>, other: Partial<Providers>): Providers => ({
  ...{ lifi: lieOf(lifi), across: null },
  ...other,
});

/** Lies beside an honest provider, or about what nobody is paid by: a deposit may be built, but a fair one only. */
export const harmless: readonly Disguise[] = [
  {
    ...{ name: "a bait at the band's upper end, taken back in the transaction", lie: honest },
    trade: bridgedBy("stargateV2"),
    providers: both({ quoted: 10_290, built: 9_700 }, { across: lieOf({ takenFee: 0 }) }),
  },
  {
    ...{ name: "a bait of an instant bridge, which then delivers its least", lie: honest },
    trade: bridgedBy("stargateV2"),
    providers: both({ quoted: 9_999, built: 9_900, builtMin: 9_700 }, { across: lieOf({ takenFee: 0 }) }),
  },
  {
    ...{ name: "the whole slippage below the second opinion, and again below the quote", lie: honest },
    trade: swappedOnBase,
    priced: false,
    providers: both({ quoted: 9_680, built: 9_680, builtMin: 9_700 }, { kyber: honest }),
  },
  {
    ...{ name: "the second opinion is the liar's", lie: honest },
    trade: swappedOnBase,
    priced: false,
    providers: both({}, { kyber: lieOf({ quoted: 9_680, built: 9_680, builtMin: 9_700 }) }),
  },
  {
    ...{ name: "the token takes a fiftieth on its way", trade: swappedOnBase },
    ...{ lie: lieOf({ simulated: 9_800 }), providers: both({ simulated: 9_800 }, {}) },
  },
  ...[100_000, 5_000].map((quoted) => ({
    ...{ name: `a quote of ${quoted / 100} percent beside a fair one`, lie: honest },
    trade: bridgedBy("stargateV2"),
    providers: both({ quoted, built: quoted }, { across: lieOf({ takenFee: 0 }) }),
  })),
  told("the message fee is what messages cost", {
    trade: tradeNamed("USDC bridged, one step", "stargateV2"),
    lie: { onTop: 10n ** 15n },
  }),
  told("other decimals are displayed", {
    trade: swappedOnBase,
    retell: inRoutes((step) =>
      edit(edit(step, ["action", "toToken", "decimals"], 18), ["action", "fromToken", "decimals"], 2),
    ),
  }),
  told("nothing is said of the tokens but their addresses", {
    trade: swappedOnBase,
    retell: inRoutes((step) => {
      const action = step["action"] as Record<"fromToken" | "toToken", Json>;
      const bare = ({ chainId, address }: Json): Json => ({ chainId, address, name: null });
      const tokens = { fromToken: bare(action.fromToken), toToken: bare(action.toToken) };
      return { ...step, action: { ...action, ...tokens, fromAddress: null, toAddress: null } };
    }),
  }),
  told("other dollar figures are displayed", {
    trade: swappedOnBase,
    retell: inRoutes((step) =>
      edit(edit(step, ["estimate", "toAmountUSD"], "1"), ["estimate", "fromAmountUSD"], "1000000"),
    ),
  }),
  told("nothing is said of gas and duration", {
    trade: swappedOnBase,
    retell: inRoutes((step) =>
      edit(edit(step, ["estimate", "gasCosts"], null), ["estimate", "executionDuration"], -1),
    ),
  }),
];
