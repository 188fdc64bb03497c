import {
  type Abi,
  type Address,
  encodeDeployData,
  encodeFunctionData,
  erc20Abi,
  getContractAddress,
  type Hex,
} from "viem";
import {
  eulerVaultAbi,
  eulerVaultCreationCode,
  fluidTokenAbi,
  fluidTokenCreationCode,
  siloVaultAbi,
  siloVaultCreationCode,
} from "#stand-ins/lending";
import {
  governedPerspectiveAbi,
  governedPerspectiveCreationCode,
  hostileVaultAbi,
  hostileVaultCreationCode,
  lendingFactoryAbi,
  lendingFactoryCreationCode,
  metaMorphoFactoryAbi,
  metaMorphoFactoryCreationCode,
  oneKeyProxyAbi,
  oneKeyProxyCreationCode,
  siloFactoryAbi,
  siloFactoryCreationCode,
} from "#stand-ins/registers";
import { openZeppelinVaultAbi, openZeppelinVaultCreationCode } from "#stand-ins/standard";
import type { ChainScript } from "./chain-script.ts";
import { standardDeposit } from "./families/family-vault.ts";
import { usd } from "./vault-history.ts";

/** A register that the local Worker discovers vaults from, as a row of the variable `DISCOVERY`. */
export interface LocalRegister {
  address: Address;
  adapter: string;
  protocol: string;
  openness: "governed" | "anybody";
}

/** A vault with a registry row that contradicts the chain. The row claims no asset if it is null. */
export interface WrongClaim {
  address: Address;
  adapter: string;
  asset: Address | null;
}

/** Registers of a chain, their vaults by purpose, and rows that contradict the chain. */
export interface VaultRegisters {
  registers: readonly LocalRegister[];
  /** Vaults by purpose. Only the vault `good` is opened by the service. */
  discovered: Readonly<Record<DiscoveredPurpose, Address>>;
  wrong: readonly WrongClaim[];
}

/**
 * Purpose of a vault in a register: `good`; of too little value (`small`); of an open factory without anybody who vouches
 * (`unvouched`); hostile, by a redemption that pays less, by a fee of 100%, by a list of excluded holders, or by code that
 * one key replaces.
 */
export type DiscoveredPurpose =
  | "good"
  | "small"
  | "unvouched"
  | "pays_less"
  | "full_fee"
  | "blacklists"
  | "one_key";

/** Name of hostile vaults. It must never appear on a page unescaped. */
export const HOSTILE_NAME = "FREE 900% APY <b>official</b>";
/** Total assets of every discovered vault except the small one, in US dollars. It exceeds the local minimum. */
export const DISCOVERED_USD = 50_000n;
const SMALL_USD = 100n;
/** Total of the deposits into discovered vaults, in the smallest unit of USDC. */
export const DISCOVERED_FUNDS = usd(7n * DISCOVERED_USD);
/** Account with a single key that controls the hostile vaults. */
const KEY: Address = "0x00000000000000000000000000000000000A11cE";

type Code = readonly [abi: Abi, bytecode: Hex];
const vaultCode = ([abi, bytecode]: Code, args: readonly unknown[]): Hex =>
  encodeDeployData({ abi, bytecode, args });
const FLUID: Code = [fluidTokenAbi, fluidTokenCreationCode];
const EULER: Code = [eulerVaultAbi, eulerVaultCreationCode];
const SILO: Code = [siloVaultAbi, siloVaultCreationCode];
const HOSTILE: Code = [hostileVaultAbi, hostileVaultCreationCode];
const PLAIN: Code = [openZeppelinVaultAbi, openZeppelinVaultCreationCode];

/** Returns the address of the `count`th contract that a factory creates. */
const madeBy = (from: Address, count: number): Address => getContractAddress({ from, nonce: BigInt(count) });

