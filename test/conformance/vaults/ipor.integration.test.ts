import { type Address, encodeDeployData } from "viem";
import {
  plasmaAccessManagerAbi as managerAbi,
  plasmaAccessManagerCreationCode,
  plasmaVaultAbi,
  plasmaVaultCreationCode,
} from "#stand-ins/ipor";
import type { Token } from "../../../src/vaults/vault.ts";
import type { Family, Placed, StandIn } from "../../support/conformance/vaults/family.ts";
import { deployOn, firstDeposit, set, standard, when } from "../../support/conformance/vaults/standard.ts";
import { conformance } from "../../support/conformance/vaults/suite.ts";
import { use } from "../../support/conformance/vaults/use.ts";
import type { World } from "../../support/conformance/vaults/world.ts";

const contract = { abi: plasmaVaultAbi, code: plasmaVaultCreationCode } as const;

function deploy(world: World, asset: Token): Promise<StandIn> {
  return world.script((script) => {
    const code = { abi: managerAbi, bytecode: plasmaAccessManagerCreationCode } as const;
    const manager = script.deploy("access manager", encodeDeployData(code));
    const vault = deployOn(script, { contract, asset, more: [manager] });
    use(script, { token: asset, vault, data: firstDeposit(script, asset) });
    const row = { address: vault, shareDecimals: asset.decimals + 2 };
    return { row, owner: script.deployer, parts: { manager } };
  });
}

/** A private vault: some callers have the role. */
async function onlyFor(placed: Placed, callers: readonly Address[]): Promise<void> {
  const on = placed.parts["manager"];
  await set(placed, { abi: managerAbi, name: "setOpen", args: [false], on });
  for (const caller of callers)
    await set(placed, { abi: managerAbi, name: "setWhitelisted", args: [caller, true], on });
}

const open: Family = {
  ...standard,
  name: "a Plasma vault",
  adapter: "ipor",
  type: "ipor",
  decimals: [6, 18, 8, 0],
  deploy,
  states: [
    {
      name: "closed by its access manager",
      enter: ({ vault, ...placed }) =>
        set(
          { vault, ...placed },
          { abi: managerAbi, name: "setTargetClosed", args: [vault, true], on: placed.parts["manager"] },
        ),
      refused: { code: "vault_paused" },
      shown: { paused: true, max_deposit: "0" },
    },
    {
      // The Router's clone is who calls, and no role can be given to what does not exist yet.
      name: "private, the user among its callers",
      enter: (placed, user) => onlyFor(placed, [user]),
      refused: { code: "not_allowed" },
      shown: { paused: false },
    },
    {
      ...when("short of room under its supply cap", {
        abi: plasmaVaultAbi,
        call: "setSupplyCap",
        args: [10_000_000_000_100n],
      }),
      refused: { code: "above_maximum", max_deposit: "1" },
    },
    {
      ...when("with a deposit fee of 1 %, which its preview leaves out of the shares", {
        abi: plasmaVaultAbi,
        call: "setFee",
        args: [100n],
      }),
      refused: null,
    },
    {
      ...when("with a deposit fee of 5 %", { abi: plasmaVaultAbi, call: "setFee", args: [500n] }),
      refused: { code: "price_unsafe" },
    },
    {
      // Whoever receives again has no use of what is locked meanwhile; the deposit itself works.
      name: "locking what its receivers hold",
      enter: (placed) =>
        set(placed, {
          abi: managerAbi,
          name: "setRedemptionDelay",
          args: [86_400n],
          on: placed.parts["manager"],
        }),
      refused: null,
    },
  ],
};

const privateOne: Family = {
  ...open,
  name: "a private Plasma vault, called by the user",
  decimals: [6],
  async deploy(world, asset) {
    const made = await deploy(world, asset);
    return { ...made, row: { ...made.row, caller: "user" } };
  },
  states: [
    {
      name: "without a role for the user",
      enter: (placed) => onlyFor(placed, []),
      refused: { code: "not_allowed" },
      shown: { external_router: true },
    },
    { name: "with a role for the user", enter: (placed, user) => onlyFor(placed, [user]), refused: null },
  ],
};

conformance([open, privateOne]);
