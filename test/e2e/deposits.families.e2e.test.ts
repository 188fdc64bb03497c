import { describe, expect, test } from "vitest";
import { Api } from "../harness/api.ts";
import { chainOf, newUser, vaultsFor } from "../harness/chain.ts";
import { requestsTo } from "../harness/request.ts";
import { amounts, bodyFor, depositAndCheck } from "./deposit.ts";

const api = new Api();
const families = vaultsFor("family");

test("there is a vault of every family that is not to be had as it is", () => {
  expect(new Set(families.map(({ adapter }) => adapter)).size).toBe(families.length);
  expect(families.length).toBeGreaterThanOrEqual(14);
});

describe.each(families)("$adapter: $name", (vault) => {
  const chain = chainOf(vault.chain_id);

  test.each(["calls", "approval"] as const)("takes a deposit signed as %s, and shows it", async (style) => {
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

  test("says what it holds, and what a share is worth", async () => {
    const detail = await api.vault(vault.vault_id);
    expect(detail).toMatchObject({ paused: false, stale: false, share_token: vault.share_token });
    expect(BigInt(detail.total_assets ?? "0")).toBeGreaterThan(0n);
    expect(BigInt(detail.total_supply ?? "0")).toBeGreaterThan(0n);
    expect(BigInt(detail.share_price ?? "0")).toBeGreaterThan(0n);
  });
});

test("one request for a wallet in one vault of each gives all of them, by one read of the chain", async () => {
  const [first] = families;
  if (first === undefined) throw new Error("there is no family");
  const here = families.filter(({ chain_id }) => chain_id === first.chain_id);
  const chain = chainOf(first.chain_id);
  const funds: Record<string, bigint> = {};
  for (const { asset_symbol: symbol } of here) funds[symbol] = (funds[symbol] ?? 0n) + amounts[symbol];
  const user = await newUser(chain, funds);
  for (const vault of here) {
    const body = bodyFor(vault, { user: user.address });
    await depositAndCheck(api, { vault, user, style: "calls", body });
  }
  const path = `/v1/positions/${user.address}?chain_id=${first.chain_id}`;
  const answer = await api.send(path);
  expect(requestsTo(answer, "rpc")).toBe(1);
  const { positions } = await api.positions(user.address, `?chain_id=${first.chain_id}`);
  expect(new Set(positions.map(({ vault_id }) => vault_id))).toEqual(
    new Set(here.map(({ vault_id }) => vault_id)),
  );
  expect(positions.filter(({ current_assets }) => current_assets === null)).toEqual([]);
});
