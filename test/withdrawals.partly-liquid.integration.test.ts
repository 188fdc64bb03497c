import { type Abi, type Address, encodeFunctionData, erc20Abi } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  eulerEarnVaultAbi,
  eulerEarnVaultCreationCode,
  eulerVaultAbi,
  eulerVaultCreationCode,
  gearboxPoolAbi,
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
import { VaultActions } from "../src/schemas/position-schema.ts";
import { sampleAmount, vaultIdOf } from "./support/conformance/vaults/deposit.ts";
import type { Placed } from "./support/conformance/vaults/family.ts";
import { deployMellow } from "./support/conformance/vaults/mellow-stand-in.ts";
import { deployStandard, set } from "./support/conformance/vaults/standard.ts";
import { place } from "./support/conformance/vaults/suite.ts";
import { deployVedaTeller } from "./support/conformance/vaults/veda-exits-stand-in.ts";
import { startWorld, type World } from "./support/conformance/vaults/world.ts";
import { balanceOf } from "./support/e2e/balances.ts";
import { extendDeadlines } from "./support/patient-deadlines.ts";
import { confirm, Holder } from "./support/withdrawals/holder.ts";
import { gearbox } from "./support/withdrawals/refusing-lenders.ts";
import type { RefusingVault } from "./support/withdrawals/vault-changes.ts";

/** The largest withdrawal of vaults that hold a part of what a user's shares are worth. */
const SINK: Address = "0x00000000000000000000000000000000000a11ce";
const AMOUNT = sampleAmount(6);
/** What the vault still holds: a little more than a third of the deposit. */
const LEFT = AMOUNT / 3n + 7n;

let world: World;
let restoreDeadlines = (): void => undefined;
beforeAll(async () => {
  restoreDeadlines = extendDeadlines();
  world = await startWorld();
});
afterAll(async () => {
  await world?.close();
  restoreDeadlines();
});

type Kind = Omit<RefusingVault, "cases"> & { leave: (placed: Placed) => Promise<unknown> };

/** Lends out all that the vault holds but `LEFT`. */
const lending =
  (abi: Abi): Kind["leave"] =>
  async (placed) => {
    const held = await balanceOf(world, { token: placed.asset.address, owner: placed.vault });
    await set(placed, { abi, name: "lend", args: [held - LEFT] });
  };

/** Takes all but `LEFT` out of the vault or of a part of it. */
const taking =
  (part?: string): Kind["leave"] =>
  async ({ asset, vault, parts }) => {
    const owner = part === undefined ? vault : (parts[part] as Address);
    const held = await balanceOf(world, { token: asset.address, owner });
    const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [SINK, held - LEFT] });
    await world.send(owner, { to: asset.address, data });
  };

const earn = deployStandard({ abi: eulerEarnVaultAbi, code: eulerEarnVaultCreationCode });
const shown: readonly Kind[] = [
  { adapter: "gearbox", deploy: gearbox, leave: lending(gearboxPoolAbi) },
  {
    ...{ adapter: "euler", leave: lending(eulerVaultAbi) },
    deploy: deployStandard({ abi: eulerVaultAbi, code: eulerVaultCreationCode }),
  },
  { adapter: "metamorpho", deploy: earn, leave: lending(eulerEarnVaultAbi) },
  { adapter: "euler_earn", deploy: earn, leave: lending(eulerEarnVaultAbi) },
  {
    ...{ adapter: "silo", leave: lending(siloVaultAbi) },
    deploy: deployStandard({ abi: siloVaultAbi, code: siloVaultCreationCode }),
  },
  {
    ...{ adapter: "yearn_v3", leave: lending(yearnVaultAbi) },
    deploy: deployStandard({ abi: yearnVaultAbi, code: yearnVaultCreationCode }),
  },
  {
    ...{ adapter: "aave_stata", leave: lending(stataTokenAbi) },
    deploy: deployStandard({ abi: stataTokenAbi, code: stataTokenCreationCode }),
  },
  {
    ...{ adapter: "spark", leave: taking() },
    deploy: deployStandard({ abi: savingsTokenAbi, code: savingsTokenCreationCode }),
  },
  {
    ...{ adapter: "mellow", type: "lido", leave: taking("redeem") },
    deploy: deployMellow({ queue: "sync", caller: "user" }),
  },
  { adapter: "veda", type: "veda", deploy: deployVedaTeller, leave: taking() },
];

