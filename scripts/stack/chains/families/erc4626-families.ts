import { encodeDeployData, encodeFunctionData, getContractAddress } from "viem";
import {
  accountableStrategyAbi,
  accountableStrategyCreationCode,
  accountableVaultAbi,
  accountableVaultCreationCode,
} from "#stand-ins/accountable";
import {
  plasmaAccessManagerAbi,
  plasmaAccessManagerCreationCode,
  plasmaVaultAbi,
  plasmaVaultCreationCode,
  plasmaWithdrawManagerAbi,
  plasmaWithdrawManagerCreationCode,
} from "#stand-ins/ipor";
import {
  eulerEarnVaultAbi,
  eulerEarnVaultCreationCode,
  eulerVaultAbi,
  eulerVaultCreationCode,
  fluidTokenAbi,
  fluidTokenCreationCode,
  gearboxPoolAbi,
  gearboxPoolCreationCode,
  savingsTokenAbi,
  savingsTokenCreationCode,
  siloVaultAbi,
  siloVaultCreationCode,
  stataTokenAbi,
  stataTokenCreationCode,
  yearnVaultAbi,
  yearnVaultCreationCode,
} from "#stand-ins/lending";
import { simpleLrtAbi, simpleLrtCreationCode } from "#stand-ins/mellow-lrt";
import { vaultV2Abi, vaultV2CreationCode } from "#stand-ins/morpho-v2";
import {
  legacyTokenizedVaultAbi,
  legacyTokenizedVaultCreationCode,
  tokenizedVaultAbi,
  tokenizedVaultCreationCode,
} from "#stand-ins/upshift";
import { deployVault, type FamilyVault, standardDeposit, standardVault } from "./family-vault.ts";

/** Fixed-point base of a rate: 10^27 = 1. */
const RAY = 10n ** 27n;

/**
 * Stand-in for savings vaults. Their share price follows a stored rate and ignores donations, so the yield is set
 * directly.
 */
const savings: FamilyVault = {
  ...standardVault({ abi: savingsTokenAbi, code: savingsTokenCreationCode }),
  accrue: () =>
    encodeFunctionData({ abi: savingsTokenAbi, functionName: "setChi", args: [(RAY * 10_377n) / 10_000n] }),
};

const ipor: FamilyVault = {
  type: "ipor",
  deploy(script, terms) {
    const code = { abi: plasmaAccessManagerAbi, bytecode: plasmaAccessManagerCreationCode } as const;
    const manager = script.deploy("access manager", encodeDeployData(code));
    const contract = { abi: plasmaVaultAbi, code: plasmaVaultCreationCode } as const;
    const address = deployVault(script, { contract, terms, more: [manager] });
    const requests = { abi: plasmaWithdrawManagerAbi, bytecode: plasmaWithdrawManagerCreationCode } as const;
    const withdrawManager = script.deploy("withdraw manager", encodeDeployData(requests));
    const own = { abi: plasmaVaultAbi, functionName: "setWithdrawManager", args: [withdrawManager] } as const;
    script.send("setWithdrawManager", { to: address, data: encodeFunctionData(own) });
    const back = { abi: plasmaWithdrawManagerAbi, functionName: "setVault", args: [address] } as const;
    script.send("setVault", { to: withdrawManager, data: encodeFunctionData(back) });
    const params = { withdraw_manager: withdrawManager.toLowerCase() };
    return { address, row: { shareDecimals: terms.decimals + 2, params } };
  },
  deposit: standardDeposit,
  accrue: null,
};

/** Stand-in for Upshift. Its share token is the first contract that it creates. */
const upshift: FamilyVault = {
  type: "custom",
  deploy(script, terms) {
    const contract = { abi: tokenizedVaultAbi, code: tokenizedVaultCreationCode } as const;
    const address = deployVault(script, { contract, terms });
    const shareToken = getContractAddress({ from: address, nonce: 1n }).toLowerCase();
    return { address, row: { shareToken, shareDecimals: terms.decimals } };
  },
  deposit: ({ terms, amount, deployer }) => {
    const args = [terms.asset, amount, deployer] as const;
    return encodeFunctionData({ abi: tokenizedVaultAbi, functionName: "deposit", args });
  },
  accrue: ({ terms }) => {
    const args = [(10n ** BigInt(terms.decimals) * 10_412n) / 10_000n] as const;
    return encodeFunctionData({ abi: tokenizedVaultAbi, functionName: "setSharePrice", args });
  },
};

/** Stand-in for Accountable. Its share token is the first contract that it creates. Most of its assets are lent out. */
const accountable: FamilyVault = {
  type: "accountable",
  deploy(script, terms) {
    const code = { abi: accountableStrategyAbi, bytecode: accountableStrategyCreationCode } as const;
    const strategy = script.deploy("strategy", encodeDeployData(code));
    const contract = { abi: accountableVaultAbi, code: accountableVaultCreationCode } as const;
    const address = deployVault(script, { contract, terms, more: [strategy] });
    const shareToken = getContractAddress({ from: address, nonce: 1n }).toLowerCase();
    return { address, row: { shareToken, shareDecimals: terms.decimals } };
  },
  deposit: standardDeposit,
  accrue: ({ amount }) =>
    encodeFunctionData({ abi: accountableVaultAbi, functionName: "lend", args: [amount, 0n] }),
};

/** Stand-in for Mellow's Simple LRT. Its queue is the third contract that it creates. */
const mellowLrt: FamilyVault = {
  ...standardVault({ abi: simpleLrtAbi, code: simpleLrtCreationCode }),
  type: "lido",
  deploy(script, terms) {
    const contract = { abi: simpleLrtAbi, code: simpleLrtCreationCode } as const;
    const address = deployVault(script, { contract, terms });
    const queue = getContractAddress({ from: address, nonce: 3n }).toLowerCase();
    return { address, row: { shareDecimals: terms.decimals, params: { withdrawal_queues: queue } } };
  },
};

/** Stand-ins for the families that implement ERC-4626, by adapter. */
export const erc4626Families = {
  euler: standardVault({ abi: eulerVaultAbi, code: eulerVaultCreationCode }),
  euler_earn: standardVault({ abi: eulerEarnVaultAbi, code: eulerEarnVaultCreationCode }),
  yearn_v3: standardVault({ abi: yearnVaultAbi, code: yearnVaultCreationCode }),
  aave_stata: standardVault({ abi: stataTokenAbi, code: stataTokenCreationCode }),
  spark: savings,
  gearbox: standardVault({ abi: gearboxPoolAbi, code: gearboxPoolCreationCode }),
  fluid: standardVault({ abi: fluidTokenAbi, code: fluidTokenCreationCode }),
  silo: standardVault({ abi: siloVaultAbi, code: siloVaultCreationCode }),
  morpho_v2: standardVault(
    { abi: vaultV2Abi, code: vaultV2CreationCode },
    { type: "morpho", shareDecimals: (decimals) => Math.max(18, decimals) },
  ),
  ipor,
  mellow_lrt: mellowLrt,
  upshift,
  upshift_legacy: standardVault({ abi: legacyTokenizedVaultAbi, code: legacyTokenizedVaultCreationCode }),
  accountable,
} satisfies Record<string, FamilyVault>;
