import { encodeFunctionData, type Hex, hexToBigInt, numberToHex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { contractsOf, send } from "../../../scripts/stack/chains/scratch-chain.ts";
import type { ChainClient } from "../../../src/chains/chain-client.ts";
import { RpcError } from "../../../src/chains/json-rpc.ts";
import type { Context } from "../../../src/context.ts";
import { proveVault } from "../../../src/registry/proofs/prove-registry-vault.ts";
import { type ProofStage, startProofStage } from "../../support/registry/proof-stage.ts";

const traps = contractsOf("test/support/solidity/CrowdTraps.sol");
let stage: ProofStage;

beforeAll(async () => {
  stage = await startProofStage();
});
afterAll(() => stage?.close());

const Call = z.looseObject({ status: z.string(), gasUsed: z.custom<Hex>(), returnData: z.string() });
const Blocks = z.array(z.looseObject({ calls: z.array(Call) }));

/** Gas that geth's default allows all blocks of one simulation together. */
const NODE_GAS = 50_000_000n;

/**
 * Ends each call that exceeds the limit of its block as a node does: without data, and with no gas left. Throws if the
 * calls of all blocks take more than the node allows, as geth does before a call.
 */
function endWithin(limit: bigint, answer: unknown): unknown {
  let all = NODE_GAS;
  return Blocks.parse(answer).map((block) => {
    let left = limit;
    const calls = block.calls.map((call) => {
      const used = hexToBigInt(call.gasUsed);
      const gas = used < left ? used : left;
      left -= gas;
      all -= gas;
      if (all < 0n) throw new RpcError("unsupported", "the simulation takes more gas than the node allows");
      return gas === used ? call : { ...call, status: "0x0", returnData: "0x", gasUsed: numberToHex(gas) };
    });
    return { ...block, calls };
  });
}

/** Returns a context whose nodes simulate blocks with a limit of gas, and the number of their simulations. */
function onNodes({ gas = 10n ** 9n }: { gas?: bigint } = {}): { ctx: Context; simulations(): number } {
  const ctx = stage.causeway.isolate().context();
  let count = 0;
  const client = (chainId: number): ChainClient | null => {
    const own = ctx.chains.client(chainId);
    if (own === null) return null;
    const ask: ChainClient["ask"] = (question) => {
      if (question.method !== "eth_simulateV1") return own.ask(question);
      count += 1;
      return own.ask({ ...question, read: (answer, seen) => question.read(endWithin(gas, answer), seen) });
    };
    return { ...own, ask };
  };
  return { ctx: { ...ctx, chains: { ...ctx.chains, client } }, simulations: () => count };
}

/** Deploys a vault with its trap set and returns what its proof finds, and with how many simulations. */
async function prove(name: string, of: { gas?: bigint } = {}) {
  const address = await stage.put(name, traps);
  const data = encodeFunctionData({ abi: traps("PaysFromBuffer").abi, functionName: "spring", args: [true] });
  await send(stage.chain, { to: address, data });
  const row = await stage.rowOf(await stage.addCandidate(address));
  const { ctx, simulations } = onNodes(of);
  const { finding } = await proveVault(ctx, row);
  const { reason } = finding.kind === "unread" ? finding : finding.proof;
  return { kind: finding.kind, reason, simulations: simulations() };
}

/** Gas that a block takes on a chain with small blocks, in which six redemptions of three million do not fit. */
const SMALL_BLOCK = 17_000_000n;

describe("a crowd that leaves", () => {
  test("does not refuse a vault whose liquidity is too little for all of it", async () => {
    expect(await prove("PaysFromBuffer")).toEqual({ kind: "passed", reason: "", simulations: 7 });
  });

  test("does not refuse a vault that redeems only all shares, and has too little for all accounts", async () => {
    expect(await prove("PaysAllFromBuffer")).toEqual({ kind: "passed", reason: "", simulations: 10 });
  });

  test("does not refuse a vault that leaves no less than a whole share", async () => {
    expect(await prove("KeepsWholeShares")).toEqual({ kind: "passed", reason: "", simulations: 6 });
  });

  test("does not refuse a vault that redeems once in each block", async () => {
    expect(await prove("RedeemsOncePerBlock")).toEqual({ kind: "passed", reason: "", simulations: 5 });
  });

  test("does not refuse a vault whose redemptions take more gas together than a block has", async () => {
    expect(await prove("TakesMuchGas", { gas: SMALL_BLOCK })).toEqual({
      kind: "passed",
      reason: "",
      simulations: 4,
    });
  });

  test("does not refuse a vault that takes one deposit an hour", async () => {
    expect(await prove("TakesOneAnHour")).toMatchObject({ kind: "passed", reason: "" });
  });

  test.each([
    [
      "pays every second depositor, and says that it lacks liquidity",
      "TrapsSecondsByLiquidity",
      {},
      ": insufficient liquidity",
    ],
    ["pays every second depositor, and takes much gas", "TrapsSecondsWithGas", { gas: SMALL_BLOCK }, ""],
    ["pays two accounts, and none after them", "LetsTwoLeave", {}, ""],
    ["pays every second depositor, and redeems only all shares", "TrapsSecondsWithAll", {}, ": not yet"],
    ["pays every second depositor, and hides the others' shares", "HidesTrappedShares", {}, ": hidden"],
    ["pays every second depositor, and takes one an hour", "TrapsSecondsOfOneAnHour", {}, ": not yet"],
    ["pays every second depositor, and takes few tokens", "TrapsSecondsOfFew", {}, ": not yet"],
    ["pays every second depositor, and redeems no small parts", "TrapsSecondsWithMost", {}, ": not yet"],
  ])("refuses a vault that %s", async (_what, name, of, text) => {
    const reason = `some accounts cannot redeem their shares${text}`;
    expect(await prove(name, of)).toMatchObject({ kind: "refused", reason });
  });

  test.each([
    ["redemptions take", "LetsTwoLeaveWithGas", "a redemption takes more than 5,000,000 gas"],
    ["later deposits take", "LetsTwoLeaveOfCostly", "some deposits take more than 3,000,000 gas"],
  ])("refuses a vault whose %s more gas than the crowd's part of a node's", async (_what, name, reason) => {
    expect(await prove(name)).toMatchObject({ kind: "refused", reason });
  });
});
