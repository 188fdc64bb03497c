import type { Context } from "../context.ts";
import { toRouterCall } from "../deposits/deposit-calldata.ts";
import { type DepositIntent, type DepositOrder, resolveOrder } from "../deposits/deposit-intent.ts";
import {
  explainDepositRevert,
  type Preflight,
  preflightDeposit,
  type RevertedDeposit,
} from "../deposits/deposit-preflight.ts";
import type { PreparedDeposit } from "../deposits/prepared-deposit.ts";
import { prepareSecondStep } from "../deposits/two-step-deposit.ts";
import { type AppError, failure } from "../errors.ts";
import { isNative, sameAddress } from "../lib/address.ts";
import { fractionToParts, mulDivDown } from "../lib/amount.ts";
import { exactFloor, orderDeadline } from "../orders/order-floors.ts";
import { providerStep } from "../orders/order-provider-step.ts";
import type { RouteAttempt } from "../orders/order-route-attempts.ts";
import { assertFair, type OfferOutcome, type RouteOrder } from "../orders/order-route-fairness.ts";
import { allowedLoss, minimumShares } from "../orders/order-slippage.ts";
import {
  balanceOfRead,
  increaseOf,
  simulatedHead,
  simulatePayment,
} from "../orders/simulate-order-payment.ts";
import type { VerifiedTransfer } from "../providers/provider.ts";
import { depositRouterAddress } from "../router/router-address.ts";
import {
  decodeRouterError,
  encodeRouterCall,
  failedTokenOf,
  foreignReason,
  type RouterCall,
  type RouterStep,
} from "../router/router-codec.ts";
import type { AuthorizationKind } from "../router/router-signature-messages.ts";
import type { BuildInput } from "../schemas/build-input-schema.ts";
import type { WithdrawInput } from "../schemas/withdraw-build-schema.ts";
import { withStoredVault } from "../vaults/find-vault.ts";
import type { Token, Vault } from "../vaults/vault.ts";
import { acceptedTokens } from "../vaults/vault-deposit-entry.ts";
import { explainCommonRevert } from "../vaults/vault-reverts.ts";
import { prepareMode } from "../withdrawals/choose-exit.ts";
import { withdrawalWarnings } from "../withdrawals/describe-built-withdrawal.ts";
import { type Exit, redeemStep } from "../withdrawals/exit-calldata.ts";
import { type ExitFacts, readExitFacts } from "../withdrawals/exit-preflight.ts";
import { buildOffer, findTransfer, onwardAmount } from "../withdrawals/find-exit-transfer-route.ts";
import { type PreparedExit, sharePayment, toExpectedWithdrawal } from "../withdrawals/prepare-exit.ts";
import { prepareInOneTransaction } from "../withdrawals/prepare-withdrawal.ts";
import { verifyApprovals } from "../withdrawals/verify-withdrawal-approvals.ts";
import { chooseExitSignature, planExitSignature } from "../withdrawals/withdrawal-authorization.ts";
import { resolveWithdrawal, type WithdrawalOrder } from "../withdrawals/withdrawal-order.ts";
import { explainFailedExit } from "../withdrawals/withdrawal-refusals.ts";
import { type ExpectedMove, verifyMove } from "./verify-move.ts";

/** A deposit that is paid with the shares of another vault. */
interface Move {
  /** The deposit into the new vault. `from.amount` is in the share token's smallest unit. */
  order: DepositOrder;
  /** The withdrawal from the old vault. It has the tracking id and order reference of the deposit. */
  withdrawal: WithdrawalOrder;
  /** Token that is deposited into the new vault. */
  target: Token;
}

/**
 * Prepares a move of `input.from_amount` shares of the vault `from` (as stored in Postgres) into `input.vault_id`,
 * without recording it: in one transaction on one chain (`direct`), in two steps across chains (`routed`). Throws
 * `mode_unsupported` if the vaults do not allow that; errors of preparing the withdrawal and the deposit propagate.
 */
export async function prepareMove(
  ctx: Context,
  { input, from }: { input: BuildInput; from: Vault },
): Promise<PreparedDeposit> {
  const work = async (vault: Vault): Promise<PreparedDeposit> => {
    const order = await resolveOrder(ctx, { input, vault });
    const move = await resolveMove(ctx, { order, input, from });
    return order.from.chainId === vault.chainId ? onOneChain(ctx, move) : acrossChains(ctx, move);
  };
  return withStoredVault(ctx, { key: input.vault_id, work });
}

