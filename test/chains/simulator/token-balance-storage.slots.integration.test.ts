import { type Address, encodeFunctionData, numberToHex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  contractsOf,
  deploy,
  type ScratchChain,
  send,
  startScratchChain,
} from "../../../scripts/stack/chains/scratch-chain.ts";
import {
  allowanceCandidates,
  balanceCandidates,
  matchSlot,
  probeState,
  slotOf,
} from "../../../src/chains/simulator/token-balance-storage.ts";
import { balanceOf, callOf, numberOf, simulate, tokenAbi } from "../../support/chains/simulate.ts";

const OWNER: Address = "0x1111111111111111111111111111111111111111";
const OTHER: Address = "0x2222222222222222222222222222222222222222";
const SPENDER: Address = "0x3333333333333333333333333333333333333333";

const contracts = contractsOf("test/support/solidity/TokenLayouts.sol");
let chain: ScratchChain;
beforeAll(async () => {
  chain = await startScratchChain();
});
afterAll(() => chain.stop());

const allowanceOf = (token: Address, owner: Address) => ({
  target: token,
  data: encodeFunctionData({ abi: tokenAbi, functionName: "allowance", args: [owner, SPENDER] }),
});

/** Finds both layouts of a token with one eth_call. */
async function find(token: Address) {
  const balances = balanceCandidates(OWNER);
  const allowances = allowanceCandidates(OWNER, SPENDER);
  const { before } = await simulate(chain, {
    user: OWNER,
    calls: [],
    reads: [balanceOf(token, OWNER), allowanceOf(token, OWNER)],
    overrides: [{ address: token, stateDiff: probeState([...balances, ...allowances]) }],
  });
  return {
    balance: matchSlot(balances, numberOf(before[0]) ?? 0n)?.layout ?? null,
    allowance: matchSlot(allowances, numberOf(before[1]) ?? 0n)?.layout ?? null,
  };
}

const OPENZEPPELIN = 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00n;
const solidity = (base: bigint) => ({ order: "solidity", base });

describe.each([
  ["OpenZeppelinToken", solidity(0n), solidity(1n)],
  ["SolmateToken", solidity(3n), solidity(4n)],
  ["WrappedToken", solidity(3n), solidity(4n)],
  ["GappedToken", solidity(201n), solidity(202n)],
  ["NamespacedToken", solidity(OPENZEPPELIN), solidity(OPENZEPPELIN + 1n)],
  ["VyperToken", { order: "vyper", base: 5n }, { order: "vyper", base: 6n }],
  ["SeededToken", { order: "solady" }, { order: "solady" }],
  ["FlaggedToken", solidity(9n), solidity(10n)],
  ["SmallToken", solidity(1n), solidity(0n)],
])("%s", (name, balance, allowance) => {
  test("finds both layouts with one call, and sets any account's amounts", async () => {
    const token = await deploy(chain, contracts(name).creationCode);
    const found = await find(token);
    expect(found).toEqual({ balance, allowance });
    if (found.balance === null || found.allowance === null) return;
    const stateDiff = [
      { slot: slotOf(found.balance, [OTHER]), value: numberToHex(123n, { size: 32 }) },
      { slot: slotOf(found.allowance, [OTHER, SPENDER]), value: numberToHex(77n, { size: 32 }) },
    ];
    const { before } = await simulate(chain, {
      user: OTHER,
      calls: [],
      reads: [balanceOf(token, OTHER), allowanceOf(token, OTHER), balanceOf(token, OWNER)],
      overrides: [{ address: token, stateDiff }],
    });
    expect(before.map(numberOf)).toEqual([123n, 77n, 0n]);
  });
});

test("matchSlot() does not match a real balance", async () => {
  const token = await deploy(chain, contracts("SolmateToken").creationCode);
  const mint = { target: token, name: "mint", args: [OWNER, 10n ** 27n] };
  await send(chain, { to: token, data: callOf(contracts("SolmateToken").abi, mint).data });
  expect(await find(token)).toEqual({ balance: solidity(3n), allowance: solidity(4n) });
  const { before } = await simulate(chain, { user: OWNER, calls: [], reads: [balanceOf(token, OWNER)] });
  expect(matchSlot(balanceCandidates(OWNER), numberOf(before[0]) ?? 0n)).toBe(null);
});

test("matchSlot() finds no layout of tokens that scale balances or keep them elsewhere", async () => {
  const rebasing = await deploy(chain, contracts("RebasingToken").creationCode);
  expect(await find(rebasing)).toEqual({ balance: null, allowance: solidity(1n) });
  const remote = await deploy(chain, contracts("RemoteToken").creationCode);
  expect(await find(remote)).toEqual({ balance: null, allowance: null });
});
