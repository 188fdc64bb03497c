import { type Address, erc20Abi, isAddressEqual, parseAbi } from "viem";
import { createQuery, type Query, type ReadResults, read, valueOrNull } from "../../../chains/chain-reads.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";

const trancheAbi = once(() =>
  parseAbi([
    "function cdo() view returns (address)",
    "function jrtVault() view returns (address)",
    "function actionsJrt() view returns (bool isDepositEnabled, bool isWithdrawEnabled)",
    "function actionsSrt() view returns (bool isDepositEnabled, bool isWithdrawEnabled)",
  ]),
);

const moolahAbi = once(() =>
  parseAbi(["function MOOLAH() view returns (address)", "function paused() view returns (bool)"]),
);

/**
 * What views besides `maxRedeem` show about why a vault redeems nothing. With a `maxRedeem` of 0, either of the first two
 * fields can show that a vault is closed rather than short of liquidity.
 */
export interface ExitSwitches {
  /** True if a switch of the vault's protocol disables redemptions; false also if unknown. */
  off: boolean;
  /** Assets that the vault's contract holds, in the asset's smallest unit, or null if unknown or not read. */
  idle: bigint | null;
  /** True if the market that the vault lends to is paused, which `maxRedeem` ignores. Absent: not, or unknown. */
  halted?: boolean;
}

/**
 * Returns a query for what shows why a generic ERC-4626 vault redeems nothing: the assets that it holds, for a tranche of
 * Strata whether withdrawals from it are disabled, and for a vault of Lista whether its market is paused, which the vault
 * skips. Sources: Strata, StrataCDO (`maxWithdraw`); lista-dao/moolah, MoolahVault (`_withdrawMoolah`).
 */
export function exitSwitches(vault: Vault): Query<ExitSwitches> {
  const on = { to: vault.entryPoint } as const;
  const first = {
    cdo: read({ ...on, abi: trancheAbi(), name: "cdo" }),
    moolah: read({ ...on, abi: moolahAbi(), name: "MOOLAH" }),
    held: read({ to: vault.asset.address, abi: erc20Abi, name: "balanceOf", args: [vault.entryPoint] }),
  };
  return {
    ...createQuery(first, ({ held }): ExitSwitches => ({ off: false, idle: valueOrNull(held) })),
    next: (results) => {
      const { cdo, moolah, held } = results as ReadResults<typeof first>;
      const idle = valueOrNull(held);
      if (cdo.ok) return trancheSwitch(vault, { cdo: cdo.value, idle });
      if (!moolah.ok) return null;
      const paused = read({ to: moolah.value, abi: moolahAbi(), name: "paused" });
      return createQuery({ paused }, (more) => ({
        off: false,
        idle,
        halted: valueOrNull(more.paused) === true,
      }));
    },
  };
}

function trancheSwitch(
  vault: Vault,
  { cdo, idle }: { cdo: Address; idle: bigint | null },
): Query<ExitSwitches> {
  const on = { to: cdo, abi: trancheAbi() } as const;
  const reads = {
    junior: read({ ...on, name: "jrtVault" }),
    ofJunior: read({ ...on, name: "actionsJrt" }),
    ofSenior: read({ ...on, name: "actionsSrt" }),
  };
  return createQuery(reads, ({ junior, ofJunior, ofSenior }) => {
    const isJunior = junior.ok && isAddressEqual(junior.value, vault.entryPoint);
    const enabled = valueOrNull(isJunior ? ofJunior : ofSenior)?.[1];
    return { off: junior.ok && enabled === false, idle };
  });
}