async function resolveMove(
  ctx: Context,
  { order, input, from }: { order: DepositOrder; input: BuildInput; from: Vault },
): Promise<Move> {
  const target = targetToken({ order, from });
  const asked: WithdrawInput = {
    vault_id: { chainId: from.chainId, address: from.address },
    ...{ user_address: input.user_address, shares: input.from_amount },
    ...{ to_chain_id: order.vault.chainId, to_token: target.address },
    ...{ slippage: input.slippage, mode: "instant", preferred_bridge: input.preferred_bridge },
    ...{ partner_id: input.partner_id, partner_type: input.partner_type },
    ...{ authorize: input.authorize, submitter: input.submitter },
  };
  const own = await resolveWithdrawal(ctx, { input: asked, vault: from });
  return { order, target, withdrawal: { ...own, trackingId: order.trackingId, ref: order.ref } };
}

/**
 * Returns the token that is deposited into the new vault: the old vault's asset if the new vault accepts it on the same
 * chain, otherwise the new vault's asset.
 */
function targetToken({ order, from }: { order: DepositOrder; from: Vault }): Token {
  const accepted = acceptedTokens(order.vault, { chain: order.client.definition, entry: order.entry });
  const here = order.vault.chainId === from.chainId;
  const same = accepted.find(({ address }) => here && sameAddress(address, from.asset.address));
  return same ?? order.vault.asset;
}

async function onOneChain(ctx: Context, move: Move): Promise<PreparedDeposit> {
  const { order, withdrawal, target } = move;
  if (order.entry.via !== "router" || isNative(target.address)) throw notInOne("into", order.vault);
  const facts = await readExitFacts(ctx, withdrawal);
  const kind = chooseExitSignature({ order: withdrawal, facts, mode: "instant" });
  const exit = await prepareMode(ctx, { order: withdrawal, facts, mode: "instant" });
  if (exit.exit.way.via !== "router" || exit.assets === null) throw notInOne("out of", withdrawal.vault);
  const paid = { exit, amount: exit.assets, kind };
  if (sameAddress(exit.exit.way.token.address, target.address))
    return moveInOne(ctx, {
      ...{ move, facts, ...paid, paid: exit.assets, between: [], quote: null },
      loss: allowedLoss(order.slippage, false),
    });
  return moveWithSwap(ctx, { move, facts, ...paid });
}

const notInOne = (way: "into" | "out of", { name }: Vault): AppError =>
  failure(
    "mode_unsupported",
    `no shares can be moved ${way} ${name} in one transaction: withdraw first, then deposit`,
  );

/**
 * A move with the prepared redemption of the old vault's shares. `amount` is the expected payment of the old vault.
 * `kind` is the kind of signature by which the Router takes the shares, or null for an approval.
 */
type Paid = {
  move: Move;
  facts: ExitFacts;
  exit: PreparedExit;
  amount: bigint;
  kind: AuthorizationKind | null;
};

async function moveWithSwap(ctx: Context, of: Paid): Promise<PreparedDeposit> {
  const { order, withdrawal, target } = of.move;
  const amount = onwardAmount(of.amount);
  const { client, user, slippage, preferredBridge } = order;
  const paidIn = of.exit.exit.way.token.address;
  const routing: RouteOrder = {
    from: { client: withdrawal.client, chainId: withdrawal.vault.chainId, token: paidIn, amount },
    ...{ client, user, slippage, preferredBridge },
  };
  const build = async (scope: Context, attempt: RouteAttempt) => {
    const route = await buildOffer(scope, { order: routing, attempt });
    const { asStep } = route;
    if (asStep === undefined || asStep.receiverOffset === null) throw notInOne("into", order.vault);
    const step = providerStep(paidIn, { route, asStep, amount });
    const exit = { ...of.exit, exit: { ...of.exit.exit, minAssets: amount } };
    const loss = fractionToParts(slippage);
    const swap = { between: [step], quote: route, paid: of.amount };
    const made = await moveInOne(scope, { ...of, ...swap, exit, amount: route.toAmount, loss });
    assertFair(await attempt.offer(route.nativeFee), {
      built: route,
      ...simulatedMove(route, made),
      minIn: null,
    });
    return { ...made, validSeconds: route.validSeconds };
  };
  const { built, warnings } = await findTransfer(ctx, { order: routing, token: target, build });
  return { ...built, warnings: [...(built.warnings ?? []), ...warnings] };
}

