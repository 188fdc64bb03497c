import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { z } from "zod";
import {
  edgeCachePath,
  type ServedEdgeCache,
  serveEdgeCache,
} from "../../../scripts/stack/edge-cache/serve-edge-cache.ts";
import { findPort } from "../../../scripts/stack/processes/port.ts";
import { chainIds, chainOf, newUser, vaultNamed } from "../../support/e2e/chain.ts";
import { bodyFor } from "../../support/e2e/deposit.ts";
import { type SecondWorker, startWorker } from "../../support/e2e/worker.ts";

/** A Worker of its own over the stack's stores, behind the model of the platform's cache. */
let worker: SecondWorker;
let cache: ServedEdgeCache;
const vault = vaultNamed("Plain USDC");

beforeAll(async () => {
  const port = await findPort(0);
  worker = await startWorker({ edgeCache: `http://127.0.0.1:${port}${edgeCachePath}` });
  cache = await serveEdgeCache({ worker: worker.origin, port });
});

afterAll(async () => {
  await cache?.close();
  await worker?.close();
});

const Contents = z.object({ stored: z.array(z.string()), requests: z.int(), worker_requests: z.int() });
const contents = async () => Contents.parse(await (await fetch(cache.url + edgeCachePath)).json());
const statusOf = (response: Response) => response.headers.get("cf-cache-status");
const read = (path: string, init?: RequestInit) => fetch(cache.url + path, init);
/** Reads a path and returns what the cache did. */
const outcome = async (path: string, init?: RequestInit) => {
  const response = await read(path, init);
  await response.arrayBuffer();
  return `${response.status} ${statusOf(response)}`;
};

test("a list that was read once is answered without the Worker, to the same ETag", async () => {
  const path = "/v1/vaults?limit=7";
  const first = await read(path);
  const body = await first.text();
  expect([first.status, statusOf(first)]).toEqual([200, "MISS"]);
  const before = (await contents()).worker_requests;
  const second = await read(path, { headers: { origin: "https://wallet.example" } });
  expect([second.status, statusOf(second), await second.text()]).toEqual([200, "HIT", body]);
  expect(second.headers.get("access-control-allow-origin")).toBe("*");
  expect(second.headers.has("x-request-id") || second.headers.has("server-timing")).toBe(false);
  const etag = second.headers.get("etag") ?? "";
  expect(await outcome(path, { headers: { "if-none-match": etag } })).toBe("304 HIT");
  expect((await contents()).worker_requests).toBe(before);
});

test("a change of a vault by an administrator is seen at once, because the Worker purges it", async () => {
  const [list, one] = [`/v1/vaults?ids=${vault.vault_id}`, `/v1/vaults/${vault.vault_id}`];
  for (const path of [list, one]) expect([await outcome(path), await outcome(path)]).toContain("200 HIT");
  const curator = `Curator ${crypto.randomUUID().slice(0, 8)}`;
  const rename = (name: string) =>
    fetch(`${cache.url}/v1/admin/vaults/${vault.vault_id}`, {
      method: "PATCH",
      headers: {
        authorization: `Bearer ${inject("stack").admin_token}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ curator: name }),
    });
  const { curator: original } = z.object({ curator: z.string() }).parse(await (await read(one)).json());
  try {
    const changed = await rename(curator);
    expect(changed.status, await changed.text()).toBe(200);
    await expect
      .poll(async () => (await contents()).stored.filter((path) => [list, one].includes(path)))
      .toEqual([]);
    expect(await (await read(one)).json()).toMatchObject({ curator });
    expect(await (await read(list)).json()).toMatchObject([{ curator }]);
  } finally {
    await (await rename(original)).arrayBuffer();
  }
});

test("nothing that belongs to one caller is kept, and nothing asked with a key", async () => {
  const user = await newUser(chainOf(chainIds.one));
  const post = (body: unknown) => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const built = await read(
    "/v1/quote/build",
    post({ ...bodyFor(vault, { user: user.address }), from_amount: "1000000" }),
  );
  expect([200, 400]).toContain(built.status);
  expect(statusOf(built)).toBe("BYPASS");
  await built.arrayBuffer();
  const hash = `0x${"ab".repeat(32)}`;
  for (const path of [
    `/v1/positions/${user.address.toLowerCase()}`,
    `/v1/deposits?user_address=${user.address.toLowerCase()}`,
    `/v1/status?from_chain_id=31337&tx_hash=${hash}`,
    `/v1/actions/${user.address.toLowerCase()}/${vault.vault_id}`,
    "/v1/partners/me",
    "/v1/admin/audit",
    "/health/details",
    "/v1/nowhere",
    "/v1/vaults?nothing=1",
  ])
    expect([path, (await outcome(path)).split(" ")[1]]).toEqual([path, "BYPASS"]);
  expect(await outcome("/v1/bridges", { headers: { authorization: "Bearer x" } })).toBe("200 BYPASS");
  const { stored } = await contents();
  expect(stored.join("\n").toLowerCase()).not.toContain(user.address.toLowerCase());
  expect(
    stored.filter((path) => /positions|deposits|status|partners|admin|health|nowhere|nothing/.test(path)),
  ).toEqual([]);
  expect(stored).not.toContain("/v1/bridges");
});

test("another spelling of a list is answered and not kept", async () => {
  const path = "/v1/vaults?chain_id=31337&limit=3";
  expect([await outcome(path), await outcome(path)]).toEqual(["200 MISS", "200 HIT"]);
  for (const other of [
    "/v1/vaults?limit=3&chain_id=31337",
    "/v1/vaults?chain_id=31337&limit=%33",
    "/v1/vaults/?limit=3",
  ])
    expect([other, await outcome(other)]).toEqual([other, "200 BYPASS"]);
});
