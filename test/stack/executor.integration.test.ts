import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  erc4626Abi,
  type Hex,
  isAddressEqual,
  keccak256,
  maxUint256,
  pad,
  parseEventLogs,
  stringToHex,
  zeroAddress,
  zeroHash,
} from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { receiverAcrossAbi } from "#stand-ins/lifi";
import { headOf, logsOf, receiptOf } from "../../scripts/stack/bridge/node-requests.ts";
import type { DeployedChain } from "../../scripts/stack/chains/deploy-chain.ts";
import { rpc } from "../../scripts/stack/chains/json-rpc.ts";
import { asLog } from "../../scripts/stack/relayer/as-log.ts";
import { depositAbi } from "../../src/providers/across/across-abi.ts";
import { receiverMessageParameters } from "../../src/providers/lifi/decode/lifi-structs.ts";
import { settled } from "../support/e2e/settled.ts";
import {
  approve,
  type BridgedStack,
  DELIVERY_POLLING,
  give,
  held,
  newUser,
  send,
  startBridged,
} from "../support/stack/bridged.ts";

/** Amount that the bridge delivers in every case. */
const DELIVERED = 100_000_000n;

let stack: BridgedStack;
beforeAll(async () => {
  stack = await startBridged();
});
afterAll(() => stack.close());

/** A destination call: the amounts that it declares and needs, and its outcome. */
interface Case {
  name: string;
  declared: bigint;
  needs: bigint;
  reverts?: true;
  sharesTo?: "executor";
  /** True when the call runs, by Executor version; otherwise the user receives everything. */
  runs: { "2.1.0": boolean; "2.0.0": boolean };
  surplus?: bigint;
}

const always = { "2.1.0": true, "2.0.0": true };
const never = { "2.1.0": false, "2.0.0": false };
const cases: readonly Case[] = [
  { name: "delivered = declared", declared: DELIVERED, needs: DELIVERED, runs: always },
  {
    name: "delivered > declared",
    declared: 99_000_000n,
    needs: 99_000_000n,
    runs: always,
    surplus: 1_000_000n,
  },
  { name: "one wei short, all needed", declared: DELIVERED + 1n, needs: DELIVERED + 1n, runs: never },
  {
    name: "one wei short, less needed",
    declared: DELIVERED + 1n,
    needs: 99_000_000n,
    runs: { "2.1.0": true, "2.0.0": false },
    surplus: 1_000_000n,
  },
  { name: "vault reverts", declared: DELIVERED, needs: DELIVERED, reverts: true, runs: never },
  {
    name: "shares minted to the Executor",
    declared: DELIVERED,
    needs: DELIVERED,
    sharesTo: "executor",
    runs: always,
  },
];

/** Sends `DELIVERED` to LI.FI's receiver on `to` with a call into a vault and waits for the fill. */
async function deliver(from: DeployedChain, { to, of }: { to: DeployedChain; of: Case }) {
  const vault = to.vaults.find(({ plan }) => plan.token === "USDC" && plan.scenario === "honest");
  if (vault === undefined) throw new Error("no USDC vault");
  const user = await newUser(stack);
  const receiver = of.sharesTo === "executor" ? to.bridging.executor : user;
  const args = [of.needs, of.reverts ? zeroAddress : receiver] as const;
  const callData = encodeFunctionData({ abi: erc4626Abi, functionName: "deposit", args });
  const swap = {
    callTo: vault.address,
    approveTo: vault.address,
    sendingAssetId: to.tokens.USDC,
    receivingAssetId: of.sharesTo === "executor" ? vault.address : to.tokens.USDC,
    fromAmount: of.declared,
    callData,
    requiresDeposit: true,
  };
  const id = keccak256(stringToHex(`${of.name} ${to.plan.chainId}`));
  const message = encodeAbiParameters(receiverMessageParameters(), [id, [swap], user]);
  await deposit(from, { to, user, message });
  const events = await settled(() => eventsOf(to, id), {
    ...DELIVERY_POLLING,
    wanted: (all) => all.length > 0,
  });
  return { user, vault: vault.plan.name, events };
}

