import {
  encodeAbiParameters,
  encodeFunctionData,
  getAbiItem,
  type Hex,
  keccak256,
  pad,
  parseAbi,
  zeroHash,
} from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { spokePoolOperatorAbi } from "../../../../scripts/stack/bridge/spoke-pool-abi.ts";
import { send } from "../../../../scripts/stack/chains/scratch-chain.ts";
import type { AcrossDeposit } from "../../../../src/providers/across/tracking/across-deposit-tracking.ts";
import { mint, RELAYER } from "../../../support/across/bridge.ts";
import { follow, startWorld, type World } from "../../../support/across/journey.ts";
import { DELIVERED, held, sendTransferInto, shares } from "../../../support/across/ledger.ts";
import { USER } from "../../../support/across/stage.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const slowFillAbi = parseAbi([
  "struct RelayData { bytes32 depositor; bytes32 recipient; bytes32 exclusiveRelayer; bytes32 inputToken; bytes32 outputToken; uint256 inputAmount; uint256 outputAmount; uint256 originChainId; uint256 depositId; uint32 fillDeadline; uint32 exclusivityDeadline; bytes message; }",
  "struct SlowFill { RelayData relayData; uint256 chainId; uint256 updatedOutputAmount; }",
  "function requestSlowFill(RelayData relayData)",
  "function executeSlowRelayLeaf(SlowFill slowFillLeaf, uint32 rootBundleId, bytes32[] proof)",
]);

function relayOf({ quoteTimestamp: _, destinationChainId: __, originChainId, ...relay }: AcrossDeposit) {
  return { ...relay, originChainId: BigInt(originChainId) };
}

const toPool = (data: Hex, from = RELAYER) =>
  send(world.target.chain, { from, to: world.target.deployment.spokePool, data });

test("status() is bridging for a slow fill until the pool pays, possibly more than quoted", async () => {
  const { txHash, deposited } = await sendTransferInto(world, { symbol: "USDC" });
  const relay = relayOf(deposited);
  await toPool(encodeFunctionData({ abi: slowFillAbi, functionName: "requestSlowFill", args: [relay] }));
  expect(await follow(world, txHash)).toMatchObject({ phase: "bridging", amountReceived: null });

  const { chain, tokens, deployment } = world.target;
  const leaf = { relayData: relay, chainId: 31338n, updatedOutputAmount: deposited.inputAmount };
  const [leafType] = getAbiItem({ abi: slowFillAbi, name: "executeSlowRelayLeaf" }).inputs;
  const root = keccak256(encodeAbiParameters([leafType], [leaf]));
  const args = [zeroHash, root] as const;
  const bundle = encodeFunctionData({ abi: spokePoolOperatorAbi, functionName: "relayRootBundle", args });
  await toPool(bundle, chain.account);
  await mint(chain, { token: tokens.USDC, to: deployment.spokePool, amount: deposited.inputAmount });
  const functionName = "executeSlowRelayLeaf";
  await toPool(encodeFunctionData({ abi: slowFillAbi, functionName, args: [leaf, 0, []] }));

  expect(await shares(world, "USDC")).toBe(deposited.inputAmount);
  const told = { phase: "delivered", substatus: "COMPLETED", amountReceived: deposited.inputAmount };
  expect(await follow(world, txHash)).toMatchObject(told);
});

/** Delivers what the depositor signed instead of what was deposited for. */
async function deliverUpdated(
  deposited: AcrossDeposit,
  change: { amount: bigint; message: Hex },
): Promise<void> {
  const { depositId, recipient } = deposited;
  const update = {
    depositId,
    originChainId: 31337n,
    updatedOutputAmount: change.amount,
    updatedRecipient: recipient,
    updatedMessage: change.message,
  };
  const signer = mnemonicToAccount("test test test test test test test test test test test junk", {
    addressIndex: 1,
  });
  expect(signer.address).toBe(USER);
  const signature = await signer.signTypedData({
    domain: { name: "ACROSS-V2", version: "1.0.0", chainId: 31337 },
    types: {
      UpdateDepositDetails: [
        { name: "depositId", type: "uint256" },
        { name: "originChainId", type: "uint256" },
        { name: "updatedOutputAmount", type: "uint256" },
        { name: "updatedRecipient", type: "bytes32" },
        { name: "updatedMessage", type: "bytes" },
      ],
    },
    primaryType: "UpdateDepositDetails",
    message: update,
  });
  const args = [
    relayOf(deposited),
    31337n,
    pad(RELAYER),
    change.amount,
    recipient,
    change.message,
    signature,
  ] as const;
  const functionName = "fillRelayWithUpdatedDeposit";
  await toPool(encodeFunctionData({ abi: spokePoolOperatorAbi, functionName, args }));
}

test("status() returns the amount of a fill that the depositor updated", async () => {
  const before = await shares(world, "USDC");
  const { txHash, deposited } = await sendTransferInto(world, { symbol: "USDC" });
  await deliverUpdated(deposited, { amount: DELIVERED - 7n, message: deposited.message });
  expect((await shares(world, "USDC")) - before).toBe(DELIVERED - 7n);
  const told = { phase: "delivered", substatus: "COMPLETED", amountReceived: DELIVERED - 7n };
  expect(await follow(world, txHash)).toMatchObject(told);
});

test("status() does not know the outcome of calls that the depositor updated", async () => {
  const before = [await shares(world, "USDC"), await held(world, "USDC")] as const;
  const { txHash, deposited } = await sendTransferInto(world, { symbol: "USDC" });
  await deliverUpdated(deposited, { amount: DELIVERED, message: "0x" });
  expect([await shares(world, "USDC"), await held(world, "USDC")]).toEqual(before);
  const told = { phase: "delivered", substatus: null, amountReceived: DELIVERED };
  expect(await follow(world, txHash)).toMatchObject(told);
});