/** A prepared move in one transaction. */
type MovedInOne = Extract<PreparedDeposit, { kind: "direct" }>;

/** Returns what a move's swap delivered in the simulation, and the new shares with their minimum, for `assertFair`. */
function simulatedMove(route: VerifiedTransfer, { direct }: MovedInOne): Pick<OfferOutcome, "simulated"> {
  const { expectedShares: seen, checked, floors } = direct;
  // What the swap delivered, by the shares that the vault promises for the expected amount.
  const delivered = mulDivDown(route.toAmount, seen, checked.previewShares);
  return { simulated: { delivered, output: { seen, floor: floors.minShares ?? 0n } } };
}

/**
 * A move in one transaction. `amount` is expected to reach the new vault, in the deposited token's smallest unit;
 * `between` are the steps between redemption and deposit; `loss` is the maximum loss in parts per billion.
 */
type InOne = Paid & {
  between: readonly RouterStep[];
  loss: bigint;
  /**
   * The provider's quote for the swap, or null if there is no swap. `paid` is the expected payment of the old vault.
   */
  quote: ExpectedMove["quote"];
  paid: bigint;
};

async function moveInOne(ctx: Context, of: InOne): Promise<MovedInOne> {
  const { move, facts, exit, amount, loss, kind } = of;
  const { order, withdrawal, target } = move;
  const intent: DepositIntent = { ...order, token: target, amount };
  const checked = await preflightDeposit(ctx, { intent, amount });
  if (checked.terms.async === true) throw notInOne("into", order.vault);
  const first = encodeMove(of, { intent, minShares: minimumShares(checked.previewShares, loss), facts });
  const payment = sharePayment({ order: withdrawal, facts, way: exit.exit.way });
  const made = await simulatePayment(ctx, {
    ...{ payment, call: first.call },
    reads: [balanceOfRead(order.vault.shareToken, order.user)],
  });
  if (!made.ok) throw explainMove({ ...of, intent, checked }, made);
  const { spender, token: paidWith } = payment;
  verifyApprovals(made.calls, { token: paidWith, spender, amount: facts.shares });
  const seen = increaseOf(made.simulation, 0);
  if (seen === null) throw failure("simulation_unavailable", "the share balance could not be read");
  const least = exactFloor(seen, loss).minOut;
  const { call, floors } =
    least > first.floors.minShares ? encodeMove(of, { intent, minShares: least, facts }) : first;
  const share = {
    address: withdrawal.vault.shareToken,
    symbol: "",
    decimals: withdrawal.vault.shareDecimals,
  };
  const { balance, nativeBalance, allowance = null } = payment;
  const at = { gasUsed: made.gasUsed, blockNumber: BigInt(simulatedHead(made.simulation, facts.block)) };
  const simulated = { ok: true as const, shares: seen, ...at, calls: [...made.calls.slice(0, -1), call] };
  return {
    kind: "direct",
    quoteType: "move",
    ...{ sharesOf: withdrawal.vault.name, swaps: of.quote !== null },
    warnings: withdrawalWarnings({ kind: "direct", order: withdrawal, exit }),
    order,
    authorization:
      kind === null ? null : planExitSignature(kind, { order: withdrawal, facts, data: call.data }),
    direct: {
      // The user pays with the shares of the vault that is left.
      intent: { ...intent, token: share, amount: facts.shares },
      checked: { ...checked, balance, allowance, nativeBalance: nativeBalance ?? null },
      deposit: call,
      depositAmount: amount,
      ...{ floors, expectedShares: seen, simulated },
    },
  };
}

type MoveFloors = { minIn: bigint; minShares: bigint; deadline: bigint };

