import { concatHex, type Hex, numberToHex, pad, slice } from "viem";
import { decodeKyberSwap, encodeKyberSwap } from "../../../src/providers/kyber/kyber-calldata.ts";
import {
  type AugustusSwap,
  decodeAugustusSwap,
  encodeAugustusSwap,
} from "../../../src/providers/velora/velora-calldata.ts";
import type { Json } from "../lifi/captured.ts";
import { ATTACKER } from "../lifi/parts.ts";
import {
  type Change,
  copyWord,
  dirtied,
  edit,
  type FieldAttack,
  onBase,
  onGnosis,
  setWord,
  trailing,
  WRAPPED,
} from "./field-changes.ts";
import { honest } from "./lies.ts";
import type { TradeOptions } from "./world.ts";

const kyberData =
  (change: Change) =>
  (answer: Json, { pathname }: URL): Json =>
    pathname.endsWith("/build")
      ? edit(answer, ["data", "data"], change((answer["data"] as { data: Hex }).data))
      : answer;
const kyberFields = (change: (swap: NonNullable<ReturnType<typeof decodeKyberSwap>>) => object) =>
  kyberData((data) => {
    const swap = decodeKyberSwap(data);
    if (swap === null) throw new Error("an unreadable swap");
    return encodeKyberSwap({ ...swap, desc: { ...swap.desc, ...change(swap) } });
  });
const ofKyber = (
  must: FieldAttack["must"],
  name: string,
  retell: NonNullable<TradeOptions["retell"]>,
): FieldAttack => ({
  ...{ name: `${name}, KyberSwap`, trade: onBase, must, retell },
  providers: { lifi: null, across: null, kyber: honest },
});
const onKyber =
  (path: readonly string[], value: unknown, on = "/build") =>
  (answer: Json, { pathname }: URL): Json =>
    pathname.endsWith(on) ? edit(answer, path, value) : answer;
const HUGE = 2n ** 255n;

/** Words of `swap` after the selector: offset of the struct, then its five fields, then those of the description. */
const kyberAttacks: readonly FieldAttack[] = [
  ofKyber("harmless", "bytes after the arguments name the attacker", kyberData(trailing)),
  ofKyber("refused", "the executor's data overlap the description", kyberData(copyWord(4, 3))),
  ofKyber("harmless", "the text for statistics overlaps the executor's data", kyberData(copyWord(3, 5))),
  ofKyber("refused", "the description begins before the arguments", kyberData(setWord(4, WRAPPED))),
  ofKyber("refused", "the struct begins at the selector", kyberData(setWord(0, WRAPPED))),
  ofKyber("harmless", "the executor's address is dirty", kyberData(dirtied(1))),
  ofKyber(
    "refused",
    "an unknown flag is set",
    kyberFields(({ desc }) => ({ flags: desc.flags | HUGE })),
  ),
  ofKyber(
    "refused",
    "native money is needed besides",
    kyberFields(({ desc }) => ({ flags: desc.flags | 2n })),
  ),
  ofKyber(
    "refused",
    "tokens are burnt in place of paid",
    kyberFields(({ desc }) => ({ flags: desc.flags | 8n })),
  ),
  ofKyber(
    "refused",
    "a fee without an amount",
    kyberFields(() => ({ feeReceivers: [ATTACKER] })),
  ),
  ofKyber(
    "refused",
    "two fees whose sum overflows to nothing",
    kyberFields(() => ({ feeReceivers: [ATTACKER, ATTACKER], feeAmounts: [HUGE, HUGE] })),
  ),
  ofKyber(
    "refused",
    "two inputs whose sum overflows to nothing",
    kyberFields(() => ({ srcReceivers: [ATTACKER, ATTACKER], srcAmounts: [HUGE, HUGE] })),
  ),
  ofKyber(
    "refused",
    "twice as much is taken",
    kyberFields(({ desc }) => ({ amount: desc.amount * 2n })),
  ),
  ofKyber(
    "refused",
    "the minimum is zero",
    kyberFields(() => ({ minReturnAmount: 0n })),
  ),
  ofKyber(
    "refused",
    "the minimum is more than is expected",
    kyberFields(({ desc }) => ({ minReturnAmount: desc.minReturnAmount * 2n })),
  ),
  ofKyber(
    "refused",
    "nobody receives",
    kyberFields(() => ({ dstReceiver: `0x${"0".repeat(40)}` })),
  ),
  ofKyber(
    "harmless",
    "the attacker is given the payment, and the minimum holds",
    kyberFields(({ desc }) => ({ srcReceivers: [ATTACKER], srcAmounts: [desc.amount] })),
  ),
  ofKyber(
    "refused",
    "the function that calls anything",
    kyberData((data) => concatHex(["0x59e50fed", slice(data, 4)])),
  ),
  ofKyber(
    "refused",
    "the calldata is cut in the middle of the minimum",
    kyberData((data) => slice(data, 0, 4 + 15 * 32)),
  ),
  ofKyber(
    "refused",
    "the calldata is a transfer of the token",
    kyberData(() => concatHex(["0xa9059cbb", pad(ATTACKER), numberToHex(10n ** 18n, { size: 32 })])),
  ),
  ...["1e10", "0x1234", "+5000", " 5000", "05000", "5000.0", "５０００", "-1", ""].map((text) =>
    ofKyber("refused", `an output of ${JSON.stringify(text)}`, onKyber(["data", "amountOut"], text)),
  ),
  ofKyber("refused", "native money is asked for besides", onKyber(["data", "transactionValue"], "1")),
  ofKyber("refused", "another router", onKyber(["data", "routerAddress"], ATTACKER)),
  ofKyber(
    "refused",
    "a route for half of the payment",
    onKyber(["data", "routeSummary", "amountIn"], "1000000000000000000", "/routes"),
  ),
  ofKyber(
    "refused",
    "a route into the bridged dollar",
    onKyber(["data", "routeSummary", "tokenOut"], "0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA", "/routes"),
  ),
  ofKyber("refused", "success is a refusal", onKyber(["code"], 4_008)),
];

