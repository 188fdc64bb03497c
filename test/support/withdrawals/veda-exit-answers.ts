import { type Abi, type Address, parseAbi } from "viem";
import type { Vault } from "../../../src/vaults/vault.ts";
import { OTHER, VAULT, wethVault } from "../deposits/fixtures.ts";

const QUEUE: Address = "0x2222222222222222222222222222222222222222";
const DELAYED: Address = "0x3333333333333333333333333333333333333333";
const OTHER_TOKEN = { address: OTHER, symbol: "wstETH", decimals: 18 };

/** View functions of a Veda vault, as a test's chain answers them. */
const common = [
  "function vault() view returns (address)",
  "function accountant() view returns (address)",
  "function isPaused() view returns (bool)",
  "function getRateInQuoteSafe(address) view returns (uint256)",
] as const;
const queueFunctions: Abi = parseAbi([
  ...common,
  "function withdrawAssets(address) view returns (bool, uint24, uint24, uint16, uint16, uint96)",
]);
const delayedFunctions: Abi = parseAbi([
  ...common,
  "function withdrawAssets(address) view returns (bool, uint32, uint32, uint128, uint16, uint16)",
  "function withdrawRequests(address, address) view returns (bool, uint16, uint40, uint96, uint96)",
]);

/**
 * A Veda vault whose asset is WETH, which also takes `OTHER`, and whose queue pays only the tokens in `pays`: the
 * queue's list is its own. With the chain's answers and their ABI.
 */
export function vedaQueue(of: { pays: readonly string[] }): {
  vault: Vault;
  answers: Readonly<Record<string, unknown>>;
  functions: Abi;
} {
  const vault: Vault = {
    ...wethVault,
    ...{ adapter: "veda", type: "veda", acceptedAssets: [wethVault.asset, OTHER_TOKEN] },
    params: { teller: "d", withdraw_queue: QUEUE },
  };
  const answers = {
    ...{ vault: VAULT, accountant: VAULT, isPaused: false, getRateInQuoteSafe: 10n ** 18n },
    withdrawAssets: (_queue: Address, token: Address) => [of.pays.includes(token), 60, 60, 0, 100, 1n],
  };
  return { vault, answers, functions: queueFunctions };
}

/**
 * A Veda vault whose account has a request for all shares at the contract with a fixed wait, made at a rate of 1 WETH
 * and allowing a loss of 1%, with the chain's answers. `rate` is the current one, by default the same.
 */
export function vedaDelayed(of: {
  maturity: number;
  paused?: boolean;
  rate?: bigint;
}): ReturnType<typeof vedaQueue> {
  const vault: Vault = {
    ...wethVault,
    ...{ adapter: "veda", type: "veda", params: { teller: "d", delayed_withdraw: DELAYED } },
  };
  const answers = {
    ...{ vault: VAULT, accountant: VAULT, isPaused: of.paused ?? false },
    getRateInQuoteSafe: of.rate ?? 10n ** 18n,
    withdrawAssets: [true, 60, 0, 0n, 0, 0],
    withdrawRequests: [false, 100, of.maturity, 10n ** 18n, 10n ** 18n],
  };
  return { vault, answers, functions: delayedFunctions };
}