/** Encodes a move and verifies it against the request. Errors of `verifyMove` propagate. */
function encodeMove(of: InOne, to: { intent: DepositIntent; minShares: bigint; facts: ExitFacts }) {
  const { exit, between, move, quote, paid } = of;
  const { order, withdrawal, target } = move;
  const { intent, minShares, facts } = to;
  const deadline = orderDeadline(facts.block.timestamp);
  // What reaches the new vault: the swap's minimum, or without a swap the old vault's.
  const floors: MoveFloors = { minIn: quote?.toAmountMin ?? exit.exit.minAssets, minShares, deadline };
  const deposit = withLeast(toRouterCall(intent, floors), { move, quote, least: floors.minIn });
  const built = toMoveOrder(exit.exit, { deposit, between, quote });
  const call = { target: depositRouterAddress, value: 0n, data: encodeRouterCall(built) };
  const asked = toExpectedWithdrawal({ order: withdrawal, facts, way: exit.exit.way }, minShares);
  const into = { into: order.vault, deposited: target.address, leastIn: floors.minIn };
  verifyMove({ ...asked, ...into, quote, paid }, call);
  return { call, floors };
}

/**
 * Returns the deposit with a step that requires the executor to hold at least `least`; unchanged after a swap, whose
 * contract enforces that minimum. The minimum of new shares does not imply it, if both vaults lose value.
 */
function withLeast(
  deposit: RouterCall,
  { move, quote, least }: Pick<InOne, "move" | "quote"> & { least: bigint },
): RouterCall {
  const [first, ...others] = deposit.steps;
  if (quote !== null || first === undefined) return deposit;
  return { ...deposit, steps: [{ ...first, needToken: move.target.address, needAmount: least }, ...others] };
}

/**
 * Returns the Router order of a move: the order of the deposit, paid with the old vault's shares, with their redemption
 * as its first step.
 */
function toMoveOrder(
  exit: Exit,
  { deposit, between, quote }: Pick<InOne, "between" | "quote"> & { deposit: RouterCall },
): RouterCall {
  const { vault } = exit.order;
  const paid = { tokenIn: vault.shareToken, amountIn: exit.shares, minIn: exit.shares };
  return {
    order: { ...deposit.order, ...paid },
    steps: [redeemStep(exit), ...between, ...deposit.steps],
    sweep: [exit.way.token.address, ...(quote?.asStep?.leftovers ?? [])],
  };
}

/** Returns the error for a move whose simulation reverted, from the vault or swap that failed. */
function explainMove(
  of: InOne & { intent: DepositIntent; checked: Preflight },
  failed: RevertedDeposit,
): AppError {
  const { revert, failedCall } = failed;
  const error = decodeRouterError(revert);
  const index = error?.name === "StepFailed" ? error.args[0] : null;
  const { way, shares } = of.exit.exit;
  const token = failedTokenOf(revert);
  // The user pays with shares of the old vault, so a failed approval or transfer of them is that vault's.
  const left =
    failedCall === "approval" || (token !== null && sameAddress(token, of.move.withdrawal.vault.shareToken));
  if (left || index === 0n || error?.name === "StepUnderfunded")
    return explainFailedExit({ order: of.move.withdrawal, way, shares }, revert);
  if (index === 1n && of.between.length > 0) {
    const { text } = explainCommonRevert(foreignReason(revert) ?? "0x");
    return failure("would_revert", "the swap would revert", { revert: text });
  }
  return explainDepositRevert({ intent: of.intent, amount: of.amount, terms: of.checked.terms }, failed);
}

async function acrossChains(ctx: Context, { order, withdrawal, target }: Move): Promise<PreparedDeposit> {
  const facts = await readExitFacts(ctx, withdrawal);
  const { kind, prepared } = await prepareInOneTransaction(ctx, { order: withdrawal, facts });
  if (prepared.kind !== "routed") throw notInOne("out of", withdrawal.vault);
  const { exit, call, route, reasons, source } = prepared.exit;
  const second = { ...order, token: target.address, amount: route.toAmountMin };
  const deposit = await prepareSecondStep(ctx, second);
  const sent = { ...route, transaction: { to: call.target, data: call.data, value: call.value } };
  const routed = {
    route: { ...sent, spender: depositRouterAddress },
    payment: sharePayment({ order: withdrawal, facts, way: exit.way }),
    source: { ...source, calls: prepared.exit.simulated.calls },
    ...{ end: { kind: "two_step" as const, deposit }, token: target },
    fromDecimals: withdrawal.vault.shareDecimals,
    authorization:
      kind === null ? null : planExitSignature(kind, { order: withdrawal, facts, data: call.data }),
    ranking: { quotes: [sent], decidedBy: null },
    ...{ reasons: [...reasons], warnings: withdrawalWarnings(prepared) },
  };
  return { kind: "routed", quoteType: "move", sharesOf: withdrawal.vault.name, order, routed };
}
