import { type Address, getAddress, type Hex, zeroHash } from "viem";
import { relayHash } from "../../../src/providers/across/tracking/across-deposit-tracking.ts";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import type { Random } from "../flows/random.ts";
import {
  AWAY,
  acrossDeposits,
  execute,
  FORGER,
  fill,
  HOME,
  minted,
  OWN_VAULT,
  ROUTED_VAULT,
  SPOKE_POOL,
  transfer,
  USDC,
} from "./contracts.ts";
import type { BuiltDeposit } from "./recount.ts";
import { copyWithReference, routerEvent } from "./router.ts";
import type { Outcome, SentTransaction, SimulatedChain } from "./simulated-chain.ts";

/** A stranger's transaction that imitates a deposit. */
export interface Forgery {
  name: string;
  chainId: number;
  transaction: Omit<SentTransaction, "hash">;
}

interface Victim {
  order: BuiltDeposit;
  stranger: Hex;
  chains: Readonly<Record<number, SimulatedChain>>;
}

/** Draws a forgery of a deposit. Null if none applies to the deposit's kind. */
export function forgeries(random: Random, victim: Victim): Forgery | null {
  return random.pick([repeatedCalldata, ...Object.values(forgeriesWithoutDeposit)])(victim);
}

const from = (stranger: Hex) => getAddress(stranger);

/** The deposit's calldata, sent and paid for by a stranger. */
function repeatedCalldata({ order, stranger }: Victim): Forgery {
  const { chainId, to, data } = order.source;
  const call = { from: from(stranger), to: getAddress(to), data };
  return {
    ...{ name: "repeated calldata", chainId },
    transaction: {
      from: call.from,
      to: call.to,
      input: data,
      value: 0n,
      run: (chain) => execute(chain, call),
    },
  };
}

/** A stranger's deposit through the Router with the user's order reference. */
const copiedReference = (victim: Victim): Forgery =>
  copyOf(victim, { shareToken: ROUTED_VAULT, receiver: victim.stranger });

/** A deposit for the user with the user's order reference, but into another vault. */
const otherVault = (victim: Victim): Forgery =>
  copyOf(victim, { shareToken: OWN_VAULT, receiver: victim.order.user });

function copyOf(
  { order, stranger }: Victim,
  { shareToken, receiver }: { shareToken: Address; receiver: Hex },
): Forgery {
  const asset = USDC[HOME] ?? FORGER;
  const data = copyWithReference(order.ref, { receiver: getAddress(receiver), asset, shareToken });
  const call = { from: from(stranger), to: depositRouterAddress, data };
  return {
    ...{ name: `copied reference for ${receiver}`, chainId: HOME },
    transaction: {
      from: call.from,
      to: call.to,
      input: data,
      value: 0n,
      run: (chain) => execute(chain, call),
    },
  };
}

const emits = (stranger: Hex, logs: Outcome["logs"]): Forgery["transaction"] => ({
  ...{ from: from(stranger), to: FORGER, input: "0xf0" as Hex, value: 0n },
  run: () => ({ succeeded: true, logs }),
});

/** The Router's event, emitted by another contract. */
function forgedEvent({ order, stranger }: Victim): Forgery {
  const receiver = getAddress(order.user);
  const event = routerEvent(FORGER, {
    ...{ ref: order.ref, partnerId: zeroHash, receiver, tokenOut: ROUTED_VAULT, sender: receiver },
    ...{ tokenIn: USDC[HOME] ?? FORGER, amount: 10n ** 9n, shares: 10n ** 9n, partnerType: 0 },
  });
  return { name: "forged Router event", chainId: HOME, transaction: emits(stranger, [event]) };
}

/** Shares that a stranger sends to the user, and a mint of another token to the user. */
function forgedShares({ order, stranger }: Victim): Forgery {
  const user = getAddress(order.user);
  const logs = [
    transfer(ROUTED_VAULT, { from: from(stranger), to: user, value: 77n }),
    ...minted(FORGER, { caller: user, receiver: user, assets: 10n ** 8n, shares: 10n ** 8n }).slice(1),
  ];
  return { name: "shares as a gift", chainId: HOME, transaction: emits(stranger, logs) };
}

/** A payout with the id of the user's transfer but other contents. */
function forgedFill({ order, stranger, chains }: Victim): Forgery | null {
  const away = chains[AWAY];
  const [genuine] =
    away === undefined ? [] : [...away.events()].flatMap(({ log }) => acrossDeposits(AWAY, [log]));
  if (genuine === undefined || order.source.chainId !== AWAY) return null;
  const invented = { ...genuine, outputAmount: 1n, message: "0x" as Hex };
  return {
    ...{ name: `payout of an invented transfer ${relayHash(invented).slice(0, 10)}`, chainId: HOME },
    transaction: {
      ...{ from: from(stranger), to: SPOKE_POOL[HOME] ?? FORGER, input: "0xf1" as Hex, value: 0n },
      run: (chain) => fill(chain, invented),
    },
  };
}

/** A payment of the same amount by the user to an unrelated account. */
function payment({ order, stranger }: Victim): Forgery {
  const logs = [
    transfer(USDC[HOME] ?? FORGER, { from: getAddress(order.user), to: FORGER, value: 100_000_000n }),
  ];
  return { name: "payment elsewhere", chainId: HOME, transaction: emits(stranger, logs) };
}

/** Forgeries that give the user no deposit and must not count, even if they are reported. */
export const forgeriesWithoutDeposit = {
  copiedReference,
  otherVault,
  forgedEvent,
  forgedShares,
  forgedFill,
  payment,
} as const;
