import { type Address, erc20Abi, erc4626Abi } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requestsTo } from "../../../scripts/smoke/http-request.ts";
import type { StackVault } from "../../../scripts/stack/manifest.ts";
import { Api } from "../../support/e2e/api.ts";
import { addressOf, chainOf, newUser, vaultsFor } from "../../support/e2e/chain.ts";
import { amounts, bodyFor, depositAndCheck } from "../../support/e2e/deposit.ts";
import { type SecondWorker, startWorker } from "../../support/e2e/worker.ts";

const api = new Api();
const shown = vaultsFor(
  "honest",
  "empty",
  "paused",
  "full",
  "limited",
  "minimum",
  "inflated",
  "dust",
  "fee_on_transfer",
  "caller",
  "registry_paused",
);
const ORDINARY: Address = "0x000000000000000000000000000000000000dEaD";

/** What a vault says at one block, read one by one. */
async function readDirectly(vault: StackVault, blockNumber: bigint) {
  const { client } = chainOf(vault.chain_id);
  const onVault = { address: addressOf(vault), abi: erc4626Abi, blockNumber } as const;
  const [assets, supply, decimals, room] = await Promise.all([
    client.readContract({ ...onVault, functionName: "totalAssets" }),
    client.readContract({ ...onVault, functionName: "totalSupply" }),
    client.readContract({ ...onVault, abi: erc20Abi, functionName: "decimals" }),
    client.readContract({ ...onVault, functionName: "maxDeposit", args: [ORDINARY] }),
  ]);
  // So many shares that their value shows the price to 18 digits.
  const many = 10n ** BigInt(decimals + 12);
  const price = await client.readContract({ ...onVault, functionName: "convertToAssets", args: [many] });
  return { assets, supply, decimals, room, price };
}

describe("GET /v1/vaults/{vault_id} matches the chain", () => {
  // Its cache is empty: a read of a minute ago may be of a block whose state the chain no longer keeps.
  let worker: SecondWorker;
  beforeAll(async () => {
    worker = await startWorker({ redisPrefix: "matches-the-chain" });
  });
  afterAll(() => worker?.close());

  test.each(shown)("$chain_id: $name", async (vault) => {
    const detail = await new Api(worker.origin).vault(vault.vault_id);
    expect(detail.stale).toBe(false);
    const { client } = chainOf(vault.chain_id);
    const blockNumber = BigInt(detail.read_at?.block_number ?? -1);
    const direct = await readDirectly(vault, blockNumber);
    const block = await client.getBlock({ blockNumber });
    expect(detail).toMatchObject({
      total_assets: String(direct.assets),
      total_supply: String(direct.supply),
      share_decimals: direct.decimals,
      share_price: String((direct.price * 10n ** 6n) / 10n ** BigInt(detail.asset.decimals)),
      max_deposit: String(direct.room),
      read_at: { block_timestamp: new Date(Number(block.timestamp) * 1000).toISOString() },
    });
  });

  test("reports whether the contract or the registry paused a vault", async () => {
    const [paused, suspended] = [vaultsFor("paused")[0], vaultsFor("registry_paused")[0]];
    for (const [vault, reason] of [
      [paused, "the vault's contract rejects deposits"],
      [suspended, "suspended by the operator"],
    ] as const) {
      expect(await api.vault(vault?.vault_id ?? "")).toMatchObject({ paused: true, paused_reason: reason });
    }
  });

  test("reports the minimum deposit of registry or chain, the same in list and detail", async () => {
    const listed = new Map((await api.vaults("?limit=500")).map((vault) => [vault.vault_id, vault]));
    for (const vault of shown) {
      const { min_deposit, no_minimum } = await api.vault(vault.vault_id);
      const expected =
        vault.adapter === "metamorpho"
          ? ["0", true]
          : vault.scenario === "minimum"
            ? ["100000000", false]
            : [null, false];
      expect([min_deposit, no_minimum], vault.name).toEqual(expected);
      expect(listed.get(vault.vault_id), vault.name).toMatchObject({ min_deposit, no_minimum });
    }
  });
});

describe("GET /v1/positions matches the chain", () => {
  test("is empty for an unused wallet, with one request per chain", async () => {
    const user = await newUser(chainOf(31337));
    const answer = await api.send(`/v1/positions/${user.address}`);
    expect(answer.json).toMatchObject({ user_address: user.address, positions: [], pending: [] });
    expect(requestsTo(answer, "rpc")).toBe(2);
  });

  test("reports shares in several vaults on both chains", async () => {
    const held = vaultsFor("honest", "caller", "fee_on_transfer", "empty");
    const [one, two] = [chainOf(31337), chainOf(31338)];
    const funds = {
      USDC: amounts.USDC * 6n,
      USDT: amounts.USDT * 2n,
      WETH: amounts.WETH * 2n,
      WBTC: amounts.WBTC * 2n,
    };
    const users = {
      31337: await newUser(one, { ...funds, FEE: amounts.FEE }),
      31338: await newUser(two, funds),
    };
    for (const vault of held) {
      const user = users[vault.chain_id as 31337 | 31338];
      await depositAndCheck(api, {
        vault,
        user,
        style: "calls",
        body: bodyFor(vault, { user: user.address }),
      });
    }
    for (const [chainId, user] of Object.entries(users)) {
      const answer = await api.send(`/v1/positions/${user.address}`);
      expect(requestsTo(answer, "rpc")).toBe(2);
      const { positions, chains } = await api.positions(user.address, `?chain_id=${chainId}`);
      expect(chains).toHaveLength(1);
      const blockNumber = BigInt(chains[0]?.block_number ?? -1);
      const mine = held.filter((vault) => vault.chain_id === Number(chainId));
      expect(positions.map(({ vault_id }) => vault_id).sort()).toEqual(
        mine.map(({ vault_id }) => vault_id).sort(),
      );
      for (const position of positions) {
        const { client } = chainOf(position.chain_id);
        const onVault = { address: position.vault_address as Address, abi: erc4626Abi, blockNumber } as const;
        const shares = await client.readContract({
          ...onVault,
          functionName: "balanceOf",
          args: [user.address],
        });
        const assets = await client.readContract({
          ...onVault,
          functionName: "convertToAssets",
          args: [shares],
        });
        expect([position.share_balance, position.current_assets]).toEqual([String(shares), String(assets)]);
      }
    }
  });

  test("reads one chain with one request, with and without Multicall3", async () => {
    const user = await newUser(chainOf(31337));
    for (const chainId of [31337, 31338]) {
      expect(requestsTo(await api.send(`/v1/positions/${user.address}?chain_id=${chainId}`), "rpc")).toBe(1);
    }
  });
});
