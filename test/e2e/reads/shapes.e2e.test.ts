import { erc20Abi, isAddress, zeroAddress } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { ApiContract } from "../../../scripts/smoke/api-contract.ts";
import type { HttpAnswer } from "../../../scripts/smoke/http-request.ts";
import { awaitReceipt } from "../../../scripts/stack/chains/await-receipt.ts";
import { bridgeKeys } from "../../../src/schemas/build-input-schema.ts";
import { Api } from "../../support/e2e/api.ts";
import { addressOf, chainOf, newUser, sendCall, vaultNamed, vaultsFor } from "../../support/e2e/chain.ts";
import * as spec from "../../support/e2e/contract-fields.ts";
import { amounts, bodyFor, depositAndCheck } from "../../support/e2e/deposit.ts";
import { toTransaction } from "../../support/e2e/sign-deposit.ts";

const api = new Api();
const vault = vaultNamed("Plain USDC");
const chain = chainOf(vault.chain_id);
let contract: ApiContract;

beforeAll(async () => {
  contract = await ApiContract.of(api.origin);
});

/** Expects a response to have the promised fields, and no member that the OpenAPI document does not declare. */
function expectShape(answer: HttpAnswer, expected: { operationId: string; shape: spec.Shape }): void {
  expect(answer.status, answer.text).toBe(200);
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(spec.differences(answer.json, expected.shape)).toEqual([]);
  expect(contract.problems(contract.operation(expected.operationId), answer)).toEqual([]);
  expect(misspelt(answer.json)).toEqual([]);
}

