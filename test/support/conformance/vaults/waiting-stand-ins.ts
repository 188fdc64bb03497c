import { type Address, encodeDeployData, encodeFunctionData } from "viem";
import {
  cooldownVaultAbi,
  cooldownVaultCreationCode,
  mapleMultiQueueAbi,
  mapleMultiQueueCreationCode,
  maplePoolAbi,
  maplePoolCreationCode,
  maplePoolManagerAbi,
  maplePoolManagerCreationCode,
  mapleSingleQueueAbi,
  mapleSingleQueueCreationCode,
  mapleWithdrawalManagerAbi,
  mapleWithdrawalManagerCreationCode,
  queueingVaultAbi,
  queueingVaultCreationCode,
  requestingVaultAbi,
  requestingVaultCreationCode,
} from "#stand-ins/waiting";
import type { Deploy } from "./leaving.ts";
import { deployOn, firstDeposit } from "./standard.ts";
import { use } from "./use.ts";

/** Duration of the cooldown, in seconds. */
export const COOLDOWN_S = 600;

/** Deploys a vault with a cooldown, like sUSDe. */
export const deployCooldown: Deploy = (world, asset) =>
  world.script((script) => {
    const contract = { abi: cooldownVaultAbi, code: cooldownVaultCreationCode } as const;
    const vault = deployOn(script, { contract, asset });
    const wait = { abi: cooldownVaultAbi, functionName: "setCooldownDuration", args: [COOLDOWN_S] } as const;
    script.send("setCooldownDuration", { to: vault, data: encodeFunctionData(wait) });
    use(script, { token: asset, vault, data: firstDeposit(script, asset) });
    const row = { address: vault, shareDecimals: asset.decimals, params: { exit: "cooldown" } };
    return { row, owner: script.deployer, parts: {} };
  });

/** Creation codes of the stand-ins for Maple's withdrawal managers, by their kind. */
const MANAGERS = {
  cycles: (pool: Address) =>
    encodeDeployData({
      abi: mapleWithdrawalManagerAbi,
      bytecode: mapleWithdrawalManagerCreationCode,
      args: [pool],
    }),
  single: (pool: Address) =>
    encodeDeployData({ abi: mapleSingleQueueAbi, bytecode: mapleSingleQueueCreationCode, args: [pool] }),
  multi: (pool: Address) =>
    encodeDeployData({ abi: mapleMultiQueueAbi, bytecode: mapleMultiQueueCreationCode, args: [pool] }),
} as const;

/**
 * Deploys a pool like Maple's, with a cyclical withdrawal manager or a queue, of version 1 (`single`) or 2 (`multi`).
 * The registry entry of a pool with a queue is complete.
 */
const deployPool: (kind: keyof typeof MANAGERS) => Deploy = (kind) => (world, asset) =>
  world.script((script) => {
    const contract = { abi: maplePoolAbi, code: maplePoolCreationCode } as const;
    const vault = deployOn(script, { contract, asset });
    const requests = script.deploy("requests", MANAGERS[kind](vault));
    const names = { abi: maplePoolManagerAbi, bytecode: maplePoolManagerCreationCode } as const;
    const manager = script.deploy("manager", encodeDeployData({ ...names, args: [requests] }));
    const own = { abi: maplePoolAbi, functionName: "setManager", args: [manager] } as const;
    script.send("setManager", { to: vault, data: encodeFunctionData(own) });
    use(script, { token: asset, vault, data: firstDeposit(script, asset) });
    const managers = { pool_manager: manager.toLowerCase(), withdrawal_manager: requests.toLowerCase() };
    const found = kind === "cycles" ? {} : { ...managers, withdrawal_type: "queue" };
    const row = { address: vault, shareDecimals: asset.decimals, params: { exit: "maple", ...found } };
    return { row, owner: script.deployer, parts: { requests, manager } };
  });

/** Deploys a pool with a cyclical withdrawal manager, like Maple's. */
export const deployMaple: Deploy = deployPool("cycles");
/** Deploy pools like Maple's with a queue, for one request of an owner at a time or for several. */
export const deployMapleQueue: Deploy = deployPool("single");
export const deployMapleQueues: Deploy = deployPool("multi");

/** Deploys a vault that pays at once what it can, like Yo's; if `invests`, it holds nothing and pays nothing at once. */
export const deployQueueing =
  (invests: boolean): Deploy =>
  (world, asset) =>
    world.script((script) => {
      const contract = { abi: queueingVaultAbi, code: queueingVaultCreationCode } as const;
      const vault = deployOn(script, { contract, asset });
      use(script, { token: asset, vault, data: firstDeposit(script, asset) });
      const own = { abi: queueingVaultAbi, functionName: "invest", args: [true] } as const;
      if (invests) script.send("invest", { to: vault, data: encodeFunctionData(own) });
      const row = { address: vault, shareDecimals: asset.decimals, params: { exit: "yo" } };
      return { row, owner: script.deployer, parts: {} };
    });

/**
 * Deploys a vault that only ERC-7540 describes, with the cancellations of ERC-7887 if `cancels`. If `numbered`, each
 * request has a number of its own.
 */
export const deployRequesting =
  ({ cancels = false, numbered = false }): Deploy =>
  (world, asset) =>
    world.script((script) => {
      const contract = { abi: requestingVaultAbi, code: requestingVaultCreationCode } as const;
      const vault = deployOn(script, { contract, asset });
      use(script, { token: asset, vault, data: firstDeposit(script, asset) });
      const own = { abi: requestingVaultAbi, args: [true] } as const;
      const send = (functionName: "setCancels" | "setNumbered") =>
        script.send(functionName, { to: vault, data: encodeFunctionData({ ...own, functionName }) });
      if (cancels) send("setCancels");
      if (numbered) send("setNumbered");
      const row = { address: vault, shareDecimals: asset.decimals, params: { exit: "erc7540" } };
      return { row, owner: script.deployer, parts: {} };
    });
