import { getAddress, type Hex } from "viem";
import {
  type AcrossDeposit,
  relayHash,
} from "../../../src/providers/across/tracking/across-deposit-tracking.ts";
import { FORGER, RELAYER, SPOKE_POOL, transfer, USDC } from "./contracts.ts";
import type { SimulatedChain } from "./simulated-chain.ts";

/**
 * Refunds overdue transfers of one depositor on their source chain with a single payment, as Across does with those of
 * one bundle. Returns its hash.
 */
export function refundTogether(chain: SimulatedChain, overdue: readonly AcrossDeposit[]): Hex {
  const pool = SPOKE_POOL[chain.chainId] ?? FORGER;
  const to = getAddress(`0x${overdue[0]?.depositor.slice(26)}`);
  const value = overdue.reduce((sum, { inputAmount }) => sum + inputAmount, 0n);
  const logs = [transfer(USDC[chain.chainId] ?? FORGER, { from: pool, to, value })];
  const run = () => ({ succeeded: true, logs });
  const hash = chain.send({ from: RELAYER, to: pool, input: "0x01", value: 0n, run });
  for (const deposit of overdue) chain.storage.set(`refund ${relayHash(deposit)}`, hash);
  return hash;
}
