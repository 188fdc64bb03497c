import { type Hex, pad, zeroHash } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rpc } from "../../../scripts/stack/chains/json-rpc.ts";
import { vaultOf } from "../../support/conformance/vaults/deposit.ts";
import { derivedRow } from "../../support/conformance/vaults/derived.ts";
import { deployIpor } from "../../support/conformance/vaults/exit-stand-ins.ts";
import type { Placed } from "../../support/conformance/vaults/family.ts";
import { place } from "../../support/conformance/vaults/suite.ts";
import { startWorld, type World } from "../../support/conformance/vaults/world.ts";

/** Slots in which a Plasma vault keeps its WithdrawManager: now, and in earlier versions. */
const SLOT = "0x465d2ff0062318fe6f4c7e9ac78cfcd70bc86a1d992722875ef83a9770513100";
const EARLIER_SLOT = "0xb37e8684757599da669b8aea811ee2b3693b2582d2c730fab3f4965fa2ec3e11";
const STRANGER = "0x00000000000000000000000000000000000a11ce";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

/** Writes the registry row of a Plasma vault with a WithdrawManager, with these parameters. */
const placed = (params: Record<string, string>): Promise<Placed> => {
  const deploy: typeof deployIpor = async (where, asset) => {
    const made = await deployIpor(where, asset);
    return { ...made, row: { ...made.row, params } };
  };
  return place(world, { family: { name: "A vault", adapter: "ipor", type: "ipor", deploy }, decimals: 6 });
};
const store = ({ vault }: Placed, slot: Hex, word: Hex) =>
  rpc(world.url, "anvil_setStorageAt", vault, slot, pad(word, { size: 32 }));
const managerOf = ({ parts }: Placed): Hex => (parts["requests"] ?? zeroHash).toLowerCase() as Hex;

test.each([
  ["an entry without one", {}],
  ["an entry with another", { withdraw_manager: STRANGER }],
])("the WithdrawManager that no view names is read from the vault's storage: %s", async (_name, params) => {
  const vault = await placed(params);
  expect((await vaultOf(vault)).params).toEqual(params);
  expect(await derivedRow(vault)).toMatchObject({ params: { withdraw_manager: managerOf(vault) } });
});

test("the WithdrawManager of an earlier version is in another slot", async () => {
  const vault = await placed({});
  await store(vault, SLOT, zeroHash);
  await store(vault, EARLIER_SLOT, managerOf(vault));
  expect(await derivedRow(vault)).toMatchObject({ params: { withdraw_manager: managerOf(vault) } });
});

test("a contract in the slot that the access manager does not treat as the WithdrawManager is none", async () => {
  const vault = await placed({});
  await store(vault, SLOT, STRANGER);
  expect(await derivedRow(vault)).toMatchObject({ params: { withdraw_manager: "" } });
});
