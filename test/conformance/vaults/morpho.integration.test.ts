import { encodeFunctionData, erc4626Abi, parseAbi } from "viem";
import { forward } from "../../../scripts/stack/chains/anvil.ts";
import {
  accrue,
  createMarket,
  deployMetaMorpho,
  deployMorpho,
  openMetaMorpho,
  TIMELOCK,
} from "../../../scripts/stack/chains/morpho.ts";
import type { Token } from "../../../src/vaults/vault.ts";
import type { StandIn } from "./family.ts";
import { set, standard } from "./standard.ts";
import { conformance } from "./suite.ts";
import { fund, whole } from "./use.ts";
import type { World } from "./world.ts";

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
    await forward(world.url, TIMELOCK + 1);
    openMetaMorpho(script, vault, market);
    fund(script, { token: asset, spender: vault, amount: whole(asset, 107_310n) });
    const args = [whole(asset, 100_000n), script.deployer] as const;
    const data = encodeFunctionData({ abi: erc4626Abi, functionName: "deposit", args });
    script.send("deposit", { to: vault, data });
    fund(script, { token: asset, spender: morpho, amount: 0n });
    accrue(script, { morpho, market, vault, amount: whole(asset, 7_310n) });
    const row = { address: vault, shareDecimals: Math.max(18, asset.decimals) };
    return { row, owner: script.deployer, parts: {} };
  });
}

conformance([
  {
    ...standard,
    name: "MetaMorpho 1.0",
    adapter: "metamorpho",
    type: "morpho",
    decimals: [6, 18, 8, 0],
    deploy: deployReal,
    states: [
      {
        name: "asked for more than its caps",
        enter: async () => undefined,
        amount: () => 20_000_000_001n,
        refused: { code: "above_maximum", max_deposit: "20000000000" },
        shown: { max_deposit: "20000000000", min_deposit: "0", no_minimum: true },
      },
      {
        name: "asked for all of its caps",
        enter: async () => undefined,
        amount: () => 20_000_000_000n,
        refused: null,
      },
      {
        name: "without a supply queue",
        enter: (placed) => set(placed, { abi: metaMorphoAbi, name: "setSupplyQueue", args: [[]] }),
        refused: { code: "above_maximum", max_deposit: "0" },
        shown: { max_deposit: "0", paused: false },
      },
    ],
  },
]);
