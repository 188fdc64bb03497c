import { concatHex, encodeAbiParameters, getAddress, type Hex, pad, parseAbiParameters, slice } from "viem";
import { execute, FORGER, HANDLER, OWN_VAULT, RELAYER, USDC } from "./contracts.ts";
import { type Outcome, perBlock, type SentTransaction, type SimulatedChain } from "./simulated-chain.ts";

/** Whether a transaction fails: always, never, or decided each time that a block includes it. */
export type FailureRule = boolean | (() => boolean);

/** Creates a transaction that makes a call. */
export function callOf(of: {
  from: Hex;
  to: Hex;
  data: Hex;
  fails?: FailureRule;
}): Omit<SentTransaction, "hash"> {
  const { from, to, data, fails = false } = of;
  const hasFailed = (): boolean => (typeof fails === "function" ? fails() : fails);
  const call = { from: getAddress(from), to: getAddress(to), data };
  return {
    ...{ from: call.from, to: call.to, input: data, value: 0n },
    run: (chain) => (hasFailed() ? { succeeded: false, logs: [] } : execute(chain, call)),
  };
}

/** Creates a bundler's transaction in which a smart account makes a call. */
export function batchOf(
  account: Hex,
  { call, to, data }: { call: Omit<SentTransaction, "hash">; to: Hex; data: Hex },
): Omit<SentTransaction, "hash"> {
  const types = parseAbiParameters("(address target, uint256 value, bytes data)[]");
  const calls = encodeAbiParameters(types, [[{ target: to, value: 0n, data }]]);
  return {
    ...{ from: BUNDLER, to: getAddress(account), value: 0n, run: call.run },
    input: concatHex([EXECUTE_BATCH, calls]),
  };
}

/** Selector of `executeBatch((address,uint256,bytes)[])`. */
const EXECUTE_BATCH: Hex = "0x34fcd5be";
const BUNDLER = getAddress(`0x${"b0".repeat(20)}`);

/** Creates the second step of a two-step deposit. It fails while the user does not hold the amount. */
export function secondStepOf(
  user: Hex,
  of: { to: Hex; data: Hex; fails: boolean },
): Omit<SentTransaction, "hash"> {
  const call = callOf({ from: user, ...of });
  const amount = BigInt(slice(of.data, 4, 36));
  return { ...call, run: (chain) => (holds(chain, { user, amount }) ? call.run(chain) : FAILED) };
}

const FAILED: Outcome = { succeeded: false, logs: [] };

/** Returns true if a user received an amount from bridges more often than the user deposited it. */
function holds(chain: SimulatedChain, { user: account, amount }: { user: Hex; amount: bigint }): boolean {
  const key = `${pad(account)} ${amount}`.toLowerCase();
  return balances(chain).reduce((held, changes) => held + (changes.get(key) ?? 0), 0) > 0;
}

/**
 * Returns for each block, by user and amount, how much more often bridges paid the amount to the user than the user
 * deposited it.
 */
const balances = perBlock(({ included }, { chainId }) => {
  const token = (USDC[chainId] ?? FORGER).toLowerCase();
  const [vault, relayer, handler] = [OWN_VAULT, RELAYER, HANDLER].map((one) => pad(one).toLowerCase());
  const changes = new Map<string, number>();
  const change = (key: string, by: number) => changes.set(key, (changes.get(key) ?? 0) + by);
  for (const log of included.flatMap(({ logs }) => logs)) {
    if (log.address !== token || log.data === "0x") continue;
    const [, from = "", to = ""] = log.topics;
    if (from === relayer || from === handler) change(`${to} ${BigInt(log.data)}`, 1);
    if (to === vault) change(`${from} ${BigInt(log.data)}`, -1);
  }
  return changes;
});
