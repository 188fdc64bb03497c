import { type Address, encodeDeployData, encodeFunctionData, getContractAddress } from "viem";
import {
  accountableStrategyCreationCode,
  accountableVaultCreationCode,
  accountableStrategyAbi as strategyAbi,
  accountableVaultAbi as vaultAbi,
} from "#stand-ins/accountable";
import type { Token } from "../../../src/vaults/vault.ts";
import type { Family, Placed, StandIn } from "../../support/conformance/vaults/family.ts";
import {
  convertedBy,
  deployOn,
  firstDeposit,
  priceOf,
  set,
  standard,
  when,
} from "../../support/conformance/vaults/standard.ts";
import { conformance } from "../../support/conformance/vaults/suite.ts";
import { use, whole } from "../../support/conformance/vaults/use.ts";
import type { World } from "../../support/conformance/vaults/world.ts";

const contract = { abi: vaultAbi, code: accountableVaultCreationCode } as const;

/** Has lent out most of what it took, so that `totalAssets` is a fraction of what the shares are worth. */
function deploy(world: World, asset: Token): Promise<StandIn> {
  return world.script((script) => {
    const code = { abi: strategyAbi, bytecode: accountableStrategyCreationCode } as const;
    const strategy = script.deploy("strategy", encodeDeployData(code));
    const vault = deployOn(script, { contract, asset, more: [strategy] });
    use(script, { token: asset, vault, data: firstDeposit(script, asset) });
    const args = [whole(asset, 90_000n), whole(asset, 1_234n)] as const;
    script.send("lend", {
      to: vault,
      data: encodeFunctionData({ abi: vaultAbi, functionName: "lend", args }),
    });
    const share = getContractAddress({ from: vault, nonce: 1n }).toLowerCase();
    const row = { address: vault, shareToken: share, shareDecimals: asset.decimals };
    return { row, owner: script.deployer, parts: { strategy } };
  });
}

const loan = (name: string, terms: { minimum?: bigint; capacity?: bigint; open?: boolean }) => ({
  name,
  enter: (placed: Placed) =>
    set(placed, {
      abi: strategyAbi,
      name: "setLoan",
      args: [terms.minimum ?? 0n, terms.capacity ?? 10n ** 30n, terms.open ?? true],
      on: placed.parts["strategy"],
    }),
});

async function level(placed: Placed, input: { level: number; allowed?: Address }): Promise<void> {
  await set(placed, { abi: vaultAbi, name: "setPermissionLevel", args: [input.level] });
  if (input.allowed !== undefined)
    await set(placed, { abi: vaultAbi, name: "setAllowed", args: [input.allowed, true] });
}

const routed: Family = {
  ...standard,
  name: "Accountable",
  adapter: "accountable",
  type: "accountable",
  decimals: [6, 18, 8, 0],
  deploy,
  async shown(placed) {
    const { world, vault, shareToken, row, asset } = placed;
    const supply = await world.client.readContract({
      address: vault,
      abi: vaultAbi,
      functionName: "totalSupply",
    });
    const wholeShares = 10n ** BigInt(12 + Math.max(0, 6 - asset.decimals));
    const assets = await convertedBy(placed, wholeShares * 10n ** BigInt(row.shareDecimals));
    return {
      share_token: shareToken,
      total_supply: String(supply),
      total_assets: String(await convertedBy(placed, supply)),
      share_price: priceOf(placed, { assets, wholeShares }),
    };
  },
  // Requested, settled and claimed: nothing comes out at once.
  withdrawal: () => null,
  states: [
    {
      name: "a strategy that is paused",
      enter: (placed) =>
        set(placed, {
          abi: strategyAbi,
          name: "setPaused",
          args: [true],
          on: placed.parts["strategy"],
        }),
      refused: { code: "vault_paused" },
      shown: { paused: true, max_deposit: "0" },
    },
    {
      ...loan("with a loan that takes larger deposits", { minimum: 2_000_000_000n }),
      refused: { code: "below_minimum", min_deposit: "2000000000" },
      shown: { min_deposit: "2000000000", no_minimum: false },
    },
    {
      ...when("with a minimum of its own", { abi: vaultAbi, call: "setMinimum", args: [3_000_000_000n] }),
      refused: { code: "below_minimum", min_deposit: "3000000000" },
      shown: { min_deposit: "3000000000" },
    },
    {
      ...loan("short of capacity", { capacity: 108_544_000_013n }),
      refused: { code: "above_maximum", max_deposit: "13" },
      shown: { max_deposit: "13" },
    },
    { ...loan("with a loan that is closed", { open: false }), refused: { code: "vault_paused" } },
    {
      name: "a stale valuation",
      enter: (placed) =>
        set(placed, { abi: strategyAbi, name: "setStale", args: [true], on: placed.parts["strategy"] }),
      refused: { code: "price_stale" },
    },
    {
      name: "a permission level that needs a signature",
      enter: (placed) => level(placed, { level: 1 }),
      refused: { code: "not_allowed" },
      shown: { paused: false },
    },
    {
      name: "a whitelist without the user",
      enter: (placed) => level(placed, { level: 2 }),
      refused: { code: "not_allowed" },
    },
    {
      // The Router's clone is not.
      name: "a whitelist that contains the user",
      enter: (placed, user) => level(placed, { level: 2, allowed: user }),
      refused: { code: "not_allowed" },
    },
  ],
};

const direct: Family = {
  ...routed,
  name: "Accountable, called by the user",
  decimals: [6],
  async deploy(world, asset) {
    const made = await deploy(world, asset);
    return { ...made, row: { ...made.row, caller: "user" } };
  },
  states: [
    {
      name: "a whitelist that contains the user",
      enter: (placed, user) => level(placed, { level: 2, allowed: user }),
      refused: null,
    },
    {
      name: "a whitelist without the user",
      enter: (placed) => level(placed, { level: 2 }),
      refused: { code: "not_allowed" },
    },
  ],
};

conformance([routed, direct]);
