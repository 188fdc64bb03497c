import { type Address, parseAbi } from "viem";
import { vaultV2Abi, vaultV2CreationCode } from "#stand-ins/morpho-v2";
import { advanceTime } from "../../../scripts/stack/chains/anvil.ts";
import {
  accrue,
  createMarket,
  deployMetaMorpho,
  deployMorpho,
  openMetaMorpho,
  TIMELOCK,
} from "../../../scripts/stack/chains/morpho.ts";
import type { Token } from "../../../src/vaults/vault.ts";
import type { Family, Placed, StandIn } from "../../support/conformance/vaults/family.ts";
import {
  deployStandard,
  firstDeposit,
  initialState,
  set,
  standard,
  when,
} from "../../support/conformance/vaults/standard.ts";
import { conformance } from "../../support/conformance/vaults/suite.ts";
import { fund, whole } from "../../support/conformance/vaults/use.ts";
import type { World } from "../../support/conformance/vaults/world.ts";

const metaMorphoAbi = parseAbi(["function setSupplyQueue(bytes32[] newSupplyQueue)"]);

/** The real MetaMorpho 1.0 over one market of the real Morpho Blue, its cap 20,000 above what it holds. */
function deployReal(world: World, asset: Token): Promise<StandIn> {
  return world.script(async (script) => {
    const { morpho, oracle } = deployMorpho(script);
    const collateralToken = morpho;
    const market = createMarket(script, { morpho, oracle, loanToken: asset.address, collateralToken });
    const cap = whole(asset, 127_310n);
    const vault = deployMetaMorpho(script, { morpho, market, name: "A vault", symbol: "V", cap });
    await script.flush();
    await advanceTime(world.url, TIMELOCK + 1);
    openMetaMorpho(script, vault, market);
    fund(script, { token: asset, spender: vault, amount: whole(asset, 107_310n) });
    script.send("deposit", { to: vault, data: firstDeposit(script, asset) });
    fund(script, { token: asset, spender: morpho, amount: 0n });
    accrue(script, { morpho, market, vault, amount: whole(asset, 7_310n) });
    const row = { address: vault, shareDecimals: Math.max(18, asset.decimals) };
    return { row, owner: script.deployer, parts: {} };
  });
}

const v2 = { abi: vaultV2Abi, code: vaultV2CreationCode } as const;
const gated = async (placed: Placed, admitted: readonly Address[]) => {
  await set(placed, { abi: vaultV2Abi, name: "setGated", args: [true] });
  for (const account of admitted)
    await set(placed, { abi: vaultV2Abi, name: "admit", args: [account, true] });
};

const vaultV2: Family = {
  ...standard,
  name: "Vault V2, whose limits are always 0",
  adapter: "morpho_v2",
  type: "morpho",
  decimals: [6, 18, 8, 0],
  deploy: deployStandard(v2, ({ decimals }) => Math.max(18, decimals)),
  states: [
    {
      name: "with gates that admit nobody",
      enter: (placed) => gated(placed, []),
      refused: { code: "not_allowed" },
      shown: { paused: false, max_deposit: null },
    },
    {
      // The Router's clone pays.
      name: "with gates that admit the receiver alone",
      enter: (placed, user) => gated(placed, [user]),
      refused: { code: "not_allowed" },
    },
    {
      ...when("over its cap", { abi: vaultV2Abi, call: "setAbsoluteCap", args: [107_310_000_001n] }),
      refused: { code: "above_maximum", max_deposit: null },
    },
    {
      ...when("without a cap", { abi: vaultV2Abi, call: "setAbsoluteCap", args: [0n] }),
      refused: { code: "above_maximum", max_deposit: null },
    },
    {
      ...when("owing fee shares", { abi: vaultV2Abi, call: "setUnaccruedShares", args: [10n ** 22n] }),
      refused: null,
    },
  ],
};

/** The same, called by the user directly: gates then see who it is. */
const gatedV2: Family = {
  ...vaultV2,
  name: "Vault V2 with gates, called by the user",
  decimals: [6],
  async deploy(world, asset) {
    const made = await vaultV2.deploy(world, asset);
    return { ...made, row: { ...made.row, caller: "user" } };
  },
  states: [
    {
      name: "with gates that admit nobody",
      enter: (placed) => gated(placed, []),
      refused: { code: "not_allowed" },
    },
    {
      name: "with gates that admit the user",
      enter: (placed, user) => gated(placed, [user]),
      refused: null,
      shown: { external_router: true },
    },
  ],
};

conformance([
  vaultV2,
  gatedV2,
  {
    ...standard,
    name: "MetaMorpho 1.0",
    adapter: "metamorpho",
    type: "morpho",
    decimals: [6, 18, 8, 0],
    deploy: deployReal,
    states: [
      {
        ...initialState("asked for more than its caps"),
        amount: () => 20_000_000_001n,
        refused: { code: "above_maximum", max_deposit: "20000000000" },
        shown: { max_deposit: "20000000000", min_deposit: "0", no_minimum: true },
      },
      {
        ...initialState("asked for all of its caps"),
        amount: () => 20_000_000_000n,
        refused: null,
      },
      {
        ...when("without a supply queue", { abi: metaMorphoAbi, call: "setSupplyQueue", args: [[]] }),
        refused: { code: "above_maximum", max_deposit: "0" },
        shown: { max_deposit: "0", paused: false },
      },
    ],
  },
]);
