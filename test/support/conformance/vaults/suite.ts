import { type Address, erc20Abi, getAddress, parseEventLogs } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SeedRow } from "../../../../scripts/db/seed-row.ts";
import { rpc } from "../../../../scripts/stack/chains/json-rpc.ts";
import type { Token } from "../../../../src/vaults/vault.ts";
import { balanceOf } from "../../e2e/balances.ts";
import type { TestUser } from "../../e2e/chain.ts";
import {
  actionsOf,
  ask,
  build,
  depositUnbuilt,
  detailOf,
  execute,
  flowsIn,
  positionsOf,
  previewOf,
  sampleAmount,
  statusOf,
  vaultIdOf,
} from "./deposit.ts";
import { derivedRow, storedRow } from "./derived.ts";
import type { Family, Placed } from "./family.ts";
import { startWorld, type World } from "./world.ts";

/**
 * Defines the tests that every vault family must pass: the vault detail equals the contracts' values; a deposit mints
 * the previewed shares; the position has the family's own value; events become flows; and each limit, pause and
 * permission is rejected with its own error code, which the user's actions give too.
 */
export function conformance(families: readonly Family[]): void {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world?.close());

  describe.each(families)("$name", (family) => {
    describe.each(family.decimals)("asset with %s decimals", (decimals) => {
      let placed: Placed;
      beforeAll(async () => {
        placed = await place(world, { family, decimals });
      });

      test("vault detail shows what its contracts return", async () => {
        expect(await detailOf(placed)).toMatchObject({
          ...{ type: family.type, asset: placed.asset, stale: false },
          ...{ share_token: placed.shareToken, share_decimals: placed.row.shareDecimals },
          ...(await family.shown(placed)),
        });
      });

      test("derivation from the chain gives the registry row", async () => {
        expect(await derivedRow(placed)).toEqual(await storedRow(placed));
      });

      const each = (name: string, work: () => Promise<void>) => test(name, () => world.undone(work));

      each("a deposit mints the previewed and estimated shares and becomes a flow", async () => {
        const deposited = await deposit(family, placed);
        expect(await flowsIn(placed, deposited.receipt)).toEqual([
          {
            kind: "deposit",
            user: family.namesCaller ? passedOnBy(placed, deposited) : deposited.user.address,
            assets: deposited.amount,
            shares: deposited.shares,
          },
        ]);
      });

      each("the status of a deposit that nobody built shows what was paid and minted", async () => {
        const { asset, shareToken } = placed;
        const amount = sampleAmount(asset.decimals);
        const { address: user } = await world.user(asset, amount);
        const { transactionHash } = await depositUnbuilt({ placed, user, amount });
        const shares = await balanceOf(world, { token: shareToken, owner: user });
        expect(await statusOf(placed, transactionHash)).toMatchObject({
          ...{ status: "DONE", substatus: "COMPLETED", deposit: null },
          sending: { tx_hash: transactionHash, amount: `${amount}`, token: asset, kind: "asset" },
          receiving: {
            ...{ tx_hash: transactionHash, amount: `${shares}`, kind: "shares" },
            token: { address: shareToken, decimals: placed.row.shareDecimals },
          },
        });
      });

      each("a position has the value of the family's own conversion", async () => {
        const { user, shares } = await deposit(family, placed);
        expect(await positionsOf(placed, user.address)).toMatchObject([
          {
            vault_id: vaultIdOf(placed),
            share_balance: String(shares),
            share_decimals: placed.row.shareDecimals,
            asset_address: placed.asset.address,
            asset_decimals: decimals,
            vault_type: family.type,
            current_assets: (await family.worth(placed, shares))?.toString() ?? null,
          },
        ]);
      });

      each("a withdrawal becomes a flow and empties the position", () => withdrawAndCheck(family, placed));
    });

    const [decimals] = family.decimals;
    if (decimals !== undefined && family.states.length > 0)
      describeStates(family, { world: () => world, decimals });
  });
}

/** Codes of builds after which another amount may be accepted. */
const OF_ONE_AMOUNT: ReadonlySet<string> = new Set(["above_maximum", "below_minimum"]);

function describeStates(family: Family, of: { world: () => World; decimals: number }): void {
  describe("limits, pauses and permissions", () => {
    let placed: Placed;
    beforeAll(async () => {
      placed = await place(of.world(), { family, decimals: of.decimals });
    });

    test.each(family.states)("$name", async ({ enter, amount = sampleAmount, refused, shown }) => {
      const { world, asset } = placed;
      const wanted = amount(of.decimals);
      await world.undone(async () => {
        const user = await world.user(asset, wanted);
        await enter(placed, user.address);
        const answer = await ask({ placed, user: user.address, amount: wanted });
        if (refused === null) expect(answer).toMatchObject({ status: 200 });
        else expect(answer.body).toMatchObject(refused);
        const { deposit } = await actionsOf(placed, user.address);
        if (refused === null) expect(deposit).toMatchObject({ allowed: true, code: null });
        else if (amount === sampleAmount && !OF_ONE_AMOUNT.has(refused.code))
          expect(deposit).toMatchObject({ allowed: false, code: refused.code });
        if (shown !== undefined) expect(await detailOf(placed)).toMatchObject(shown);
      });
    });
  });
}

