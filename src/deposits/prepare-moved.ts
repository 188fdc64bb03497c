import { isAddressEqual, zeroAddress } from "viem";
import type { Context } from "../context.ts";
import { type AppError, failure } from "../errors.ts";
import { withDeadline } from "../lib/deadline.ts";
import { describeError } from "../lib/log.ts";
import { askProviders, toFailure } from "../providers/ask-providers.ts";
import { isOfProvider, mostUseful, reasonsOf } from "../providers/failures.ts";
import type { MoveOption, Provider } from "../providers/provider.ts";
import { type Ranking, rankOptions } from "../providers/select.ts";
import type { Token } from "../vaults/vault.ts";
import { buildPlain } from "./build-plain.ts";
import { buildWithCall } from "./build-with-call.ts";
import { type Funds, readFunds } from "./funds.ts";
import { type BuiltTransfer, type MovedDeposit, toMoveRequest } from "./moved.ts";
import type { Order } from "./order.ts";
import { findTargets } from "./targets.ts";

/** By when what must have happened, milliseconds from the start: prices, the last transaction begun, everything. */
const PRICES_MS = 3_000;
const LAST_ATTEMPT_MS = 5_500;
const ALL_MS = 7_200;
/** What one transaction may take to be built, and how many are tried. */
const ATTEMPT_MS = 2_500;
const MAX_ATTEMPTS = 5;

/** What is known while ways are tried. */
interface Search {
  order: Order;
  providers: readonly Provider[];
  funds: Promise<Funds>;
  startedAt: number;
  attempts: number;
  failures: AppError[];
  /** Providers that do not answer now. */
  dead: Set<string>;
}

/**
 * Finds a way for money that the vault does not take as it is: asks every provider for prices, and builds by the
 * best of them; one that is refused gives way to the next, and one transaction to two.
 * Throws the most useful of the failures, `token_unsupported`, and `upstream_timeout` after seven seconds.
 */
export async function prepareMoved(ctx: Context, order: Order): Promise<MovedDeposit> {
  const late = () => failure("upstream_timeout", "the transfer could not be built in time");
  return withDeadline(search(ctx, order), { ms: ALL_MS, late });
}

async function search(ctx: Context, order: Order): Promise<MovedDeposit> {
  const startedAt = ctx.now();
  const request = toMoveRequest(order, order.vault.asset);
  const providers = await ctx.providers.all();
  const spenders = providers.flatMap((provider) => provider.spenders(request));
  const funds = readFunds(ctx, { order, spenders: [...new Set(spenders)] });
  funds.catch(() => undefined);
  const state: Search = { order, providers, funds, startedAt, attempts: 0, failures: [], dead: new Set() };
  for (const token of await findTargets(ctx, order)) {
    if (ctx.now() - startedAt > PRICES_MS && state.failures.length > 0) break;
    const found = await tryToken(ctx, { state, token });
    if (found !== null) return found;
  }
  await funds;
  throw mostUseful(state.failures);
}

/** Tries every way to arrive in one token; null when none works. */
async function tryToken(
  ctx: Context,
  { state, token }: { state: Search; token: Token },
): Promise<MovedDeposit | null> {
  const { order } = state;
  const scope = { ...ctx.providers.scope, deadline: Math.max(ctx.now() + 500, state.startedAt + PRICES_MS) };
  const living = state.providers.filter(({ name }) => !state.dead.has(name));
  const offers = await askProviders(living, { scope, request: toMoveRequest(order, token) });
  for (const [name, error] of offers.failures) note(state, { name, error });
  const call = order.entry.via === "router" && !isAddressEqual(token.address, zeroAddress);
  const ranking = rankOptions(offers.options, { bridge: order.preferredBridge, call });
  for (const { option, ends } of waysOf(ranking, { bridge: order.preferredBridge, call })) {
    const built = await tryWay(ctx, { state, token, option, ends });
    if (built === null) continue;
    ctx.log.info("route", {
      provider: built.move.provider,
      bridge: built.move.bridge,
      ends,
      rule: ranking.decidedBy?.name ?? null,
      offers: offers.options.length,
    });
    return { ...built, token, ranking, reasons: reasonsOf(state.failures) };
  }
  return null;
}

interface Way {
  option: MoveOption;
  ends: "call" | "plain";
}

/** The ways to try: what can call, and what the caller prefers; then what needs a second step. */
function waysOf(ranking: Ranking, preference: { bridge: string | null; call: boolean }): Way[] {
  const { options } = ranking;
  const preferred = options.filter(({ bridge }) => bridge !== null && bridge === preference.bridge);
  const calling = (list: readonly MoveOption[]): Way[] =>
    preference.call
      ? list.filter(({ callable }) => callable).map((option) => ({ option, ends: "call" }))
      : [];
  const plain = (list: readonly MoveOption[]): Way[] =>
    list.filter((option) => option.plain).map((option) => ({ option, ends: "plain" }));
  const others = options.filter((option) => !preferred.includes(option));
  return [...calling(preferred), ...plain(preferred), ...calling(others), ...plain(others)];
}

/** Builds by one way; null when it is refused, which is noted. Throws what the vault itself refuses. */
async function tryWay(
  ctx: Context,
  { state, token, option, ends }: Way & { state: Search; token: Token },
): Promise<BuiltTransfer | null> {
  const provider = state.providers.find(({ name }) => name === option.provider);
  const over = ctx.now() - state.startedAt > LAST_ATTEMPT_MS || state.attempts >= MAX_ATTEMPTS;
  if (provider === undefined || over || state.dead.has(provider.name)) return null;
  state.attempts += 1;
  const deadline = ctx.now() + ATTEMPT_MS;
  const attempt = { order: state.order, token, option, provider, deadline, funds: await state.funds };
  try {
    return await (ends === "call" ? buildWithCall : buildPlain)(ctx, attempt);
  } catch (error) {
    const failed = toFailure(error);
    if (!isOfProvider(failed)) throw failed;
    ctx.log.warn("route_refused", { provider: provider.name, ends, error: describeError(error) });
    note(state, { name: provider.name, error: failed });
    return null;
  }
}

/** Remembers why a provider did not do; one that cannot be reached is not asked again. */
function note(state: Search, failed: { name: string; error: AppError }): void {
  state.failures.push(failed.error);
  if (UNREACHABLE.has(failed.error.code)) state.dead.add(failed.name);
}

const UNREACHABLE: ReadonlySet<string> = new Set([
  "upstream_timeout",
  "upstream_unavailable",
  "rate_limited",
]);