/** Addresses that do not carry their EIP-55 checksum; vault ids are lower case on purpose. */
function misspelt(value: unknown): string[] {
  if (typeof value === "string") {
    return /^0x[0-9a-fA-F]{40}$/.test(value) && !isAddress(value, { strict: true }) ? [value] : [];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(misspelt);
}

describe("response schema of vaults", () => {
  test("list", async () => {
    const answer = await api.send("/v1/vaults?limit=500");
    expectShape(answer, { operationId: "vaults.list", shape: [spec.vault] });
    expect((answer.json as unknown[]).length).toBeGreaterThanOrEqual(24);
  });

  test.each(
    vaultsFor(
      "honest",
      "empty",
      "paused",
      "full",
      "minimum",
      "inflated",
      "dust",
      "caller",
      "registry_paused",
    ),
  )("$name in detail", async ({ vault_id }) => {
    const answer = await api.send(`/v1/vaults/${vault_id}`);
    expectShape(answer, { operationId: "vaults.get", shape: spec.vaultDetail });
  });
});

describe("response schema of quote and build", () => {
  test.each(vaultsFor("honest", "empty", "limited", "minimum", "fee_on_transfer", "caller"))(
    "$chain_id: $name",
    async (into) => {
      const user = await newUser(chainOf(into.chain_id), { [into.asset_symbol]: amounts[into.asset_symbol] });
      const body = bodyFor(into, { user: user.address });
      const built = await api.send("/v1/quote/build", { body });
      expectShape(built, { operationId: "quotes.build", shape: spec.built });
      const quote = await api.send("/v1/quote", { body });
      expectShape(quote, { operationId: "quotes.get", shape: spec.quote });
    },
  );

  test("a quote predicts the build and is not stored", async () => {
    const user = await newUser(chain);
    const body = bodyFor(vault, { user: user.address });
    const quote = await api.quote(body);
    expect(await api.deposits(user.address)).toEqual([]);
    const built = await api.build(body);
    // A price that other tests have changed may reach the quote only, while it is reloaded for the build.
    const { slippage_applied: applied, from_amount_usd: _usd, ...estimate } = built.estimate;
    expect(quote.estimate).toMatchObject(estimate);
    expect(applied).toBe(0.005);
    expect(quote.approval).toEqual(built.approval);
    expect(quote.quote_type).toBe("direct");
    // A proof made in between is in the later response only.
    const { proof: _proof, ...quoted } = quote.vault;
    expect(await api.vault(vault.vault_id)).toMatchObject(quoted);
  });
});

describe("response schema of status, positions and deposits", () => {
  test("for a completed deposit", async () => {
    const user = await newUser(chain, { USDC: amounts.USDC });
    const body = bodyFor(vault, { user: user.address });
    const { hash, built } = await depositAndCheck(api, { vault, user, style: "calls", body });
    const status = await api.send(
      `/v1/status?tx_hash=${hash}&from_chain_id=${chain.chainId}&to_chain_id=${chain.chainId}`,
    );
    expectShape(status, { operationId: "status.get", shape: spec.transferStatus });
    const positions = await api.send(`/v1/positions/${user.address}`);
    expectShape(positions, { operationId: "positions.get", shape: spec.positions });
    expect((positions.json as { positions: unknown[] }).positions).toHaveLength(1);
    const deposit = await api.send(`/v1/deposits/${built.tracking_id}`);
    expectShape(deposit, { operationId: "deposits.get", shape: {} });
    const list = await api.send(`/v1/deposits?user_address=${user.address}`);
    expectShape(list, { operationId: "deposits.list", shape: [{}] });
  });

  test("for a failed deposit, a plain transfer and an unknown transaction", async () => {
    const user = await newUser(chain, { USDC: amounts.USDC });
    const { transaction_request } = await api.build(bodyFor(vault, { user: user.address }));
    const params = [{ from: user.address, ...toTransaction(transaction_request) }];
    const failed = (await user.wallet.request({ method: "eth_sendTransaction", params })) as `0x${string}`;
    const transfer = await sendCall(user, { to: user.address, value: 1n });
    await awaitReceipt(chain.client, transfer);
    for (const [hash, expected] of [
      [failed, "FAILED"],
      [transfer, "INVALID"],
      [`0x${"7".repeat(64)}`, "NOT_FOUND"],
    ] as const) {
      const answer = await api.send(`/v1/status?tx_hash=${hash}&from_chain_id=${chain.chainId}`);
      expectShape(answer, { operationId: "status.get", shape: spec.transferStatus });
      expect(answer.json).toMatchObject({ status: expected });
    }
  });

  test("for a reported and an abandoned deposit", async () => {
    const user = await newUser(chain);
    const { tracking_id: id } = await api.build(bodyFor(vault, { user: user.address }));
    const reported = await api.report(id, { tx_hash: `0x${"1".repeat(64)}`, step: "source" });
    expectShape(reported, { operationId: "deposits.report-transaction", shape: {} });
    expectShape(await api.abandon(id), { operationId: "deposits.abandon", shape: {} });
  });
});

describe("response schema of chains, bridges, tokens and health", () => {
  test.each(["", "?source=true", "?source=false"])("chains%s", async (query) => {
    const answer = await api.send(`/v1/chains${query}`);
    expectShape(answer, { operationId: "chains.list", shape: [spec.chain] });
    const list = answer.json as { chain_id: number; deposit_router: string }[];
    expect(list.map(({ chain_id, deposit_router }) => ({ chain_id, deposit_router }))).toEqual([
      { chain_id: 31337, deposit_router: chain.info.contracts.deposit_router },
      { chain_id: 31338, deposit_router: chain.info.contracts.deposit_router },
    ]);
  });

  test("bridges, each accepted by build as preferred_bridge", async () => {
    const answer = await api.send("/v1/bridges");
    expectShape(answer, { operationId: "bridges.list", shape: [spec.bridge] });
    const row = (key: string, name: string, providers = ["lifi"]) => ({
      key,
      name,
      providers,
      chains: [31337, 31338],
    });
    expect(answer.json).toEqual([
      row("across", "Across", ["across", "lifi"]),
      row("stargate", "Stargate"),
      row("stargate_bus", "Stargate (bus)"),
      row("cctp", "CCTP"),
      row("cctp_fast", "CCTP (fast)"),
    ]);
    for (const { key } of answer.json as { key: string }[]) expect(bridgeKeys).toContain(key);
  });

  test("tokens of a chain with the decimals of the chain", async () => {
    const answer = await api.send("/v1/tokens?chain_id=31337");
    expectShape(answer, { operationId: "tokens.list", shape: [spec.token] });
    const tokens = answer.json as {
      address: `0x${string}`;
      symbol: string;
      name: string;
      decimals: number;
    }[];
    expect(tokens[0]).toMatchObject({ address: zeroAddress, symbol: "ETH", decimals: 18 });
    expect(tokens.map(({ symbol }) => symbol).sort()).toEqual(["ETH", "FEE", "USDC", "USDT", "WBTC", "WETH"]);
    expect(tokens.find(({ symbol }) => symbol === "USDC")?.name).toBe("USD Coin");
    for (const { address, decimals } of tokens.slice(1)) {
      const call = { address, abi: erc20Abi, functionName: "decimals" } as const;
      expect(await chain.client.readContract(call)).toBe(decimals);
    }
  });

  test.each([
    ["", 422],
    ["?chain_id=x", 422],
    ["?chain_id=5", 400],
  ])("tokens%s is refused", async (query, status) => {
    expect((await api.send(`/v1/tokens${query}`)).status).toBe(status);
  });

  test("health and readiness", async () => {
    expect((await api.send("/health")).text).toBe('{"status":"ok"}');
    const ready = await api.send("/health/ready");
    expectShape(ready, {
      operationId: "health.ready",
      shape: { status: "text", dependencies: [{ name: "text", ok: "boolean" }] },
    });
    // A store that once takes long, on a busy machine, counts as one that does not respond.
    const status = async () => ((await api.send("/health/ready")).json as { status: string }).status;
    await expect.poll(status).toBe("ok");
  });
});

test("registry addresses have code, and tokens have the listed symbols", async () => {
  for (const listed of await api.vaults("?limit=500")) {
    const { client } = chainOf(listed.chain_id);
    const address = addressOf(listed);
    expect(listed.address.toLowerCase()).toBe(address);
    const read = (token: string, functionName: "symbol" | "decimals") =>
      client.readContract({ address: token as `0x${string}`, abi: erc20Abi, functionName });
    expect(await read(listed.asset.address, "decimals")).toBe(listed.asset.decimals);
  }
});
