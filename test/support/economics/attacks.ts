import { honest, type Lie } from "./lies.ts";
import { exchangeOf, type Trade, trades } from "./trades.ts";
import type { Providers } from "./world.ts";

/** One attack: a trade, and the lies that each provider tells in it. */
export interface Attack {
  name: string;
  trade: Trade;
  providers: Providers;
  /** The lie that the test evaluates. */
  lie: Lie;
}

/** Lies that would take the user's funds. None may be accepted if no honest provider takes part. */
const thefts: Readonly<Record<string, Partial<Lie>>> = {
  "half of the value is gone, in every figure": { quoted: 5_000, built: 5_000 },
  "nine tenths are gone, in every figure": { quoted: 1_000, built: 1_000 },
  "almost all is gone, in every figure": { quoted: 3, built: 3 },
  "one in ten is gone, in every figure": { quoted: 9_000, built: 9_000 },
  "one in fourteen is gone, in every figure": { quoted: 9_290, built: 9_290 },
  "the quote is honest, the transaction takes half": { built: 5_000 },
  "the quote is honest, the transaction takes a tenth": { built: 9_000 },
  "the quote is honest, the transaction takes almost all": { built: 1, builtMin: 1 },
  "the expectation is honest, the minimum half": { builtMin: 5_000 },
  "the expectation is honest, the minimum a thousandth": { builtMin: 10 },
  "the figures are honest, the calldata enforces half": { enforced: 5_000 },
  "the figures are honest, the calldata enforces next to nothing": { enforced: 1 },
  "ten times too good": { quoted: 100_000, built: 100_000 },
  "ten times too good, with the honest minimum": {
    quoted: 100_000,
    built: 100_000,
    quotedMin: 970,
    builtMin: 970,
  },
  "ten times too good until the transaction is built": { quoted: 100_000 },
  "half is gone and is declared as fee": { quoted: 5_000, built: 5_000, declaredFee: 5_000, takenFee: 4_900 },
  "a tenth is gone and is declared as fee": {
    quoted: 9_000,
    built: 9_000,
    declaredFee: 1_000,
    takenFee: 900,
  },
  "a strange fee contract takes half": {
    quoted: 5_000,
    built: 5_000,
    takenFee: 4_900,
    strangeFeeContract: true,
  },
  "the first quote is fair, then a tenth goes to a strange fee contract": {
    built: 8_950,
    takenFee: 1_000,
    strangeFeeContract: true,
  },
};

/** Lies that apply to, or take funds in, some trades only. */
const special: readonly { name: string; lie: Partial<Lie>; serves: (trade: Trade) => boolean }[] = [
  {
    name: "one asset is bridged as if it were the other",
    lie: { withoutSwap: true },
    serves: ({ same, from, to }) => !same && from.chainId !== to.chainId,
  },
  {
    name: "one asset is bridged as if it were the other, unit for unit",
    lie: { withoutSwap: true, quoted: 9_990, built: 9_990, takenFee: 0, declaredFee: 0 },
    serves: ({ same, from, to }) => !same && from.chainId !== to.chainId,
  },
  {
    name: "the source swap enforces nothing, the bridge asks relayers for a gift",
    lie: { hollow: true },
    serves: ({ same, from, to, tools }) => !same && from.chainId !== to.chainId && tools[0] === "across",
  },
  {
    name: "the fill deadline passes before the quote",
    lie: { fillSeconds: 61 },
    serves: ({ tools, from, to }) => tools[0] === "across" && from.chainId !== to.chainId,
  },
  {
    name: "one relayer may fill until the fill deadline",
    lie: { fillSeconds: 600, exclusiveSeconds: 600 },
    serves: ({ tools, from, to }) => tools[0] === "across" && from.chainId !== to.chainId,
  },
  {
    name: "the simulation shows half of what is enforced",
    lie: { simulated: 5_000 },
    serves: ({ from, to }) => from.chainId === to.chainId,
  },
  {
    name: "the simulation shows ten times what the transaction will pay",
    lie: { simulated: 100_000 },
    serves: ({ from, to }) => from.chainId === to.chainId,
  },
  {
    name: "the simulation shows a twentieth more than is fair",
    lie: { simulated: 10_550 },
    serves: ({ from, to }) => from.chainId === to.chainId,
  },
  {
    name: "the simulation shows six percent less, the minimum allows it",
    lie: { simulated: 9_400, builtMin: 9_300, quotedMin: 9_300 },
    serves: ({ from, to }) => from.chainId === to.chainId,
  },
];

const lieOf = (change: Partial<Lie>): Lie => ({ ...honest, ...change });

/** The trades, repeated for each tool that supports them, so that each tool is tested. */
const perTool: readonly Trade[] = trades.flatMap((trade) =>
  trade.tools.map((tool) => ({ ...trade, name: `${trade.name} by ${tool}`, tools: [tool] })),
);

/**
 * Returns true if a trade's calldata contains a minimum. Calldata of Celer and of a call on one chain has none, so only
 * the service's own minimum applies.
 */