const veloraData =
  (change: Change) =>
  (answer: Json, { pathname }: URL): Json =>
    pathname.endsWith("/swap")
      ? edit(answer, ["txParams", "data"], change((answer["txParams"] as { data: Hex }).data))
      : answer;
const veloraFields = (change: (swap: AugustusSwap) => Partial<AugustusSwap>) =>
  veloraData((data) => {
    const swap = decodeAugustusSwap(data);
    if (swap === null) throw new Error("an unreadable swap");
    return encodeAugustusSwap({ ...swap, ...change(swap) });
  });
const ofVelora = (
  must: FieldAttack["must"],
  name: string,
  retell: NonNullable<TradeOptions["retell"]>,
): FieldAttack => ({
  ...{ name: `${name}, Velora`, trade: onGnosis, must, retell },
  providers: { lifi: null, across: null, velora: honest },
});
const onVelora = (path: readonly string[], value: unknown) => onKyber(path, value, "/swap");

/** Words of `swapExactAmountIn` after the selector: executor, seven of the swap, partner and fee, two offsets. */
const veloraAttacks: readonly FieldAttack[] = [
  ofVelora("harmless", "bytes after the arguments name the attacker", veloraData(trailing)),
  ofVelora("refused", "the permit overlaps the executor's data", veloraData(copyWord(10, 9))),
  ofVelora("refused", "the executor's data are the permit", veloraData(copyWord(9, 10))),
  ofVelora("refused", "the permit begins before the arguments", veloraData(setWord(9, WRAPPED))),
  ofVelora("harmless", "the beneficiary's address is dirty", veloraData(dirtied(7))),
  ofVelora(
    "refused",
    "nobody receives",
    veloraFields(() => ({ beneficiary: `0x${"0".repeat(40)}` })),
  ),
  ofVelora(
    "refused",
    "the surplus begins at one unit",
    veloraFields(() => ({ quotedAmount: 1n })),
  ),
  ofVelora(
    "harmless",
    "the surplus never begins",
    veloraFields(() => ({ quotedAmount: 2n * HUGE - 1n })),
  ),
  ofVelora(
    "refused",
    "the minimum is the kept unit",
    veloraFields(() => ({ toAmount: 1n })),
  ),
  ofVelora(
    "refused",
    "the minimum is zero",
    veloraFields(() => ({ toAmount: 0n })),
  ),
  ofVelora(
    "refused",
    "the fee is all that its bits can say",
    veloraFields(() => ({ feeData: 0x3fffn })),
  ),
  ofVelora(
    "refused",
    "half of the payment is swapped",
    veloraFields(({ fromAmount }) => ({ fromAmount: fromAmount / 2n })),
  ),
  ofVelora("refused", "another chain's transaction", onVelora(["txParams", "chainId"], 1)),
  ofVelora("refused", "another chain's price", onVelora(["priceRoute", "network"], 1)),
  ofVelora(
    "refused",
    "the price of another function",
    onVelora(["priceRoute", "contractMethod"], "multiSwap"),
  ),
  ofVelora("refused", "native money is taken besides", onVelora(["txParams", "value"], "1")),
  ofVelora("refused", "the transaction pays the attacker", onVelora(["txParams", "to"], ATTACKER)),
];

/** Attacks by the form of KyberSwap's and Velora's responses. */
export const exchangeFieldAttacks: readonly FieldAttack[] = [...kyberAttacks, ...veloraAttacks];
