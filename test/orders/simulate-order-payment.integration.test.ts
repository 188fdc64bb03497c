import { type Address, type Hex, parseEther, stringToHex, toFunctionSelector } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  deploy,
  type ScratchChain,
  send,
  startScratchChain,
} from "../../scripts/stack/chains/scratch-chain.ts";
import type { ChainClient } from "../../src/chains/chain-client.ts";
import { simulatePayment } from "../../src/orders/simulate-order-payment.ts";
import { clientOn } from "../support/chains/rpc-node.ts";
import { callOf, tokenAbi } from "../support/chains/simulate.ts";
import { contracts, USER } from "../support/chains/stage.ts";
import { testContext } from "../support/context.ts";

let chain: ScratchChain;
let client: ChainClient;
beforeAll(async () => {
  chain = await startScratchChain();
  await chain.node.setBalance({ address: USER, value: parseEther("10") });
  ({ client } = clientOn([{ url: String(chain.node.transport["url"]) }], { chainId: 31337 }));
});
afterAll(() => chain.stop());

/** Deploys a token of which the user holds 1,000, and a vault of it with the given allowance of the user. */
async function deployVault(name: "Asset" | "StrictAsset" | "ZeroShyAsset", granted: bigint) {
  const { abi, creationCode } = contracts(name);
  const token = await deploy(chain, creationCode);
  const argument = token.slice(2).padStart(64, "0");
  const vault = await deploy(chain, `${contracts("Vault").creationCode}${argument}` as Hex);
  await send(chain, {
    to: token,
    data: callOf(abi, { target: token, name: "mint", args: [USER, 1000n] }).data,
  });
  if (granted > 0n)
    await send(chain, {
      ...callOf(tokenAbi, { target: token, name: "approve", args: [vault, granted] }),
      from: USER,
      to: token,
    });
  return { token, vault };
}

const APPROVE = toFunctionSelector("approve(address,uint256)");

/** Simulates a deposit of 400 with the allowance that was read, and returns the calls to sign by name. */
async function simulateDeposit(
  { token, vault }: { token: Address; vault: Address },
  allowance: bigint | null,
) {
  const { number, timestamp } = await chain.node.getBlock();
  const made = await simulatePayment(testContext({ clients: [client] }), {
    payment: {
      ...{ client, payer: USER, token, amount: 400n, spender: vault, balance: 1000n, allowance },
      block: { number: Number(number), timestamp: Number(timestamp) },
    },
    call: callOf(tokenAbi, { target: vault, name: "deposit", args: [400n, USER] }),
    reads: [],
  });
  if (!made.ok) return made;
  return made.calls.map(({ data }) => {
    if (!data.startsWith(APPROVE)) return "deposit";
    return BigInt(`0x${data.slice(-64)}`) === 0n ? "reset" : "approve";
  });
}

describe("simulatePayment()", () => {
  test("approves only what is missing", async () => {
    const vault = await deployVault("Asset", 0n);
    expect(await simulateDeposit(vault, 0n)).toEqual(["approve", "deposit"]);
    expect(await simulateDeposit(await deployVault("Asset", 400n), 400n)).toEqual(["deposit"]);
  });

  test("resets a partial allowance, but not of a token that refuses an approval of zero", async () => {
    expect(await simulateDeposit(await deployVault("StrictAsset", 7n), 7n)).toEqual([
      "reset",
      "approve",
      "deposit",
    ]);
    expect(await simulateDeposit(await deployVault("ZeroShyAsset", 7n), 7n)).toEqual(["approve", "deposit"]);
  });

  test.each([0n, null])("resets an allowance that was granted after it was read as %s", async (allowance) => {
    const vault = await deployVault("StrictAsset", 7n);
    expect(await simulateDeposit(vault, allowance)).toEqual(["reset", "approve", "deposit"]);
  });

  test("returns the revert of the approval without a reset", async () => {
    const vault = await deployVault("ZeroShyAsset", 0n);
    await send(chain, { to: vault.token, data: toFunctionSelector("freeze()") });
    const refused = await simulateDeposit(vault, 0n);
    const revert = expect.stringContaining(stringToHex("frozen").slice(2));
    expect(refused).toMatchObject({ ok: false, failedCall: "approval", revert });
  });

  test("returns the revert of the call, and simulates it once", async () => {
    const vault = await deployVault("Asset", 0n);
    await chain.node.setCode({ address: vault.vault, bytecode: "0x60006000fd" });
    expect(await simulateDeposit(vault, 0n)).toMatchObject({
      ok: false,
      failedCall: "deposit",
      revert: "0x",
    });
  });
});
