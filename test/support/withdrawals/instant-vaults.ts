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
import { vaultV2Abi, vaultV2CreationCode } from "#stand-ins/morpho-v2";
import { solmateVaultAbi, solmateVaultCreationCode } from "#stand-ins/standard";
import { legacyTokenizedVaultAbi, legacyTokenizedVaultCreationCode } from "#stand-ins/upshift";
import { deployLagoon } from "../conformance/vaults/erc7540-stand-in.ts";
import { deployIpor } from "../conformance/vaults/exit-stand-ins.ts";
import type { Deploy } from "../conformance/vaults/leaving.ts";
import { deployMidas } from "../conformance/vaults/midas-stand-in.ts";
import { deployStandard } from "../conformance/vaults/standard.ts";
import { deployUpshift } from "../conformance/vaults/upshift-stand-in.ts";
import { deployVedaTeller } from "../conformance/vaults/veda-exits-stand-in.ts";
import { earnOrLose, type RequestingVault, repriceRate } from "./requesting-vaults.ts";

/** A kind of vault that pays at once. Its accounts never have requests that an operator would settle. */
export type InstantVault = Omit<RequestingVault, "mode"> & { mode: "instant" };

const atOnce = {
  ...({ type: "custom", mode: "instant", joins: null, cancels: null } as const),
  settle: async () => undefined,
} as const;

const standardVault = (adapter: string, deploy: Deploy): InstantVault => ({
  ...{ ...atOnce, name: `${adapter} at once`, adapter, deploy, reprice: earnOrLose },
});

/** A plain vault that pays at once, into which shares of the others are moved. */
export const vaultBeside: InstantVault = {
  ...standardVault("erc4626", deployStandard({ abi: solmateVaultAbi, code: solmateVaultCreationCode })),
  name: "a vault beside",
};

/** All kinds of vaults that pay at once and for which there are stand-ins. */
export const instantVaults: readonly InstantVault[] = [
  standardVault("euler", deployStandard({ abi: eulerVaultAbi, code: eulerVaultCreationCode })),
  standardVault("euler_earn", deployStandard({ abi: eulerEarnVaultAbi, code: eulerEarnVaultCreationCode })),
  standardVault("yearn_v3", deployStandard({ abi: yearnVaultAbi, code: yearnVaultCreationCode })),
  standardVault("aave_stata", deployStandard({ abi: stataTokenAbi, code: stataTokenCreationCode })),
  standardVault("spark", deployStandard({ abi: savingsTokenAbi, code: savingsTokenCreationCode })),
  standardVault("gearbox", deployStandard({ abi: gearboxPoolAbi, code: gearboxPoolCreationCode })),
  standardVault("fluid", deployStandard({ abi: fluidTokenAbi, code: fluidTokenCreationCode })),
  standardVault("silo", deployStandard({ abi: siloVaultAbi, code: siloVaultCreationCode })),
  standardVault(
    "morpho_v2",
    deployStandard({ abi: vaultV2Abi, code: vaultV2CreationCode }, ({ decimals }) => Math.max(18, decimals)),
  ),
  standardVault("erc4626", deployStandard({ abi: solmateVaultAbi, code: solmateVaultCreationCode })),
  standardVault("metamorpho", deployStandard({ abi: eulerEarnVaultAbi, code: eulerEarnVaultCreationCode })),
  { ...standardVault("ipor", deployIpor), type: "ipor" },
  {
    ...{ ...atOnce, name: "Veda at once", adapter: "veda", type: "veda" },
    ...{ deploy: deployVedaTeller, reprice: repriceRate },
  },
  { ...atOnce, name: "Upshift at once", adapter: "upshift", deploy: deployUpshift },
  standardVault(
    "upshift_legacy",
    deployStandard({ abi: legacyTokenizedVaultAbi, code: legacyTokenizedVaultCreationCode }),
  ),
  { ...atOnce, name: "Lagoon at once", adapter: "lagoon", deploy: deployLagoon({ version: "0.6" }) },
  {
    ...{ ...atOnce, name: "Midas at once", adapter: "midas", type: "midas" },
    deploy: deployMidas({ deposit: "instant", recipient: "argument", caller: "router" }),
  },
];
