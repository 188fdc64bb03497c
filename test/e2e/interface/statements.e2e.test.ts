import { getAddress, zeroAddress } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { Api } from "../../support/e2e/api.ts";
import { chainIds, chainOf, newUser, vaultNamed } from "../../support/e2e/chain.ts";
import { amounts, bodyFor, depositAndCheck } from "../../support/e2e/deposit.ts";

const api = new Api();
const chain = chainOf(chainIds.one);
const vault = vaultNamed("Local Prime USDC");
/** Answers of the operations that users read, by path. */
const answers = new Map<string, unknown>();
let user = "";

beforeAll(async () => {
  const holder = await newUser(chain, { [vault.asset_symbol]: amounts[vault.asset_symbol] });
  user = holder.address;
  const body = bodyFor(vault, { user: holder.address });
  const { hash, built } = await depositAndCheck(api, { vault, user: holder, style: "calls", body });
  answers.set("POST /v1/quote/build", built);
  answers.set("POST /v1/quote", await api.quote(body));
  for (const path of [
    "/v1/vaults?limit=500",
    `/v1/vaults/${vault.vault_id}`,
    `/v1/positions/${user}`,
    `/v1/actions/${user}/${vault.vault_id}`,
    `/v1/deposits?user_address=${user}`,
    `/v1/deposits/${built.tracking_id}`,
    `/v1/status?tx_hash=${hash}&from_chain_id=${chain.chainId}`,
    "/v1/chains",
    `/v1/tokens?chain_id=${chain.chainId}`,
    `/v1/tokens?chain_id=${chain.chainId}&format=tokenlist`,
    "/v1/bridges",
    "/v1/intel/feed?since=90d",
    "/v1/intel/rules",
    "/health/ready",
    "/health/details",
  ]) {
    const { status, json } = await api.send(path);
    expect([path, status]).toEqual([path, 200]);
    answers.set(path, json);
  }
});

/** Every text in an answer, with the name of its field. */
function textsIn(value: unknown, name = ""): [string, string][] {
  if (typeof value === "string") return [[name, value]];
  if (Array.isArray(value)) return value.flatMap((one) => textsIn(one, name));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => textsIn(one, key));
}

const all = () =>
  [...answers].flatMap(([path, json]) => textsIn(json).map((text) => [path, ...text] as const));

describe("in every answer", () => {
  test("addresses are checksummed", () => {
    const addresses = all().filter(([, , text]) => /^0x[0-9a-fA-F]{40}$/.test(text));
    expect(addresses.length).toBeGreaterThan(100);
    for (const [path, name, text] of addresses)
      expect([path, name, text]).toEqual([path, name, getAddress(text)]);
  });

  test("vault ids are lowercase", () => {
    const ids = all().filter(([, , text]) => /^\d+:0x[0-9a-fA-F]{40}$/.test(text));
    expect(ids.length).toBeGreaterThan(20);
    for (const [path, name, text] of ids)
      expect([path, name, text]).toEqual([path, name, text.toLowerCase()]);
  });

  test("times are RFC 3339 in UTC with milliseconds", () => {
    const times = all().filter(([, , text]) => /^\d{4}-\d\d-\d\d/.test(text));
    expect(times.length).toBeGreaterThan(5);
    for (const [path, name, text] of times)
      expect([path, name, text]).toEqual([path, name, expect.stringMatching(/T\d\d:\d\d:\d\d\.\d{3}Z$/)]);
  });

  test("names are in snake_case", () => {
    const names = new Set<string>();
    const collect = (value: unknown): void => {
      if (Array.isArray(value)) value.forEach(collect);
      else if (typeof value === "object" && value !== null)
        for (const [name, one] of Object.entries(value)) {
          names.add(name);
          collect(one);
        }
    };
    // Token lists and typed data have their own standards' names.
    for (const [path, json] of answers) if (!path.includes("tokenlist")) collect(json);
    expect([...names].filter((name) => !/^[a-z0-9_]+$/.test(name))).toEqual([]);
  });
});

test("a vault id is taken in any letter case and with an escaped colon", async () => {
  const [id, address = ""] = vault.vault_id.split(":");
  const plain = (await api.vault(vault.vault_id)).vault_id;
  for (const spelled of [
    `${id}%3A${address}`,
    `${id}:${getAddress(address)}`,
    `${id}:0x${address.slice(2).toUpperCase()}`,
  ])
    expect((await api.vault(spelled)).vault_id).toBe(plain);
});

test("both names of the native currency build alike", async () => {
  const weth = vaultNamed("Remote WETH");
  const bodies = [zeroAddress, "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"].map((token) => ({
    ...bodyFor(weth, { user: getAddress(user) }),
    from_token: token,
    from_amount: "1000000000000000",
  }));
  const [one, other] = await Promise.all(bodies.map((body) => api.build(body)));
  expect([one?.approval, other?.approval]).toEqual([null, null]);
  expect(other?.transaction_request.value).toBe(one?.transaction_request.value);
  expect(other?.estimate.estimated_shares).toBe(one?.estimate.estimated_shares);
});

test("a position names its asset in capitals", () => {
  const { positions } = answers.get(`/v1/positions/${user}`) as { positions: { asset_symbol: string }[] };
  expect(positions.map(({ asset_symbol }) => asset_symbol)).toEqual([vault.asset_symbol.toUpperCase()]);
});

test("status without to_chain_id is that of from_chain_id", async () => {
  const [path = ""] = [...answers.keys()].filter((key) => key.startsWith("/v1/status"));
  const named = await api.send(`${path}&to_chain_id=${chain.chainId}`);
  expect(named.json).toEqual(answers.get(path));
  for (const missing of ["tx_hash", "from_chain_id"]) {
    const { status, json } = await api.send(path.replace(new RegExp(`${missing}=[^&]*&?`), ""));
    expect([status, json]).toMatchObject([
      422,
      { detail: [{ loc: ["query", missing], msg: "is required" }] },
    ]);
  }
});

test("a replay says so", async () => {
  const body = bodyFor(vault, { user: getAddress(user) });
  const headers = { "idempotency-key": crypto.randomUUID() };
  const replayed = [];
  for (let time = 0; time < 2; time += 1)
    replayed.push((await api.send("/v1/quote/build", { body, headers })).headers.get("idempotent-replayed"));
  expect(replayed).toEqual([null, "true"]);
});
