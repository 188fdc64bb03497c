import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tokenizedVaultAbi as vaultAbi, whitelistAbi } from "#stand-ins/upshift";
import type { Token } from "../../../src/vaults/vault.ts";
import type { VaultFlow } from "../../../src/vaults/vault-adapter.ts";
import {
  ask,
  build,
  execute,
  flowsIn,
  positionsOf,
  previewOf,
  sampleAmount,
} from "../../support/conformance/vaults/deposit.ts";
import type { Family, Placed } from "../../support/conformance/vaults/family.ts";
import { set } from "../../support/conformance/vaults/standard.ts";
import { place } from "../../support/conformance/vaults/suite.ts";
import { deployUpshift } from "../../support/conformance/vaults/upshift-stand-in.ts";
import { startWorld, type World } from "../../support/conformance/vaults/world.ts";
import { balanceOf } from "../../support/e2e/balances.ts";
import { answer } from "../../support/vaults/answer.ts";

let world: World;
let placed: Placed;
/** On the vault's own list, and on the registry's alone. */
let taken: Token[];
let unlisted: Token;

beforeAll(async () => {
  world = await startWorld();
  taken = [await world.token(18), await world.token(8), await world.token(2)];
  unlisted = await world.token(6);
  const family: Pick<Family, "name" | "adapter" | "type" | "deploy"> = {
    ...{ name: "Upshift of several tokens", adapter: "upshift", type: "custom" },
    async deploy(on: World, asset: Token) {
      const made = await deployUpshift(on, asset);
      return { ...made, row: { ...made.row, acceptedAssets: [asset, ...taken, unlisted] } };
    },
  };
  placed = await place(world, { family, decimals: 6 });
  const on = placed.parts["list"];
  for (const token of [placed.asset, ...taken])
    await set(placed, { abi: whitelistAbi, name: "set", args: [token.address, true], on });
  await set(placed, {
    abi: vaultAbi,
    name: "setLists",
    args: ["0x0000000000000000000000000000000000000000", on],
  });
});
afterAll(() => world?.close());

/** What an account with an ordinary amount of a token wants. */
async function wanting(token: Token) {
  const amount = sampleAmount(token.decimals);
  const user = await world.user(token, amount);
  return { user, wanted: { placed: { ...placed, asset: token }, user: user.address, amount } };
}

/** Returns what a flow's conversion gives with the chain's present answers. */
async function readAmount(conversion: VaultFlow["conversion"]): Promise<bigint | null> {
  if (conversion === undefined) throw new Error("no conversion");
  const results: Record<string, unknown> = {};
  for (const [name, { to, data, decode }] of Object.entries(conversion.reads))
    results[name] = decode((await world.client.call({ to, data })).data ?? "0x");
  return answer(conversion, results);
}

describe("an Upshift vault with several tokens", () => {
  test.each([0, 1, 2])("accepts each token at its value in the reference token (%s)", async (index) => {
    const token = taken[index];
    if (token === undefined) throw new Error("no such token");
    const { user, wanted } = await wanting(token);
    const preview = await previewOf(wanted);
    const built = await build(wanted);
    const receipt = await execute(placed, { user, built });
    const shares = await balanceOf(world, { token: placed.shareToken, owner: user.address });
    expect(shares).toBe(preview);
    expect(built.estimate.estimated_shares).toBe(String(shares));
    const reference = (wanted.amount * 10n ** 6n) / 10n ** BigInt(token.decimals);
    expect(shares).toBe((reference * 10n ** 6n) / 1_073_100n);
    const [{ conversion, ...flow } = {}, ...others] = await flowsIn(placed, receipt);
    expect([flow, ...others]).toEqual([{ kind: "deposit", user: user.address, assets: null, shares }]);
    // No event shows the amount in units of the reference token: the vault converts it.
    expect(await readAmount(conversion)).toBe(reference);
    const [position] = await positionsOf(placed, user.address);
    expect(position?.current_assets).toBe(String((shares * 1_073_100n) / 10n ** 6n));
  });

  test("refuses a token that only the registry names", async () => {
    const { wanted } = await wanting(unlisted);
    expect((await ask(wanted)).body).toMatchObject({ code: "token_unsupported", status: 400 });
  });

  test("refuses a token that neither registry nor vault names", async () => {
    const { wanted } = await wanting(await world.token(18));
    expect((await ask(wanted)).body).toMatchObject({ code: "no_route" });
  });
});
