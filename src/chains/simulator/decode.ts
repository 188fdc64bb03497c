import { decodeFunctionResult, type Hex } from "viem";
import { MAX_UINT256 } from "../../lib/amount.ts";
import { callSimulatorAbi } from "./artifact.ts";
import { transactionGas } from "./gas.ts";
import type { Simulation, SimulationCall, SimulationRead } from "./types.ts";

/**
 * Reads what the simulator answered to `encodeSimulation` with the same calls and reads.
 * Gas is that of each call as a transaction of its own, without refunds; from the second call on it is too
 * low by what earlier calls left warm (EIP-2929), so take a gas limit from the eth_call whose first call it is.
 * Throws an Error when the answer does not fit the question.
 */
export function decodeSimulation(
  data: Hex,
  asked: { calls: readonly SimulationCall[]; reads: readonly SimulationRead[] },
): Simulation {
  const [results, before, after, head] = decodeFunctionResult({
    abi: callSimulatorAbi,
    functionName: "run",
    data,
  });
  const failedAt = results.findIndex(({ ok }) => !ok);
  const expected = failedAt === -1 ? asked.calls.length : failedAt + 1;
  if (results.length !== expected || results.length > asked.calls.length) {
    throw new Error(`simulation answered ${results.length} calls of ${asked.calls.length}`);
  }
  if (before.length !== asked.reads.length || after.length !== asked.reads.length) {
    throw new Error(
      `simulation answered ${before.length} and ${after.length} reads of ${asked.reads.length}`,
    );
  }
  return {
    chainId: Number(head.chainId),
    blockNumber: head.blockNumber === MAX_UINT256 ? null : head.blockNumber,
    blockTimestamp: head.timestamp,
    calls: results.map(({ ok, gasUsed, returnData }, index) => ({
      ok,
      gasUsed: transactionGas(asked.calls[index]?.data ?? "0x", gasUsed),
      returnData,
      logs: null,
    })),
    failedAt: failedAt === -1 ? null : failedAt,
    before: before.map(answered),
    after: after.map(answered),
  };
}

const answered = (data: Hex): Hex | null => (data === "0x" ? null : data);
