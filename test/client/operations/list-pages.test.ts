import { describe, expect, test } from "vitest";
import {
  depositPages,
  getVaults,
  vaultPages,
  withdrawalPages,
} from "../../../src/client/operations/read-operations.ts";
import { fakeApi } from "../../support/client/fake-api.ts";
import { account } from "../../support/client/fake-order.ts";

const linkTo = (path: string) => ({ link: `<${path}>; rel="next"` });

/** An API whose lists have three pages of one item, and then end. */
function threePages() {
  return fakeApi(({ path }) => {
    const { pathname, searchParams } = new URL(path, "https://api.example");
    const at = Number(searchParams.get("cursor") ?? 1);
    searchParams.set("cursor", String(at + 1));
    return {
      body: [{ total_assets: String(at) }],
      headers: at === 3 ? {} : linkTo(`${pathname}?${searchParams}`),
    };
  });
}

async function itemsOf(pages: AsyncIterable<readonly unknown[]>): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const page of pages) items.push(...page);
  return items;
}

const all = [{ totalAssets: 1n }, { totalAssets: 2n }, { totalAssets: 3n }];
const { address: userAddress } = account;

describe("the pages of a list", () => {
  test.each([
    ["vaults", (client) => vaultPages(client, { limit: 1, q: "usd c" }), "limit=1&q=usd+c", ""],
    ["deposits", (client) => depositPages(client, { userAddress, limit: 1 }), "limit=1", userAddress],
    ["withdrawals", (client) => withdrawalPages(client, { userAddress, limit: 1 }), "limit=1", userAddress],
  ] as const satisfies readonly (readonly [
    string,
    (client: ReturnType<typeof threePages>["client"]) => AsyncIterable<readonly unknown[]>,
    string,
    string,
  ])[])("are read to the end with the same filters: %s", async (list, read, filters, user) => {
    const { client, requests } = threePages();
    expect(await itemsOf(read(client))).toEqual(all);
    const owner = user === "" ? "" : `&user_address=${user}`;
    expect(requests.map(({ path }) => path)).toEqual([
      `/v1/${list}?${filters}${owner}`,
      `/v1/${list}?cursor=2&${filters}${owner}`,
      `/v1/${list}?cursor=3&${filters}${owner}`,
    ]);
  });

  test("begin at a cursor, and are requested when they are taken", async () => {
    const { client, requests } = threePages();
    for await (const page of vaultPages(client, { cursor: "2" })) {
      expect(page).toHaveLength(1);
      break;
    }
    expect(requests.map(({ path }) => path)).toEqual(["/v1/vaults?cursor=2"]);
  });

  test("have the next cursor, decoded, and null at the end", async () => {
    const cursor = "8453:0xbeef/+=";
    const more = linkTo(`/v1/vaults?limit=1&cursor=${encodeURIComponent(cursor)}`);
    const { client } = fakeApi(({ path }) => ({ body: [], headers: path.includes("cursor") ? {} : more }));
    const request = { path: "/v1/vaults" };
    expect(await client.requestPage(request)).toEqual({ body: [], next: cursor });
    expect(await client.requestPage({ ...request, query: { cursor } })).toEqual({ body: [], next: null });
    expect(await getVaults(client)).toEqual([]);
  });

  test("end with an error when the API names one twice", async () => {
    const { client, requests } = fakeApi(() => ({ body: [], headers: linkTo("/v1/vaults?cursor=a") }));
    await expect(itemsOf(vaultPages(client))).rejects.toMatchObject({ code: "network" });
    expect(requests).toHaveLength(2);
  });

  test("fail with the API's error of a later page", async () => {
    const { client } = fakeApi(({ path }) =>
      path.includes("cursor")
        ? { status: 429, body: { code: "rate_limited", detail: "slow down", request_id: "r" } }
        : { body: [], headers: linkTo("/v1/vaults?cursor=a") },
    );
    await expect(itemsOf(vaultPages(client))).rejects.toMatchObject({ code: "rate_limited", status: 429 });
  });
});
