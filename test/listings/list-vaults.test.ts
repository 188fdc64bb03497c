import fc from "fast-check";
import { getAddress, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { VaultKey } from "../../src/lib/vault-id.ts";
import { listVaults, type VaultFilter } from "../../src/listings/list-vaults.ts";
import { depositRouterAddress } from "../../src/router/router-address.ts";
import { vaultRoutes } from "../../src/routes/vaults-routes.ts";
import { VaultCursor } from "../../src/schemas/cursor-schema.ts";
import { findVault } from "../../src/vaults/find-vault.ts";
import { appOf } from "../support/http/app.ts";
import { address, type Catalog, contextOf, id, key, stored, USDC, WETH } from "../support/vaults/listed.ts";

const idsOf = async (catalog: Catalog, filter: Partial<VaultFilter> = {}): Promise<string[]> => {
  const { rows: vaults } = await listVaults(contextOf(catalog), { limit: 500, ...filter });
  return vaults.map(({ vault_id }) => vault_id);
};

describe("listVaults()", () => {
  test("returns every field of a vault", async () => {
    const rows = [stored({ address: address(1), name: "Prime", curator: "Ann", minDeposit: "5" })];
    const { rows: vaults, next } = await listVaults(contextOf({ rows }), { limit: 1 });
    expect(next).toBe(null);
    const asset = { address: getAddress(USDC), symbol: "USDC", decimals: 6 };
    expect(vaults).toEqual([
      {
        vault_id: id(1),
        name: "Prime",
        address: address(1),
        chain_id: 31337,
        chain_name: "Testchain",
        asset,
        accepted_assets: [asset],
        deposit_router: depositRouterAddress,
        type: "custom",
        min_deposit: "5",
        no_minimum: false,
        curator: "Ann",
        proof: null,
        paused: false,
        paused_reason: "",
        external_router: false,
        family: "erc4626",
        settlement: { deposit: "instant", withdraw: "instant", withdraw_seconds: null },
        apy_1d: null,
        apy_7d: null,
        apy_30d: null,
        tvl_usd: null,
        share_price: null,
        max_deposit: null,
        exit_fee: null,
        curator_url: "",
        explorer_link: `https://explorer.example/address/${address(1)}`,
        logo_uri: "",
        signals: { high: 0, medium: 0 },
        read_at: { block_number: 1, block_timestamp: "1970-01-01T00:00:00.000Z" },
        stale: false,
      },
    ]);
  });

  test("lists the native token only where the router can wrap it into the asset", async () => {
    const weth = { assetAddress: WETH, assetSymbol: "WETH", assetDecimals: 18 };
    const rows = [
      stored({ address: address(1), ...weth }),
      stored({ address: address(2), ...weth, caller: "user" }),
      stored({ address: address(3), ...weth, chainId: 8453 }),
      stored({ address: address(4) }),
    ];
    const catalog = { rows, routerOn: [31337, 8453] };
    const { rows: vaults } = await listVaults(contextOf(catalog), { limit: 9 });
    expect(
      vaults.map(({ vault_id, accepted_assets }) => [vault_id, accepted_assets.map(({ symbol }) => symbol)]),
    ).toEqual([
      [id(3, 8453), ["WETH"]],
      [id(1), ["WETH", "ETH"]],
      [id(2), ["WETH"]],
      [id(4), ["USDC"]],
    ]);
    expect(await idsOf(catalog, { accepts: "eth" })).toEqual([id(1)]);
    expect(await idsOf(catalog, { accepts: zeroAddress })).toEqual([id(1)]);
  });

  test("uses the vault's entry point without a router or when the user must call it", async () => {
    const rows = [
      stored({ address: address(1) }),
      stored({ address: address(2), caller: "user", entryPoint: address(9) }),
      stored({ address: address(3), chainId: 8453 }),
    ];
    const { rows: vaults } = await listVaults(contextOf({ rows }), { limit: 9 });
    expect(
      vaults.map(({ vault_id, deposit_router, external_router }) => [
        vault_id,
        deposit_router,
        external_router,
      ]),
    ).toEqual([
      [id(3, 8453), address(3), true],
      [id(1), depositRouterAddress, false],
      [id(2), address(9), true],
    ]);
  });

  test("uses the router for a vault that was not read yet, if another vault shows that the chain has it", async () => {
    const rows = [
      stored({ address: address(1) }),
      { ...stored({ address: address(2) }), figures: null },
      { ...stored({ address: address(3), caller: "user" }), figures: null },
      stored({ address: address(4), chainId: 8453 }),
      { ...stored({ address: address(5), chainId: 8453 }), figures: null },
    ];
    const { rows: vaults } = await listVaults(contextOf({ rows }), { limit: 9 });
    expect(vaults.map(({ vault_id, external_router }) => [vault_id, external_router])).toEqual([
      [id(4, 8453), true],
      [id(5, 8453), true],
      [id(1), false],
      [id(2), false],
      [id(3), true],
    ]);
  });

  test("reports whether registry or chain paused the vault", async () => {
    const rows = [
      stored({ address: address(1), status: "paused", statusReason: "under review" }),
      stored({ address: address(2) }),
      stored({ address: address(3) }),
    ];
    const { rows: vaults } = await listVaults(contextOf({ rows, paused: [id(2)] }), { limit: 9 });
    expect(vaults.map(({ paused, paused_reason }) => [paused, paused_reason])).toEqual([
      [true, "under review"],
      [true, "the vault's contract rejects deposits"],
      [false, ""],
    ]);
  });

  test("leaves out vaults of unsupported chains", async () => {
    expect(
      await idsOf({ rows: [stored({ address: address(1), chainId: 1 }), stored({ address: address(2) })] }),
    ).toEqual([id(2)]);
  });
});

test("listVaults() skips and logs a registry row that cannot be used", async () => {
  const rows = [
    stored({ address: address(1) }),
    stored({ address: address(2), adapter: "mellow", params: { queue: "sideways" } }),
    stored({ address: address(3), adapter: "nobody" }),
    stored({ address: address(4), pricer: "0x12" }),
    stored({ address: address(5) }),
  ];
  const ctx = contextOf({ rows, paused: [id(5)] });
  const { rows: vaults } = await listVaults(ctx, { limit: 9 });
  expect(vaults.map(({ vault_id, paused }) => [vault_id, paused])).toEqual([
    [id(1), false],
    [id(5), true],
  ]);
  const skipped = ctx.logged.filter(({ event }) => event === "registry_row_skipped");
  expect(skipped.map(({ event, vault, error }) => [event, vault, String(error).slice(0, 40)])).toEqual([
    ["registry_row_skipped", id(2), `${id(2)}: queue`.slice(0, 40)],
    ["registry_row_skipped", id(3), `${id(3)}: no adapter`.slice(0, 40)],
    ["registry_row_skipped", id(4), expect.stringContaining("0x12")],
  ]);
  await expect(findVault(ctx, id(2))).rejects.toMatchObject({ code: "vault_not_found" });
});

describe("listVaults() filters", () => {
  const rows = [
    stored({ address: address(1), name: "Steady USDC", curator: "Ann", type: "morpho" }),
    stored({
      address: address(2),
      name: "Bold Ether",
      curator: "Bob",
      assetAddress: WETH,
      assetSymbol: "WETH",
      acceptedAssets: [{ address: USDC, symbol: "USDC", decimals: 6 }],
    }),
    stored({ address: address(3), name: "Bold USDC", curator: "Bob", chainId: 8453 }),
  ];
  test.each<[Partial<VaultFilter>, string[]]>([
    [{}, [id(3, 8453), id(1), id(2)]],
    [{ chainId: 31337 }, [id(1), id(2)]],
    [{ chainId: 1 }, []],
    [{ asset: "usdc" }, [id(3, 8453), id(1)]],
    [{ asset: getAddress(WETH) }, [id(2)]],
    [{ asset: WETH.toUpperCase().replace("0X", "0x") }, [id(2)]],
    [{ asset: "USD" }, []],
    [{ accepts: "usdc" }, [id(3, 8453), id(1), id(2)]],
    [{ accepts: getAddress(WETH) }, [id(2)]],
    [{ accepts: "USD" }, []],
    [{ type: "morpho" }, [id(1)]],
    [{ curator: "BOB" }, [id(3, 8453), id(2)]],
    [{ curator: "" }, []],
    [{ q: "bold" }, [id(3, 8453), id(2)]],
    [{ q: "USDC", curator: "bob" }, [id(3, 8453)]],
    [{ paused: true }, [id(2)]],
    [{ paused: false }, [id(3, 8453), id(1)]],
    [{ paused: true, asset: "USDC" }, []],
  ])("%j", async (filter, ids) => {
    expect(await idsOf({ rows, paused: [id(2)] }, filter)).toEqual(ids);
  });
});

describe("listVaults() pagination", () => {
  const aCatalog = fc.uniqueArray(
    fc.record({ n: fc.integer({ min: 1, max: 2 ** 30 }), chainId: fc.constantFrom(8453, 31337) }),
    {
      selector: ({ n, chainId }) => `${chainId}:${n}`,
      maxLength: 25,
    },
  );

  test("returns every vault once and in order for every limit", async () => {
    const property = fc.asyncProperty(
      aCatalog,
      fc.integer({ min: 1, max: 10 }),
      fc.boolean(),
      async (keys, limit, half) => {
        const rows = keys.map(({ n, chainId }) => stored({ address: address(n), chainId }));
        const paused = half
          ? keys.filter((_, index) => index % 2 === 0).map(({ n, chainId }) => id(n, chainId))
          : [];
        const context = contextOf({ rows, paused });
        const filter = half ? { paused: false } : {};
        const seen: string[] = [];
        let after: VaultKey | undefined;
        for (let page = 0; page <= rows.length; page += 1) {
          const { rows: vaults, next } = await listVaults(context, { ...filter, limit, after });
          seen.push(...vaults.map(({ vault_id }) => vault_id));
          expect(vaults.length === limit || next === null).toBe(true);
          if (next === null) break;
          after = VaultCursor.parse(next);
        }
        expect(seen).toEqual(await idsOf({ rows, paused }, filter));
        expect(new Set(seen).size).toBe(keys.length - paused.length);
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  test("continues after a vault that was removed", async () => {
    const rows = [stored({ address: address(1) }), stored({ address: address(3) })];
    expect(await idsOf({ rows }, { after: key(2) })).toEqual([id(3)]);
    expect(await idsOf({ rows }, { after: key(3) })).toEqual([]);
    expect(await idsOf({ rows }, { after: key(1, 8453) })).toEqual([id(1), id(3)]);
  });
});

describe("GET /v1/vaults", () => {
  const rows = [1, 2, 3, 4, 5].map((n) => stored({ address: address(n), name: `Vault ${n}` }));
  const { send } = appOf(vaultRoutes, {}, () => contextOf({ rows }));
  const Page = z.array(z.object({ vault_id: z.string() }));

  test("has a Link header that leads through all pages with the same filters", async () => {
    const seen: string[] = [];
    let path: string | null = "/v1/vaults?limit=2&asset=usdc&q=Vault%20";
    for (let page = 0; path !== null && page < 9; page += 1) {
      const response: Response = await send(path);
      expect(response.status).toBe(200);
      seen.push(...Page.parse(await response.json()).map(({ vault_id }) => vault_id));
      path = /^<([^>]+)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1] ?? null;
      if (path !== null) {
        const query = new URLSearchParams(path.split("?")[1]);
        expect([query.get("limit"), query.get("asset"), query.get("q")]).toEqual(["2", "usdc", "Vault "]);
      }
    }
    expect(seen).toEqual(rows.map((row) => id(Number(row.address))));
  });

  test.each(["x", "", btoa('["8453"]'), btoa('["0:0x1"]'), btoa('["a","b"]')])(
    "%j is no cursor: 422",
    async (cursor) => {
      const response = await send(`/v1/vaults?cursor=${encodeURIComponent(cursor)}`);
      expect([response.status, await response.json()]).toEqual([
        422,
        {
          detail: [
            {
              loc: ["query", "cursor"],
              msg: "not a cursor of this listing: take it from the `Link` header of the page before",
              type: "custom",
            },
          ],
        },
      ]);
    },
  );
});
