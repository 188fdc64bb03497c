import { type Address, zeroAddress } from "viem";
import {
  eulerEarnVaultAbi,
  eulerEarnVaultCreationCode,
  eulerVaultAbi,
  eulerVaultCreationCode,
  fluidTokenAbi,
  fluidTokenCreationCode,
  gearboxPoolAbi,
  gearboxPoolCreationCode,
  reservePoolAbi,
  savingsTokenAbi,
  savingsTokenCreationCode,
  siloVaultAbi,
  siloVaultCreationCode,
  stataTokenAbi,
  stataTokenCreationCode,
  yearnStrategyAbi,
  yearnStrategyCreationCode,
  yearnVaultAbi,
  yearnVaultCreationCode,
} from "#stand-ins/lending";
import { vaultV2Abi, vaultV2CreationCode } from "#stand-ins/morpho-v2";
import type { Placed } from "../conformance/vaults/family.ts";
import { deployStandard, set } from "../conformance/vaults/standard.ts";
import { act, type Change, drain, lendAll, type RefusingVault } from "./vault-changes.ts";

const reservePool = (placed: Placed): Promise<Address> =>
  placed.world.client.readContract({ address: placed.vault, abi: stataTokenAbi, functionName: "POOL" });
const setReserve =
  (active: boolean, paused: boolean): Change =>
  async (placed) =>
    set(placed, {
      ...{ abi: reservePoolAbi, name: "setReserve", args: [active, paused] },
      on: await reservePool(placed),
    });

/** Deploys a Gearbox pool. */
export const gearbox = deployStandard({ abi: gearboxPoolAbi, code: gearboxPoolCreationCode });
const morphoV2 = deployStandard({ abi: vaultV2Abi, code: vaultV2CreationCode }, ({ decimals }) =>
  Math.max(18, decimals),
);
/** Bit of `redeem` in Euler's mask of hooked operations. */
const OP_REDEEM = 8;

/** Vaults that lend their assets, by family, with the conditions under which they refuse withdrawals. */
export const refusingLenders: readonly RefusingVault[] = [
  {
    ...{
      adapter: "aave_stata",
      deploy: deployStandard({ abi: stataTokenAbi, code: stataTokenCreationCode }),
    },
    cases: [
      ["the token is paused", act(stataTokenAbi, "setPaused", [true]), "exits_paused"],
      ["the reserve is paused", setReserve(true, true), "exits_paused"],
      ["the reserve is not active", setReserve(false, false), "exits_paused"],
      ["the reserve is lent out", lendAll(stataTokenAbi), "no_liquidity"],
    ],
  },
  {
    ...{ adapter: "gearbox", deploy: gearbox },
    cases: [
      ["it is paused", act(gearboxPoolAbi, "setPaused", [true]), "exits_paused"],
      ["it is lent out", lendAll(gearboxPoolAbi), "no_liquidity"],
    ],
  },
  {
    ...{ adapter: "euler", deploy: deployStandard({ abi: eulerVaultAbi, code: eulerVaultCreationCode }) },
    cases: [
      [
        "redemptions are disabled",
        act(eulerVaultAbi, "setHook", [zeroAddress, OP_REDEEM, zeroAddress]),
        "exits_paused",
      ],
      ["it is lent out", lendAll(eulerVaultAbi), "no_liquidity"],
    ],
  },
  ...(["euler_earn", "metamorpho"] as const).map(
    (adapter): RefusingVault => ({
      ...{ adapter, deploy: deployStandard({ abi: eulerEarnVaultAbi, code: eulerEarnVaultCreationCode }) },
      cases: [["its markets are lent out", lendAll(eulerEarnVaultAbi), "no_liquidity"]],
    }),
  ),
  {
    ...{ adapter: "silo", deploy: deployStandard({ abi: siloVaultAbi, code: siloVaultCreationCode }) },
    cases: [["it is lent out", lendAll(siloVaultAbi), "no_liquidity"]],
  },
  {
    ...{ adapter: "yearn_v3", deploy: deployStandard({ abi: yearnVaultAbi, code: yearnVaultCreationCode }) },
    cases: [["its strategies are lent out", lendAll(yearnVaultAbi), "no_liquidity"]],
  },
  {
    adapter: "yearn_v3",
    deploy: deployStandard({ abi: yearnStrategyAbi, code: yearnStrategyCreationCode }),
    cases: [
      ["a strategy is paused", act(yearnStrategyAbi, "setPaused", [true]), "exits_paused"],
      ["a strategy is shut down", act(yearnStrategyAbi, "shutdownStrategy"), null],
      ["a strategy is lent out", lendAll(yearnStrategyAbi), "no_liquidity"],
    ],
  },
  {
    ...{ adapter: "morpho_v2", deploy: morphoV2 },
    cases: [
      ["a gate stops the account", act(vaultV2Abi, "setGated", [true]), "not_allowed"],
      ["it is lent out", lendAll(vaultV2Abi), "no_liquidity"],
    ],
  },
  {
    ...{ adapter: "spark", deploy: deployStandard({ abi: savingsTokenAbi, code: savingsTokenCreationCode }) },
    cases: [["its assets are taken", drain(), "no_liquidity"]],
  },
  {
    ...{ adapter: "fluid", deploy: deployStandard({ abi: fluidTokenAbi, code: fluidTokenCreationCode }) },
    cases: [
      ["the limit is reached", act(fluidTokenAbi, "setBeneath", [11_003n]), "no_liquidity"],
      ["its account is paused", act(fluidTokenAbi, "setBeneath", [11_002n]), "exits_paused"],
      ["all of Fluid is paused", act(fluidTokenAbi, "setBeneath", [12_001n]), "exits_paused"],
    ],
  },
];
