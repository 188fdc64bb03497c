import { type Address, encodeFunctionData, numberToHex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contractsOf, send } from "../../../scripts/stack/chains/scratch-chain.ts";
import { RpcError } from "../../../src/chains/json-rpc.ts";
import { failure } from "../../../src/errors.ts";
import { proveVault } from "../../../src/registry/proofs/prove-registry-vault.ts";
import { failingNodes } from "../../support/registry/failing-nodes.ts";
import { type ProofStage, startProofStage } from "../../support/registry/proof-stage.ts";

const posing = contractsOf("test/support/solidity/PosingVaults.sol");
const doubtful = contractsOf("test/support/solidity/DoubtfulVaults.sol");
const traps = contractsOf("test/support/solidity/AgeTraps.sol");
let stage: ProofStage;

beforeAll(async () => {
  stage = await startProofStage();
});
afterAll(() => stage?.close());

type Fault = Parameters<typeof failingNodes>[1];
const unsupported = () => new RpcError("unsupported", "no such simulation");

/** Proves a vault as a new candidate, on nodes that fail as `fault` says, and returns what is found. */
async function prove(address: Address, fault: Fault = () => null) {
  const row = await stage.rowOf(await stage.addCandidate(address));
  const { finding } = await proveVault(failingNodes(stage.causeway.isolate().context(), fault), row);
  return [finding.kind, finding.kind === "unread" ? finding.reason : finding.proof.reason];
}

const holds = (params: readonly unknown[], part: string): boolean =>
  JSON.stringify(params).toLowerCase().includes(part.toLowerCase());

async function putSprung(name: string): Promise<Address> {
  const address = await stage.put(name, posing);
  const data = encodeFunctionData({
    abi: posing("PosesAsUpshift").abi,
    functionName: "spring",
    args: [true],
  });
  await send(stage.chain, { to: address, data });
  return address;
}

describe("a vault with a family's views whose shares cannot be redeemed in a small number", () => {
  test("passes if a deposit as large as it takes can be redeemed", async () => {
    expect(await prove(await putSprung("RedeemsALotInSecret"))).toEqual(["passed", ""]);
  });

  test("is refused if its contract reverts larger deposits, which proves nothing", async () => {
    const reason = "shares cannot be redeemed; a redemption reverts: no way out";
    expect(await prove(await putSprung("PosesWithSmallDeposits"))).toEqual(["refused", reason]);
  });

  test("passes if no node can simulate a larger deposit: nothing shows that nobody can leave", async () => {
    const large = numberToHex(1_000n * 10n ** 6n, { size: 32 }).slice(2);
    const address = await putSprung("PosesWithoutBalances");
    const found = await prove(address, ({ method, params }) =>
      method.startsWith("eth_") && params.length > 1 && holds(params, large) ? unsupported() : null,
    );
    expect(found).toEqual(["passed", ""]);
  });
});

test("a refused deposit stays refused if the nodes fail when the contract that takes the asset is sought", async () => {
  const address = await stage.put("TakesThroughPool", doubtful);
  const found = await prove(address, ({ params }) =>
    holds(params, "0x6323b872dd3d35") ? failure("upstream_timeout", "no answer in time") : null,
  );
  expect(found).toEqual(["refused", expect.stringMatching(/^a deposit reverts/)]);
});

describe("a full vault is full", () => {
  const full = ["closed", "the vault takes no deposits from new accounts now"];

  test("if nothing can pay its asset in a simulation", async () => {
    const asset = await stage.put("ComputedAsset", traps, []);
    const address = await stage.put("ProvenVault", undefined, [asset]);
    await stage.setVault(address, { cap: 0n });
    expect(await prove(address)).toEqual(full);
  });

  test("if no node can read how the asset keeps its balances", async () => {
    const asset = await stage.put("ProofAsset", undefined, []);
    const address = await stage.put("ProvenVault", undefined, [asset]);
    await stage.setVault(address, { cap: 0n });
    const found = await prove(address, ({ method, params }) =>
      method === "eth_call" && holds([params[2] ?? null], asset) ? failure("upstream_timeout", "late") : null,
    );
    expect(found).toEqual(full);
  });
});
