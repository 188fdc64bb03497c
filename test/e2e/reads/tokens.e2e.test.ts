import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Api } from "../../support/e2e/api.ts";
import { emulators, type FaultInput, withFaults } from "../../support/e2e/faults.ts";
import { type SecondWorker, startWorker } from "../../support/e2e/worker.ts";
import { TokenListRules } from "../../support/standards/token-list-rules.ts";

const names = async (api: Api): Promise<string[]> =>
  ((await api.send("/v1/tokens?chain_id=31338")).json as { symbol: string; name: string }[])
    .map(({ symbol, name }) => `${symbol} ${name}`.trim())
    .sort();

const unheardOf = () => ({ redisPrefix: `tokens-${randomBytes(4).toString("hex")}` });

describe("GET /v1/tokens with a failing provider", () => {
  let worker: SecondWorker;
  beforeAll(async () => {
    worker = await startWorker(unheardOf());
  });
  afterAll(() => worker?.close());

  test.each<FaultInput>([
    { kind: "status", status: 500 },
    { kind: "status", status: 429 },
    { kind: "html" },
    { kind: "malformed" },
    { kind: "truncate" },
    { kind: "drift" },
    { kind: "hostile" },
  ])("($kind $status) lists the vaults' tokens without the provider's", async (fault) => {
    await worker.restart(unheardOf());
    const api = new Api(worker.origin);
    const listed = await withFaults({ emulators: [emulators().lifi], faults: [fault] }, () => names(api));
    expect(listed).toEqual(["ETH", "USDC", "USDT", "WETH"]);
  });
});

test("GET /v1/tokens?format=tokenlist returns a valid token list of the same tokens", async () => {
  const api = new Api();
  const list = TokenListRules.parse((await api.send("/v1/tokens?chain_id=31338&format=tokenlist")).json);
  expect(list.tokens.map(({ symbol }) => symbol).sort()).toEqual(["USDC", "USDT", "WBTC", "WETH"]);
  expect(list.name).toBe("Causeway 31338");
  const refused = await api.send("/v1/tokens?chain_id=31338&format=csv");
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('must be \\"tokenlist\\"')]);
});

test("GET /v1/tokens lists the provider's names and further tokens", async () => {
  expect(await names(new Api())).toEqual([
    "ETH",
    "USDC USD Coin",
    "USDT Tether USD",
    "WBTC Wrapped BTC",
    "WETH Wrapped Ether",
  ]);
});