async function deposit(
  from: DeployedChain,
  { to, user, message }: { to: DeployedChain; user: Address; message: Hex },
): Promise<void> {
  const amount = DELIVERED + 1_000n;
  await give(from, { user, symbol: "USDC", amount });
  const { spokePool } = from.bridging;
  await approve(from, { user, token: from.tokens.USDC, spender: spokePool, amount });
  const { timestamp } = await headOf(from.url);
  const data = encodeFunctionData({
    abi: depositAbi(),
    functionName: "deposit",
    args: [
      pad(user),
      pad(to.bridging.receiverAcross),
      pad(from.tokens.USDC),
      pad(to.tokens.USDC),
      amount,
      DELIVERED,
      BigInt(to.plan.chainId),
      zeroHash,
      timestamp,
      timestamp + 3_600,
      0,
      message,
    ],
  });
  await send(from, { user, to: spokePool, data });
}

/** Returns the names of LI.FI's events in one transfer's delivery, in order; empty before it. */
async function eventsOf({ url, bridging }: DeployedChain, id: Hex): Promise<string[]> {
  const { receiverAcross, executor } = bridging;
  const address = [receiverAcross, executor];
  const logs = await logsOf(url, { address, topics: [null, id], fromBlock: "0x0" });
  const [last] = logs;
  if (last === undefined) return [];
  const receipt = await receiptOf(url, last.transactionHash);
  const own = (receipt?.logs ?? []).filter((log) => address.some((one) => isAddressEqual(one, log.address)));
  return parseEventLogs({ abi: receiverAcrossAbi, logs: own.map(asLog) }).map(({ eventName }) => eventName);
}

describe.each(["2.1.0", "2.0.0"] as const)("LI.FI's receiver with Executor %s", (version) => {
  const ends = () => (version === "2.1.0" ? [stack.two, stack.one] : [stack.one, stack.two]);

  test.each(cases)("$name", async (of) => {
    const [from, to] = ends() as [DeployedChain, DeployedChain];
    expect(to.bridging.executorVersion).toBe(version);
    const { user, vault, events } = await deliver(from, { to, of });
    const ran = of.runs[version];
    expect(events).toEqual(ran ? ["AssetSwapped", "LiFiTransferCompleted"] : ["LiFiTransferRecovered"]);
    expect(await held(to, [user, "USDC"])).toBe(ran ? (of.surplus ?? 0n) : DELIVERED);
    if (ran) expect(await held(to, [user, vault])).toBeGreaterThan(0n);
    else expect(await held(to, [user, vault])).toBe(0n);
    for (const owner of [to.bridging.executor, to.bridging.receiverAcross])
      expect([await held(to, [owner, "USDC"]), await held(to, [owner, vault])]).toEqual([0n, 0n]);
  });

  test("leaves an unlimited allowance from the Executor to the called vault, and none from the Receiver", async () => {
    const [, to] = ends() as [DeployedChain, DeployedChain];
    const allowance = async (owner: Address, spender: Address) => {
      const data = encodeFunctionData({ abi: erc20Abi, functionName: "allowance", args: [owner, spender] });
      return BigInt(String(await rpc(to.url, "eth_call", { to: to.tokens.USDC, data }, "latest")));
    };
    const vault = to.vaults.find(({ plan }) => plan.token === "USDC" && plan.scenario === "honest");
    const { executor, receiverAcross } = to.bridging;
    // USDC lowers an allowance of 2^256 - 1 by what is spent, too.
    expect(await allowance(executor, vault?.address ?? zeroAddress)).toBeGreaterThan(maxUint256 / 2n);
    expect(await allowance(receiverAcross, executor)).toBe(0n);
  });
});