async function holderAt({ adapter, deploy, type = "custom" }: Kind): Promise<Holder> {
  const family = { name: "A vault", adapter, type, deploy } as const;
  const one = await Holder.with(await place(world, { family, decimals: 6 }), AMOUNT);
  await one.deposit(AMOUNT);
  await confirm(one.placed);
  return one;
}

async function withdrawalOf({ placed, address }: Holder) {
  const response = await world.fresh().send(`/v1/actions/${address}/${vaultIdOf(placed)}`);
  return VaultActions.parse(await response.json()).withdraw;
}

test.each(shown.map((kind) => [kind.adapter, kind] as const))(
  "%s: the largest withdrawal is what a build accepts and pays, to a few units of the asset",
  async (_name, kind) => {
    const one = await holderAt(kind);
    const shares = await one.held("share");
    await kind.leave(one.placed);
    const { allowed, mode, max } = await withdrawalOf(one);
    expect({ allowed, mode }).toEqual({ allowed: true, mode: "instant" });
    const most = BigInt(max ?? "0");
    expect(most).toBeLessThan(shares);
    const { status, body } = await one.ask(most + 1n + (shares * 4n) / AMOUNT);
    expect([status, body["code"]]).toEqual([400, "no_liquidity"]);
    await one.withdraw(most);
    expect(LEFT - (await one.held("asset"))).toBeLessThanOrEqual(3n);
  },
);

const vaultV2 = deployStandard({ abi: vaultV2Abi, code: vaultV2CreationCode }, () => 18);

/** Lends out all that the vault holds but `LEFT`, which is in the market of its liquidity adapter. */
const adapted: Kind["leave"] = async (placed) => {
  await lending(vaultV2Abi)(placed);
  await set(placed, { abi: vaultV2Abi, name: "supply", args: [LEFT] });
};

test.each<[string, Kind]>([
  ["morpho_v2", { adapter: "morpho_v2", deploy: vaultV2, leave: lending(vaultV2Abi) }],
  ["morpho_v2 with an adapter", { adapter: "morpho_v2", deploy: vaultV2, leave: adapted }],
])("%s: a part of the shares can leave where no view shows how many", async (_name, kind) => {
  const one = await holderAt(kind);
  const shares = await one.held("share");
  await kind.leave(one.placed);
  const { status, body } = await one.ask("all");
  expect([status, body["code"], body["available"]]).toEqual([400, "no_liquidity", null]);
  const { allowed, mode, max, reason } = await withdrawalOf(one);
  expect({ allowed, mode }).toEqual({ allowed: true, mode: "instant" });
  expect(reason).toMatch(/more may be possible/);
  // A little more than a third can be paid.
  const most = BigInt(max ?? "0");
  expect(most).toBeLessThanOrEqual(shares / 3n + shares / 1_000n);
  expect(most).toBeGreaterThanOrEqual((shares * 31n) / 100n);
  await one.withdraw(most);
});

test("the largest withdrawal is unknown, and not zero, where no view shows it and no part can leave", async () => {
  const leave: Kind["leave"] = async (placed) => {
    const held = await balanceOf(world, { token: placed.asset.address, owner: placed.vault });
    await set(placed, { abi: vaultV2Abi, name: "lend", args: [held] });
  };
  const one = await holderAt({ adapter: "morpho_v2", deploy: vaultV2, leave });
  await leave(one.placed);
  expect(await withdrawalOf(one)).toMatchObject({ allowed: false, code: "no_liquidity", max: null });
});