interface Deposited {
  user: TestUser;
  amount: bigint;
  shares: bigint;
  receipt: Awaited<ReturnType<typeof execute>>;
}

/** Deposits an ordinary amount and compares the minted shares with the preview, the estimate and the minimum. */
async function deposit(family: Family, placed: Placed): Promise<Deposited> {
  const { world, asset, shareToken } = placed;
  const amount = sampleAmount(asset.decimals);
  const user = await world.user(asset, amount);
  const wanted = { placed, user: user.address, amount };
  const preview = await previewOf(wanted);
  const built = await build(wanted);
  const receipt = await execute(placed, { user, built });
  const held = { token: shareToken, owner: user.address };
  const shares = await balanceOf(world, held);
  const { min_shares: floor, estimated_shares: estimate } = built.estimate;
  expect(shares).toBeGreaterThanOrEqual(BigInt(floor ?? 1));
  const enforced = placed.row.caller !== "user" || family.nativeMinimum === true;
  if (enforced) expect(floor).not.toBe(null);
  expectWithin(family.rounding ?? 0n, { shares, of: preview });
  expectWithin(family.rounding ?? 0n, { shares, of: BigInt(estimate) });
  expect(await balanceOf(world, { token: asset.address, owner: user.address })).toBe(0n);
  return { user, amount, shares, receipt };
}

/** Returns the account that transferred the shares to the user. */
function passedOnBy(placed: Placed, { user, shares, receipt }: Deposited): Address {
  const own = receipt.logs.filter(({ address }) => getAddress(address) === placed.shareToken);
  const transfers = parseEventLogs({ abi: erc20Abi, eventName: "Transfer", logs: own });
  const last = transfers.find(({ args }) => args.to === user.address && args.value === shares);
  if (last === undefined) throw new Error("no transfer forwarded the shares");
  return last.args.from;
}

function expectWithin(rounding: bigint, { shares, of }: { shares: bigint; of: bigint | null }): void {
  if (of === null) throw new Error("the family gave no preview");
  if (rounding === 0n) expect(shares).toBe(of);
  expect(shares - of).toBeLessThanOrEqual(rounding);
  expect(of - shares).toBeLessThanOrEqual(rounding);
}

async function withdrawAndCheck(family: Family, placed: Placed): Promise<void> {
  const { world, asset } = placed;
  const { user, shares } = await deposit(family, placed);
  const out = family.withdrawal(placed, { user: user.address, shares });
  if (out === null) return;
  // Some vaults lock shares until the second of their mint is over.
  await rpc(world.url, "evm_increaseTime", 1);
  const receipt = await world.send(user.address, out);
  const assets = await balanceOf(world, { token: asset.address, owner: user.address });
  expect(assets).toBeGreaterThan(0n);
  const flows = await flowsIn(placed, receipt);
  for (const flow of flows) expect(flow).toMatchObject({ kind: "withdrawal", user: user.address });
  // Some vaults take the shares by one event and pay the assets by another.
  const sumOf = (amounts: readonly (bigint | null)[]) =>
    amounts.reduce((sum, amount) => (sum === null || amount === null ? null : sum + amount), 0n);
  expect(sumOf(flows.map((flow) => flow.assets))).toBe(assets);
  expect(sumOf(flows.map((flow) => flow.shares))).toBe(shares);
  expect(await positionsOf(placed, user.address)).toEqual([]);
}

/** Deploys a stand-in for an asset, by default a new one with some decimals, and writes its registry row. */
export async function place(
  world: World,
  of: { family: Pick<Family, "name" | "adapter" | "type" | "deploy">; decimals: number; asset?: Token },
): Promise<Placed> {
  const { family, decimals } = of;
  const asset = of.asset ?? (await world.token(decimals));
  const standIn = await family.deploy(world, asset);
  const own = standIn.row.address.toLowerCase();
  const row = SeedRow.parse({
    ...{ chainId: world.chainId, type: family.type, adapter: family.adapter, name: family.name },
    ...{ assetAddress: asset.address.toLowerCase(), assetSymbol: asset.symbol, assetDecimals: decimals },
    ...{ shareToken: own, entryPoint: own, spender: own, pricer: own },
    ...{ acceptedAssets: [asset], status: "active" },
    ...standIn.row,
    address: own,
  });
  await world.register([row]);
  const shareToken = getAddress(row.shareToken);
  const vault: Address = getAddress(own);
  return { ...standIn, world, asset: { ...asset, address: getAddress(asset.address) }, vault, shareToken };
}
