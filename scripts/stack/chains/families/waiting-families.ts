import { encodeDeployData, encodeFunctionData, getContractAddress } from "viem";
import { vedaVaultAbi, vedaWithdrawQueueAbi, vedaWithdrawQueueCreationCode } from "#stand-ins/veda";
import {
  cooldownVaultAbi,
  cooldownVaultCreationCode,
  maplePoolAbi,
  maplePoolCreationCode,
  maplePoolManagerAbi,
  maplePoolManagerCreationCode,
  mapleWithdrawalManagerAbi,
  mapleWithdrawalManagerCreationCode,
} from "#stand-ins/waiting";
import { veda } from "./custom-families.ts";
import { deployVault, type FamilyVault, standardDeposit } from "./family-vault.ts";

const DAY_S = 86_400;
const COOLDOWN_S = 7 * DAY_S;
/** Time in seconds until a request in the queue matures, and the shortest time that it stays open after that. */
const MATURITY_S = 3 * DAY_S;
const DEADLINE_S = DAY_S;

/** Stand-in for sUSDe, with a cooldown of seven days as there. */
const cooldown: FamilyVault = {
  type: "custom",
  deploy(script, terms) {
    const contract = { abi: cooldownVaultAbi, code: cooldownVaultCreationCode } as const;
    const address = deployVault(script, { contract, terms });
    const wait = { abi: cooldownVaultAbi, functionName: "setCooldownDuration", args: [COOLDOWN_S] } as const;
    script.send("setCooldownDuration", { to: address, data: encodeFunctionData(wait) });
    const params = { exit: "cooldown", withdraw_seconds: String(COOLDOWN_S) };
    return { address, row: { shareDecimals: terms.decimals, params } };
  },
  deposit: standardDeposit,
  accrue: null,
};

/** Stand-in for Veda with a queue of withdrawal requests, which its solver pays three days later or never. */
const queue: FamilyVault = {
  ...veda,
  deploy(script, terms) {
    const { address, row } = veda.deploy(script, terms);
    const pays = { abi: vedaWithdrawQueueAbi, bytecode: vedaWithdrawQueueCreationCode } as const;
    const requests = script.deploy(
      "withdraw queue",
      encodeDeployData({ ...pays, args: [address, row.pricer as `0x${string}`] }),
    );
    const allowed = [terms.asset, MATURITY_S, DEADLINE_S, 0, 1n] as const;
    const allow = { abi: vedaWithdrawQueueAbi, functionName: "updateWithdrawAsset", args: allowed } as const;
    script.send("updateWithdrawAsset", { to: requests, data: encodeFunctionData(allow) });
    // The solver is the first contract that the queue creates.
    const solver = getContractAddress({ from: requests, nonce: 1n });
    const burn = { abi: vedaVaultAbi, functionName: "authorize", args: [solver] } as const;
    script.send("authorize", { to: address, data: encodeFunctionData(burn) });
    const own = { withdraw_queue: requests.toLowerCase(), withdraw_seconds: String(MATURITY_S) };
    return { address, row: { ...row, params: { ...row.params, ...own } } };
  },
};

/** Stand-in for Maple. Its withdrawal manager keeps the requested shares until the window of their cycle. */
const pool: FamilyVault = {
  type: "custom",
  deploy(script, terms) {
    const contract = { abi: maplePoolAbi, code: maplePoolCreationCode } as const;
    const address = deployVault(script, { contract, terms });
    const waits = { abi: mapleWithdrawalManagerAbi, bytecode: mapleWithdrawalManagerCreationCode } as const;
    const requests = script.deploy("withdrawal manager", encodeDeployData({ ...waits, args: [address] }));
    const names = { abi: maplePoolManagerAbi, bytecode: maplePoolManagerCreationCode } as const;
    const manager = script.deploy("pool manager", encodeDeployData({ ...names, args: [requests] }));
    const own = { abi: maplePoolAbi, functionName: "setManager", args: [manager] } as const;
    script.send("setManager", { to: address, data: encodeFunctionData(own) });
    const contracts = { pool_manager: manager.toLowerCase(), withdrawal_manager: requests.toLowerCase() };
    return { address, row: { shareDecimals: terms.decimals, params: { exit: "maple", ...contracts } } };
  },
  deposit: standardDeposit,
  accrue: null,
};

/** Stand-ins for vaults that take deposits at once and pay withdrawals later only, by how they pay. */
export const waitingFamilies = { cooldown, queue, pool } satisfies Record<string, FamilyVault>;