/** Queues the deployment of the registers of a chain, their vaults, and the vaults whose rows contradict the chain. */
export function deployVaultRegisters(
  script: ChainScript,
  { usdc, weth }: { usdc: Address; weth: Address },
): VaultRegisters {
  const deploy = (label: string, [abi, code]: Code, args: readonly unknown[] = []) =>
    script.deploy(label, vaultCode([abi, code], args));
  const call = (to: Address, abi: Abi, [functionName, args]: readonly [string, readonly unknown[]]) =>
    script.send(functionName, { to, data: encodeFunctionData({ abi, functionName, args: [...args] }) });

  const fluid = deploy("lending factory", [lendingFactoryAbi, lendingFactoryCreationCode]);
  call(fluid, lendingFactoryAbi, ["createToken", [vaultCode(FLUID, [usdc, "fToken", "fUSDC"])]]);

  const morpho = deploy("MetaMorpho factory", [metaMorphoFactoryAbi, metaMorphoFactoryCreationCode]);
  for (const fee of [1_000n, 10_000n, 0n]) {
    const code = vaultCode(HOSTILE, [usdc, HOSTILE_NAME, "FREE", fee, KEY]);
    call(morpho, metaMorphoFactoryAbi, ["createMetaMorpho", [usdc, HOSTILE_NAME, code]]);
  }

  const silo = deploy("silo factory", [siloFactoryAbi, siloFactoryCreationCode]);
  for (const asset of [usdc, weth])
    call(silo, siloFactoryAbi, ["prepareSilo", [vaultCode(SILO, [asset, "Silo", "silo"])]]);
  call(silo, siloFactoryAbi, ["createSilos", [[usdc, weth]]]);

  const small = deploy("small vault", EULER, [usdc, "Small", "small"]);
  const code = deploy("replaceable code", EULER, [usdc, HOSTILE_NAME, "FREE"]);
  const oneKey = deploy("one key's vault", [oneKeyProxyAbi, oneKeyProxyCreationCode], [code, KEY]);
  call(oneKey, eulerVaultAbi, ["setCap", [2n ** 128n]]);
  const perspective = deploy("perspective", [governedPerspectiveAbi, governedPerspectiveCreationCode]);
  call(perspective, governedPerspectiveAbi, ["set", [[small, oneKey]]]);

  const plain = deploy("plain vault", PLAIN, [usdc, HOSTILE_NAME, "FREE", 6]);
  const lender = deploy("lender's vault", EULER, [usdc, HOSTILE_NAME, "FREE"]);
  const token = deploy("lender's token", FLUID, [usdc, HOSTILE_NAME, "FREE"]);
  return {
    registers: [
      { address: fluid, adapter: "fluid", protocol: "Local Lending", openness: "governed" },
      { address: morpho, adapter: "metamorpho", protocol: "Local Morpho", openness: "anybody" },
      { address: silo, adapter: "silo", protocol: "Local Silo", openness: "anybody" },
      { address: perspective, adapter: "euler", protocol: "Local Euler", openness: "governed" },
    ],
    discovered: {
      good: madeBy(fluid, 1),
      pays_less: madeBy(morpho, 1),
      full_fee: madeBy(morpho, 2),
      blacklists: madeBy(morpho, 3),
      unvouched: madeBy(silo, 1),
      small,
      one_key: oneKey,
    },
    wrong: [
      { address: plain, adapter: "silo", asset: usdc },
      { address: lender, adapter: "silo", asset: usdc },
      { address: token, adapter: "fluid", asset: weth },
      { address: weth, adapter: "erc4626", asset: null },
    ],
  };
}

/** Queues the first deposit into each discovered vault, in USDC of the deployer. */
export function fundDiscovered(
  script: ChainScript,
  { usdc, discovered }: { usdc: Address; discovered: VaultRegisters["discovered"] },
): void {
  for (const [purpose, vault] of Object.entries(discovered)) {
    const amount = usd(purpose === "small" ? SMALL_USD : DISCOVERED_USD);
    const approve = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [vault, amount] });
    script.send("approve", { to: usdc, data: approve });
    const terms = {
      asset: usdc,
      assetSymbol: "USDC",
      decimals: 6,
      name: purpose,
      symbol: purpose,
      also: [],
    };
    script.send(`deposit ${purpose}`, {
      to: vault,
      data: standardDeposit({ terms, amount, deployer: script.deployer }),
    });
  }
}
