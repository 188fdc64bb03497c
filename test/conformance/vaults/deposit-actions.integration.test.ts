import { type Address, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lagoonVaultAbi, lagoonVaultV6Abi } from "#stand-ins/erc7540";
import {
  eulerVaultAbi,
  eulerVaultCreationCode,
  fluidTokenAbi,
  fluidTokenCreationCode,
  siloVaultAbi,
  siloVaultCreationCode,
} from "#stand-ins/lending";
import { vaultV2Abi, vaultV2CreationCode } from "#stand-ins/morpho-v2";
import { solmateVaultAbi, solmateVaultCreationCode } from "#stand-ins/standard";
import { actionsOf, ask } from "../../support/conformance/vaults/deposit.ts";
import { deployLagoon } from "../../support/conformance/vaults/erc7540-stand-in.ts";
import type { Placed } from "../../support/conformance/vaults/family.ts";
import { deployStandard, set } from "../../support/conformance/vaults/standard.ts";
import { place } from "../../support/conformance/vaults/suite.ts";
import { mint } from "../../support/conformance/vaults/use.ts";
import { startWorld, type World } from "../../support/conformance/vaults/world.ts";
import { act, type Change, type RefusingVault } from "../../support/withdrawals/vault-changes.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

/** An account that holds nothing. */
const NEWCOMER: Address = "0x00000000000000000000000000000000000a0001";
/** A hook that admits one account only. */
const HOOK: Address = "0x00000000000000000000000000000000000000aa";
/** What the vaults hold. */
const HELD = 107_310_000_000n;

/** Raises the worth of the smallest unit of shares, of which there are 10^11, to so much of the asset. */
const inflate =
  (worth: bigint): Change =>
  ({ asset, vault }) =>
    world.script((script) => mint(script, { token: asset, to: vault, amount: worth * 10n ** 11n }));

const both =
  (...changes: readonly Change[]): Change =>
  async (placed, user) => {
    for (const change of changes) await change(placed, user);
  };

/** Vaults whose deposits change so that only a simulation shows it. */
const vaults: readonly RefusingVault[] = [
  {
    ...{ adapter: "fluid", deploy: deployStandard({ abi: fluidTokenAbi, code: fluidTokenCreationCode }) },
    cases: [
      ["its account is paused", act(fluidTokenAbi, "setBeneath", [11_002n]), "vault_paused"],
      ["all of Fluid is paused", act(fluidTokenAbi, "setBeneath", [12_001n]), "vault_paused"],
      ["it refuses for another reason", act(fluidTokenAbi, "setBeneath", [11_001n]), "would_revert"],
      ["it demands more than a small amount", act(fluidTokenAbi, "setMinDeposit", [10n ** 9n]), null],
    ],
  },
  {
    adapter: "morpho_v2",
    deploy: deployStandard({ abi: vaultV2Abi, code: vaultV2CreationCode }, () => 18),
    cases: [
      ["its cap is 0", act(vaultV2Abi, "setAbsoluteCap", [0n]), "above_maximum"],
      ["its cap leaves half a token", act(vaultV2Abi, "setAbsoluteCap", [HELD + 500_000n]), null],
      [
        "its gates admit the account, but not the caller",
        both(act(vaultV2Abi, "setGated", [true]), (placed, user) =>
          set(placed, { abi: vaultV2Abi, name: "admit", args: [user, true] }),
        ),
        "not_allowed",
      ],
    ],
  },
  {
    ...{ adapter: "euler", deploy: deployStandard({ abi: eulerVaultAbi, code: eulerVaultCreationCode }) },
    cases: [
      ["its hook admits another account", act(eulerVaultAbi, "setHook", [HOOK, 1, HOOK]), "would_revert"],
    ],
  },
  {
    ...{ adapter: "silo", deploy: deployStandard({ abi: siloVaultAbi, code: siloVaultCreationCode }) },
    cases: [["its hook refuses", act(siloVaultAbi, "setRefusing", [true]), "would_revert"]],
  },
  {
    ...{ adapter: "lagoon", deploy: deployLagoon({ version: "0.6" }) },
    cases: [
      ["deposits are requests", act(lagoonVaultAbi, "expireTotalAssets"), null],
      [
        "deposits are requests, and its cap is reached",
        both(act(lagoonVaultAbi, "expireTotalAssets"), act(lagoonVaultV6Abi, "updateMaxCap", [HELD + 11n])),
        "above_maximum",
      ],
    ],
  },
  {
    adapter: "erc4626",
    deploy: deployStandard({ abi: solmateVaultAbi, code: solmateVaultCreationCode }),
    cases: [
      ["it mints nothing for a small amount", inflate(1_200_000n), null],
      ["it mints nothing for a large amount", inflate(1_500_000_000n), "zero_shares"],
    ],
  },
];

/** What builds of several amounts say: null if one accepts any of them, else their codes. */
async function buildCodes(placed: Placed): Promise<unknown[] | null> {
  const codes = new Set<unknown>();
  for (const amount of [1_000n, 10n ** 6n, 10n ** 9n]) {
    const { status, body } = await ask({ placed, user: NEWCOMER, amount });
    if (status === 200) return null;
    codes.add(body["code"]);
  }
  return [...codes];
}

describe.each(vaults)("$adapter", ({ adapter, deploy, cases }) => {
  test.each(cases)("%s: the action to deposit names what builds say", async (_, change, code) => {
    const family = { name: "A vault", adapter, type: "custom", deploy } as const;
    const placed = await place(world, { family, decimals: 6 });
    expect((await actionsOf(placed, NEWCOMER)).deposit).toMatchObject({ allowed: true, code: null });
    await change(placed, NEWCOMER);
    expect(await buildCodes(placed)).toEqual(code === null ? null : [code]);
    const { deposit } = await actionsOf(placed, NEWCOMER);
    expect(deposit).toMatchObject({ allowed: code === null, code });
  });
});

test("no deposit is possible for an address that builds do not take", async () => {
  const deploy = deployStandard({ abi: solmateVaultAbi, code: solmateVaultCreationCode });
  const family = { name: "A vault", adapter: "erc4626", type: "custom", deploy } as const;
  const placed = await place(world, { family, decimals: 6 });
  for (const user of [zeroAddress, placed.vault, placed.asset.address]) {
    expect(await ask({ placed, user, amount: 10n ** 6n })).toMatchObject({ status: 422 });
    expect((await actionsOf(placed, user)).deposit).toMatchObject({ allowed: false, code: "not_allowed" });
  }
});
