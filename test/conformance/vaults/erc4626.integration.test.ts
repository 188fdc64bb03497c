import { pausableVaultAbi } from "#stand-ins/standard";
import {
  type Erc4626Kind,
  shareDecimals,
  vaultDeployData,
} from "../../../scripts/stack/chains/vault-kinds.ts";
import type { Token } from "../../../src/vaults/vault.ts";
import type { Family, StandIn } from "../../support/conformance/vaults/family.ts";
import {
  firstDeposit,
  initialState,
  set,
  standard,
  when,
} from "../../support/conformance/vaults/standard.ts";
import { conformance } from "../../support/conformance/vaults/suite.ts";
import { use, whole } from "../../support/conformance/vaults/use.ts";
import type { World } from "../../support/conformance/vaults/world.ts";

/** Libraries' own vaults, or thin subclasses of them. */
function deployer(kindFor: (asset: Token) => Erc4626Kind) {
  return (world: World, asset: Token): Promise<StandIn> =>
    world.script((script) => {
      const kind = kindFor(asset);
      const vault = script.deploy("vault", vaultDeployData(kind, [asset.address, "A vault", "V"]));
      use(script, { token: asset, vault, data: firstDeposit(script, asset) });
      const row = { address: vault, shareDecimals: shareDecimals(kind, asset.decimals) };
      return { row, owner: script.deployer, parts: {} };
    });
}

const generic = { adapter: "erc4626", type: "custom", ...standard } as const;

const families: readonly Family[] = [
  {
    ...generic,
    name: "OpenZeppelin's vault without offset, which may be paused",
    decimals: [6, 18, 8, 0],
    deploy: deployer(() => ({ kind: "pausable", offset: 0 })),
    states: [
      {
        ...when("paused", { abi: pausableVaultAbi, call: "pause" }),
        refused: { code: "vault_paused" },
        shown: { paused: true, max_deposit: "0" },
      },
      {
        name: "paused and opened again",
        enter: async (placed) => {
          await set(placed, { abi: pausableVaultAbi, name: "pause" });
          await set(placed, { abi: pausableVaultAbi, name: "unpause" });
        },
        refused: null,
        shown: { paused: false },
      },
      {
        ...initialState("a deposit that would mint zero shares"),
        amount: () => 1n,
        refused: { code: "zero_shares" },
      },
    ],
  },
  {
    ...generic,
    name: "OpenZeppelin's vault with an offset of 6 and a cap",
    decimals: [6, 18, 0],
    deploy: deployer((asset) => ({ kind: "capped", offset: 6, cap: whole(asset, 110_000n) })),
    states: [
      {
        ...initialState("a deposit above the limit"),
        amount: () => 2_690_000_001n,
        refused: { code: "above_maximum", max_deposit: "2690000000" },
        shown: { max_deposit: "2690000000" },
      },
      {
        ...initialState("a deposit of exactly the limit"),
        amount: () => 2_690_000_000n,
        refused: null,
      },
    ],
  },
  {
    ...generic,
    name: "a vault with a minimum that it announces",
    decimals: [6, 18],
    deploy: deployer((asset) => ({ kind: "minimum", offset: 12, minimum: whole(asset, 100n) })),
    states: [
      {
        ...initialState("a deposit below the minimum"),
        amount: () => 99_999_999n,
        refused: { code: "below_minimum", min_deposit: "100000000" },
        shown: { min_deposit: "100000000", no_minimum: false },
      },
      {
        ...initialState("a deposit of exactly the minimum"),
        amount: () => 100_000_000n,
        refused: null,
      },
    ],
  },
  {
    ...generic,
    name: "Solmate's vault",
    decimals: [18, 8, 6],
    deploy: deployer(() => ({ kind: "solmate" })),
    states: [
      {
        ...initialState("a deposit that would mint zero shares"),
        amount: () => 1n,
        refused: { code: "zero_shares" },
      },
    ],
  },
];

conformance(families);
