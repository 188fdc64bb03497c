import { describe, expect, test } from "vitest";
import { requestsTo } from "../../../scripts/smoke/http-request.ts";
import type { StackVault } from "../../../scripts/stack/manifest.ts";
import { Api } from "../../support/e2e/api.ts";
import { chainIds, chainOf, mined, newUser, vaultsFor } from "../../support/e2e/chain.ts";
import { amounts, bodyFor, depositAndCheck } from "../../support/e2e/deposit.ts";
import { signDeposit } from "../../support/e2e/sign-deposit.ts";

const api = new Api();
const families = vaultsFor("family");

test("vault families: the stack has a vault of every other family", () => {
  expect(new Set(families.map(({ adapter }) => adapter)).size).toBe(families.length);
  expect(families.length).toBeGreaterThanOrEqual(14);
});

describe.each(families)("$adapter: $name", (vault) => {
  const chain = chainOf(vault.chain_id);

  test.each(["calls", "approval"] as const)("deposits by %s and shows the position", async (style) => {
    const user = await newUser(chain, { [vault.asset_symbol]: amounts[vault.asset_symbol] });
    const body = bodyFor(vault, { user: user.address });
    const { minted } = await depositAndCheck(api, { vault, user, style, body });
    const { positions } = await api.positions(user.address, `?chain_id=${vault.chain_id}`);
    expect(positions).toMatchObject([{ vault_id: vault.vault_id, share_balance: String(minted) }]);
    const worth = BigInt(positions[0]?.current_assets ?? "0");
    const paid = BigInt(body.from_amount);
    // Rounded down twice at most, by the vault and by its price.
    expect(paid - worth).toBeGreaterThanOrEqual(0n);
    expect((paid - worth) * 1_000_000n).toBeLessThanOrEqual(paid);
  });

  test("shows total assets and share price", async () => {
    const detail = await api.vault(vault.vault_id);
    expect(detail).toMatchObject({ paused: false, stale: false, share_token: vault.share_token });
    expect(BigInt(detail.total_assets ?? "0")).toBeGreaterThan(0n);
    expect(BigInt(detail.total_supply ?? "0")).toBeGreaterThan(0n);
    expect(BigInt(detail.share_price ?? "0")).toBeGreaterThan(0n);
  });
});

/** The public label of each adapter that is not `custom`. */
const types: Readonly<Record<string, string>> = {
  metamorpho: "morpho",
  morpho_v2: "morpho",
  veda: "veda",
  midas: "midas",
  ipor: "ipor",
  mellow: "lido",
  mellow_lrt: "lido",
  accountable: "accountable",
};

/** One vault of every adapter that gives shares at once, on one chain. */
function oneOfEach(chainId: number): StackVault[] {
  const all = vaultsFor("family", "honest").filter(({ chain_id }) => chain_id === chainId);
  return all.filter(({ adapter }, index) => all.findIndex((other) => other.adapter === adapter) === index);
}

test("GET positions returns every family's position with one chain read", async () => {
  const chain = chainOf(chainIds.one);
  const here = oneOfEach(chain.chainId);
  const asked = vaultsFor("requests").filter(({ chain_id }) => chain_id === chain.chainId);
  expect(here.map(({ adapter }) => adapter)).toEqual(expect.arrayContaining(["metamorpho", "erc4626"]));
  expect(here.length).toBeGreaterThanOrEqual(families.length + 2);
  const funds: Record<string, bigint> = {};
  for (const { asset_symbol: symbol } of [...here, ...asked])
    funds[symbol] = (funds[symbol] ?? 0n) + amounts[symbol];
  const user = await newUser(chain, funds);
  const expected = new Map<string, object>();
  for (const vault of here) {
    const body = bodyFor(vault, { user: user.address });
    const { minted } = await depositAndCheck(api, { vault, user, style: "calls", body });
    const { asset, share_decimals } = await api.vault(vault.vault_id);
    expected.set(vault.vault_id, {
      ...{ share_balance: String(minted), share_decimals, vault_type: types[vault.adapter] ?? "custom" },
      ...{ asset_address: asset.address, asset_decimals: asset.decimals },
    });
  }
  for (const vault of asked) {
    const built = await api.build(bodyFor(vault, { user: user.address }));
    const hash = await signDeposit(chain, { user, built, style: "calls" });
    await mined(chain, hash);
    // Midas lists no requests by account: only who has heard of one knows its number.
    await api.status(hash, chain.chainId);
  }
  const query = `?chain_id=${chain.chainId}`;
  expect(requestsTo(await api.send(`/v1/positions/${user.address}${query}`), "rpc")).toBe(1);
  const { positions, pending } = await api.positions(user.address, query);
  for (const { vault_id } of asked) expected.set(vault_id, { share_balance: "0", current_assets: "0" });
  expect(new Set(positions.map(({ vault_id }) => vault_id))).toEqual(new Set(expected.keys()));
  for (const position of positions) expect(position).toMatchObject(expected.get(position.vault_id) ?? {});
  for (const vault of here) {
    const paid = amounts[vault.asset_symbol];
    const worth = positions.find(({ vault_id }) => vault_id === vault.vault_id)?.current_assets ?? "0";
    expect(paid - BigInt(worth)).toBeGreaterThanOrEqual(0n);
    expect((paid - BigInt(worth)) * 1_000_000n).toBeLessThanOrEqual(paid);
  }
  expect(new Map(pending.map(({ vault_id, pending_assets }) => [vault_id, pending_assets]))).toEqual(
    new Map(asked.map(({ vault_id, asset_symbol }) => [vault_id, String(amounts[asset_symbol])])),
  );
});