const hasMinimum = ({ tools, from, to, caller }: Trade): boolean =>
  tools[0] !== "celercircle" && (from.chainId !== to.chainId || caller === "user");

function lifiAttacks(): Attack[] {
  const general = Object.entries(thefts).flatMap(([name, change], index) =>
    perTool
      .filter((trade, at) => at % 4 === index % 4 && (change.enforced === undefined || hasMinimum(trade)))
      .map((trade) => ({
        name,
        trade,
        lie: lieOf(change),
        providers: { lifi: lieOf(change), across: null },
      })),
  );
  const own = special.flatMap(({ name, lie, serves }) =>
    perTool
      .filter(serves)
      .map((trade) => ({ name, trade, lie: lieOf(lie), providers: { lifi: lieOf(lie), across: null } })),
  );
  return [...general, ...own];
}

/** Lies that Across can tell. Its API states one amount, which is both expected and guaranteed. */
const acrossLies: Readonly<Record<string, Partial<Lie>>> = {
  "half is gone": { quoted: 5_000, built: 5_000 },
  "one in twenty is gone": { quoted: 9_500, built: 9_500 },
  "almost all is gone": { quoted: 1, built: 1 },
  "half goes after the quote": { built: 5_000 },
  "two percent go after the quote": { built: 9_760 },
  "more than was paid": { quoted: 10_100, built: 10_100 },
  "the fill deadline passes before the quote": { fillSeconds: 61 },
  "one relayer may fill until the fill deadline": { fillSeconds: 600, exclusiveSeconds: 600 },
};

function acrossAttacks(): Attack[] {
  // Of forty dollars, three are a fee.
  const carried = trades.filter(({ across, name }) => across && name !== "a little USDC bridged");
  return Object.entries(acrossLies).flatMap(([name, change]) =>
    carried.flatMap((trade) => {
      const lie = lieOf({ ...change, takenFee: 0 });
      const by = (providers: Providers, who: string): Attack => ({
        name: `${name}, ${who}`,
        trade,
        lie,
        providers,
      });
      return [by({ lifi: null, across: lie }, "Across"), by({ lifi: lie, across: lie }, "Across and LI.FI")];
    }),
  );
}

/** Lies that KyberSwap and Velora can tell: about a price, a transaction, its minimum and its fee. */
const exchangeLies: Readonly<Record<string, Partial<Lie>>> = {
  "half is gone, in every figure": { quoted: 5_000, built: 5_000 },
  "almost all is gone, in every figure": { quoted: 3, built: 3 },
  "one in ten is gone, in every figure": { quoted: 9_000, built: 9_000 },
  "one in fourteen is gone, in every figure": { quoted: 9_290, built: 9_290 },
  "the route is honest, the transaction takes half": { built: 5_000 },
  "the route is honest, the transaction takes a tenth": { built: 9_000 },
  "the calldata enforces half": { enforced: 5_000 },
  "the calldata enforces next to nothing": { enforced: 1 },
  "ten times too good": { quoted: 100_000, built: 100_000 },
  "the simulation shows half of what is enforced": { simulated: 5_000 },
  "the simulation shows ten times what the transaction will pay": { simulated: 100_000 },
  "the simulation shows a twentieth more than is fair": { simulated: 10_550 },
  "a fee of a twentieth": { strangeFeeContract: true, takenFee: 500 },
  "a fee of half": { strangeFeeContract: true, takenFee: 5_000, quoted: 5_000, built: 5_000 },
};
const labels = { kyber: "KyberSwap", velora: "Velora" } as const;

function exchangeAttacks(): Attack[] {
  return Object.entries(exchangeLies).flatMap(([name, change]) =>
    trades.flatMap((trade) => {
      const exchange = exchangeOf(trade);
      if (exchange === null) return [];
      const lie = lieOf(change);
      const by = (providers: Providers, who: string): Attack => ({
        name: `${name}, ${who}`,
        trade,
        lie,
        providers,
      });
      const label = labels[exchange];
      const alone = by({ lifi: null, across: null, [exchange]: lie }, label);
      // Our own minimum bounds what LI.FI's calldata enforces, and its fee is part of its figures.
      const harmless = change.enforced !== undefined || change.strangeFeeContract === true;
      return harmless
        ? [alone]
        : [alone, by({ lifi: lie, across: null, [exchange]: lie }, `${label} and LI.FI`)];
    }),
  );
}

/** Velora's router keeps what exceeds the quoted amount. */
const veloraAttacks = (): Attack[] =>
  trades
    .filter((trade) => exchangeOf(trade) === "velora")
    .map((trade) => {
      const lie = lieOf({ hollow: true });
      const name = "the router keeps almost all as surplus, Velora";
      return { name, trade, lie, providers: { lifi: null, across: null, velora: lie } };
    });

/** Attacks by LI.FI, Across, KyberSwap and Velora, alone and together. */
export const attacks: readonly Attack[] = [
  ...lifiAttacks(),
  ...acrossAttacks(),
  ...exchangeAttacks(),
  ...veloraAttacks(),
];
