import { type Hex, size, slice } from "viem";
import type { Json } from "../lifi/captured.ts";
import { ATTACKER } from "../lifi/parts.ts";
import { exchangeFieldAttacks } from "./exchange-field-attacks.ts";
import {
  type Change,
  copyWord,
  edit,
  type FieldAttack,
  onBase,
  setWord,
  tradeOf,
  trailing,
  WRAPPED,
} from "./field-changes.ts";
import { honest } from "./lies.ts";
import type { Trade } from "./trades.ts";
import type { TradeOptions } from "./world.ts";

const lifiData =
  (change: Change) =>
  (answer: Json): Json => {
    const sent = answer["transactionRequest"] as { data: Hex } | undefined;
    return sent === undefined ? answer : edit(answer, ["transactionRequest", "data"], change(sent.data));
  };
const ofLifi = (
  must: FieldAttack["must"],
  name: string,
  { trade = onBase, retell }: { trade?: Trade; retell: NonNullable<TradeOptions["retell"]> },
): FieldAttack => ({
  ...{ name: `${name}, LI.FI`, trade, must, retell },
  providers: { lifi: honest, across: null },
});
const built =
  (path: readonly string[], value: unknown): NonNullable<TradeOptions["retell"]> =>
  (answer, { pathname }) =>
    pathname.endsWith("/advanced/routes") ? answer : edit(answer, path, value);
const carriers = ["across", "stargateV2", "celercircle", "polymerStandard"].map((tool) =>
  tradeOf("USDC bridged, two steps", tool),
);
const everyShape = [onBase, tradeOf("WETH swapped on one chain, one step"), ...carriers];
const everywhere = (must: FieldAttack["must"], name: string, retell: NonNullable<TradeOptions["retell"]>) =>
  everyShape.map((trade) => ofLifi(must, `${name} of ${trade.name} by ${trade.tools[0]}`, { trade, retell }));

const lifiAttacks: readonly FieldAttack[] = [
  ...everywhere("refused", "bytes after the arguments name the attacker", lifiData(trailing)),
  ...everywhere("refused", "the second argument overlaps the first", lifiData(copyWord(0, 1))),
  ...everywhere("refused", "the first argument is wrapped around", lifiData(setWord(0, WRAPPED))),
  ...everywhere(
    "refused",
    "the last word is cut",
    lifiData((data) => slice(data, 0, size(data) - 32)),
  ),
  ...everywhere("refused", "another sender", built(["transactionRequest", "from"], ATTACKER)),
  ...everywhere("refused", "another chain's transaction", built(["transactionRequest", "chainId"], 1)),
  ...everywhere("refused", "another amount in the estimate", built(["estimate", "fromAmount"], "1")),
  ...everywhere("refused", "another target", built(["transactionRequest", "to"], ATTACKER)),
  ...everywhere("harmless", "the object's prototype", (answer) => ({
    ...answer,
    ...(JSON.parse('{"__proto__":{"isAdmin":true,"toAmountMin":"0"}}') as Json),
  })),
  ofLifi("refused", "the value is negative", {
    retell: built(["transactionRequest", "value"], "-0x1"),
  }),
  ofLifi("refused", "the delivery goes to another account", {
    retell: built(["action", "toAddress"], ATTACKER),
  }),
  ofLifi("refused", "another account pays", { retell: built(["action", "fromAddress"], ATTACKER) }),
  ...["__proto__", "constructor", "toString"].map((tool) =>
    ofLifi("refused", `a tool called ${tool}`, {
      trade: carriers[0] ?? onBase,
      retell: (answer) => ({ ...answer, tool }),
    }),
  ),
];

const ofAcross = (must: FieldAttack["must"], name: string, change: Json): FieldAttack => ({
  ...{ name: `${name}, Across`, trade: tradeOf("USDC bridged, one step"), must },
  providers: { lifi: null, across: { ...honest, takenFee: 0 } },
  retell: (answer) => ({ ...answer, ...change }),
});

const acrossAttacks: readonly FieldAttack[] = [
  ofAcross("refused", "one relayer may fill for a year", {
    ...{ exclusiveRelayer: ATTACKER, exclusivityDeadline: 31_536_000 },
  }),
  ofAcross("harmless", "an exclusivity that ended long ago", {
    ...{ exclusiveRelayer: ATTACKER, exclusivityDeadline: 31_536_001 },
  }),
  ofAcross("harmless", "a relayer without an exclusivity", { exclusiveRelayer: ATTACKER }),
  ofAcross("refused", "the refund comes in the year 2106", { fillDeadline: String(2 ** 32 - 1) }),
  ofAcross("refused", "a deadline that overflows to now", { fillDeadline: String(2 ** 32 + 1_790_003_600) }),
  ofAcross("refused", "an output of all numbers", { outputAmount: (2n ** 256n - 1n).toString() }),
  ofAcross("refused", "an output in words", { outputAmount: "4.9e9" }),
  ofAcross("refused", "nothing is delivered", { outputAmount: "0" }),
  ofAcross("refused", "native money is delivered", {
    outputToken: { chainId: 42161, address: `0x${"0".repeat(40)}`, decimals: 6, symbol: "USDC" },
  }),
  ofAcross("refused", "another chain's pool delivers", {
    destinationSpokePoolAddress: "0x5c7BCd6E7De5423a257D81B442095A1a6ced35C5",
  }),
  ofAcross("refused", "the token of another chain is delivered", {
    outputToken: {
      ...{ chainId: 10, address: "0xaf88d065e77c8cC2239327C5EDb3A432268e5831", decimals: 6, symbol: "USDC" },
    },
  }),
];

/**
 * Attacks by the form of a response: encodings that a decoder and a contract may read differently, numbers in other
 * notations, fields of another chain, sums that overflow. The amounts stay honest.
 */
export const fieldAttacks: readonly FieldAttack[] = [
  ...exchangeFieldAttacks,
  ...lifiAttacks,
  ...acrossAttacks,
];
