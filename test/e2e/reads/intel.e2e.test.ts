import { encodeFunctionData, erc20Abi, erc4626Abi } from "viem";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Api } from "../../support/e2e/api.ts";
import {
  addressOf,
  chainIds,
  chainOf,
  mined,
  newUser,
  sendCall,
  tokenOn,
  vaultNamed,
} from "../../support/e2e/chain.ts";
import { fireCron } from "../../support/e2e/cron.ts";
import { bodyOf, findingsOf } from "../../support/e2e/http.ts";

const api = new Api();
const MINUTE = "* * * * *";
const FIVE_MINUTES = "*/5 * * * *";
const vault = vaultNamed("Plain USDC");

/** Again and again until it holds: histories are read by way of the queue. */
const until = (holds: () => Promise<boolean>): Promise<void> =>
  expect.poll(holds, { interval: 250 }).toBe(true);

const Ready = z.object({
  indexes: z.array(
    z.object({
      chain_id: z.int(),
      head: z.int().nullable(),
      indexed: z.int().nullable(),
      lag: z.int().nullable(),
      error: z.string().nullable(),
    }),
  ),
});

describe("deposited_assets", () => {
  test("is known after the next indexing run, whoever built the transaction", async () => {
    const chain = chainOf(chainIds.one);
    const user = await newUser(chain, { USDC: 500_000_000n });
    const target = addressOf(vault);
    const approve = encodeFunctionData({
      abi: erc20Abi,
      functionName: "approve",
      args: [target, 10n ** 30n],
    });
    await mined(chain, await sendCall(user, { to: tokenOn(chain, "USDC"), data: approve }));
    const deposit = encodeFunctionData({
      abi: erc4626Abi,
      functionName: "deposit",
      args: [500_000_000n, user.address],
    });
    await mined(chain, await sendCall(user, { to: target, data: deposit }));
    const withdraw = encodeFunctionData({
      abi: erc4626Abi,
      functionName: "withdraw",
      args: [120_000_000n, user.address, user.address],
    });
    await mined(chain, await sendCall(user, { to: target, data: withdraw }));
    await until(async () => {
      await fireCron(MINUTE);
      const { positions } = await api.positions(user.address, `?chain_id=${chain.chainId}`);
      return positions[0]?.deposited_assets !== null;
    });
    const { positions, chains } = await api.positions(user.address, `?chain_id=${chain.chainId}`);
    const [position] = positions;
    expect(position).toMatchObject({ vault_id: vault.vault_id, deposited_assets: "380000000" });
    expect(position?.yield_assets).toBe(String(BigInt(position?.current_assets ?? "") - 380_000_000n));
    expect(chains[0]?.indexed_to).toBeLessThanOrEqual(chains[0]?.block_number ?? 0);
    const { indexes } = bodyOf(await api.send("/health/ready"), { schema: Ready });
    expect(indexes.find(({ chain_id }) => chain_id === chain.chainId)).toMatchObject({ error: null });
  });
});

describe("vault history", () => {
  test("contains the stored snapshots", async () => {
    await fireCron(FIVE_MINUTES);
    const points = async (metric: string) => {
      const answer = await api.send(
        `/v1/vaults/${vault.vault_id}/history?metric=${metric}&interval=5m&from=1h`,
      );
      const schema = z.object({ points: z.array(z.object({ value: z.string().nullable() })) });
      return bodyOf(answer, { schema }).points.map(({ value }) => value);
    };
    // The detail may be some seconds old, the snapshot is not.
    await until(async () => {
      const { share_price, total_assets } = await api.vault(vault.vault_id);
      const noted = [(await points("share_price")).at(-1), (await points("total_assets")).at(-1)];
      return noted[0] === share_price && noted[1] === total_assets;
    });
    expect(await points("apy")).toEqual((await points("share_price")).map(() => null));
  });

  test("accepts a range that extends into the future", async () => {
    for (const offset of [1_000_001, Number.MAX_SAFE_INTEGER]) {
      const page = (await api.send(`/v1/intel/feed?offset=${offset}`)).json;
      expect(page).toMatchObject({ signals: [], count: 0, offset });
    }
    expect(findingsOf(await api.send("/v1/intel/feed?offset=-1"))).toEqual(["query.offset"]);
  });

  test("has the share price of the vault's detail for every family", async () => {
    const list = z.array(z.object({ vault_id: z.string(), type: z.string() }));
    const vaults = bodyOf(await api.send("/v1/vaults?limit=500"), { schema: list });
    expect(new Set(vaults.map(({ type }) => type)).size).toBeGreaterThan(4);
    const schema = z.object({ points: z.array(z.object({ value: z.string().nullable() })) });
    const last = async (id: string, metric: string) => {
      const query = `metric=${metric}&interval=5m&from=1h`;
      return bodyOf(await api.send(`/v1/vaults/${id}/history?${query}`), { schema }).points.at(-1)?.value;
    };
    const left = new Set(vaults.map(({ vault_id }) => vault_id));
    // Between the snapshot and the detail a block may pass, in which some prices grow.
    await until(async () => {
      await fireCron(FIVE_MINUTES);
      for (const id of left) {
        const { share_price, total_assets } = await api.vault(id);
        const noted = [await last(id, "share_price"), await last(id, "total_assets")];
        if (noted[0] === share_price && noted[1] === total_assets) left.delete(id);
      }
      return left.size === 0;
    }).catch(() => undefined);
    expect([...left]).toEqual([]);
  });

  test("raises vault_added for new vaults, and counts all signals", async () => {
    await fireCron(FIVE_MINUTES);
    const schema = z.object({
      signals: z.array(z.object({ rule_id: z.string(), vault_id: z.string() })),
      total: z.int(),
    });
    const page = async (offset: number) =>
      bodyOf(await api.send(`/v1/intel/feed?limit=100&offset=${offset}`), { schema });
    const first = await page(0);
    const { total } = first;
    // A page has no more, and every vault of the stack has a signal.
    const signals = [...first.signals];
    while (signals.length < total) signals.push(...(await page(signals.length)).signals);
    const about = (name: string) =>
      signals.filter(({ vault_id }) => vault_id === vaultNamed(name).vault_id).map(({ rule_id }) => rule_id);
    // Other files change prices and pause vaults on the same stack, so only what is certain is expected here.
    expect(about("Plain USDC")).toContain("vault_added");
    expect(about("Remote USDC")).toContain("vault_added");
    expect(total).toBe(signals.length);
  });
});
