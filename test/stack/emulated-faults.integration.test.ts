import type { Address } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Fault } from "../../scripts/stack/emulators/control.ts";
import type { AppError } from "../../src/errors.ts";
import type { TransferRequest } from "../../src/providers/provider.ts";
import { type BridgedStack, newUser, startBridged } from "../support/stack/bridged.ts";
import { clearFaults, control } from "../support/stack/harness.ts";
import { intoVault, moveOf, openProviders } from "../support/stack/providers.ts";

const AMOUNT = 100n * 10n ** 6n;
let stack: BridgedStack;
let opened: ReturnType<typeof openProviders>;
let user: Address;
let request: TransferRequest;

beforeAll(async () => {
  stack = await startBridged();
  user = await newUser(stack);
  const tokens = { fromToken: stack.one.tokens.USDC, toToken: stack.two.tokens.USDC };
  request = moveOf(stack.one, stack.two, { ...tokens, amount: AMOUNT, user });
});
afterEach(() => Promise.all([stack.hub.lifi, stack.hub.across].map(clearFaults)));
afterAll(() => stack.close());

const lifi = (path: string, init?: RequestInit) => fetch(`${stack.hub.lifi}/v1${path}`, init);
const quotePath = (changes: Record<string, string> = {}) =>
  `/quote?${new URLSearchParams({
    fromChain: "31337",
    toChain: "31338",
    fromToken: stack.one.tokens.USDC,
    toToken: stack.two.tokens.USDC,
    fromAmount: AMOUNT.toString(),
    fromAddress: user,
    skipSimulation: "true",
    ...changes,
  })}`;
const post = (path: string, body: unknown) => lifi(path, { method: "POST", body: JSON.stringify(body) });

describe("LI.FI emulator: errors", () => {
  test("rejects invalid requests with the service's codes", async () => {
    const answers = await Promise.all([
      lifi(quotePath({ fromAmount: "-1" })),
      lifi(quotePath({ fromAmount: "0" })),
      lifi(quotePath({ fromChain: "1" })),
      lifi(quotePath({ integrator: "a name that is too long for it" })),
      lifi(quotePath({ slippage: "1.5" })),
      lifi(quotePath({ toToken: stack.two.tokens.FEE })),
      lifi(quotePath({ allowBridges: "hop" })),
      lifi(quotePath({ denyBridges: "all" })),
      lifi(quotePath({ fromAmount: "1000" })),
      lifi(quotePath({ toToken: "WETH" })),
      lifi(quotePath({ skipSimulation: "false" })),
      post("/quote/contractCalls", { fromChain: 31337 }),
      lifi("/advanced/routes", { method: "POST", body: "{" }),
    ]);
    const told = await Promise.all(
      answers.map(async (answer) => [answer.status, ((await answer.json()) as { code: number }).code]),
    );
    const [invalid, unknown, none] = [
      [400, 1011],
      [404, 1003],
      [404, 1002],
    ];
    expect(told).toEqual([
      ...[invalid, invalid, invalid, invalid, invalid, unknown],
      ...[none, none, none, none, [400, 1001], invalid, invalid],
    ]);
    expect((await lifi("/nothing")).status).toBe(404);
  });

  test("returns the tool's reason as a quote error and as an unavailable route", async () => {
    const quote = (await (await lifi(quotePath({ fromAmount: "1000" }))).json()) as Record<string, unknown>;
    expect(quote["errors"]).toMatchObject([{ code: "AMOUNT_TOO_LOW", tool: "across" }]);
    const body = {
      fromChainId: 31337,
      toChainId: 31338,
      fromTokenAddress: stack.one.tokens.USDC,
      toTokenAddress: stack.two.tokens.USDC,
      fromAmount: "1000",
    };
    const routes = (await (await post("/advanced/routes", body)).json()) as Record<string, unknown>;
    expect(routes).toMatchObject({ routes: [], unavailableRoutes: { failed: [{}], filteredOut: [] } });
    const options = { bridges: { allow: ["cctp"] } };
    const filtered = await (await post("/advanced/routes", { ...body, options })).json();
    expect(filtered).toMatchObject({ routes: [], unavailableRoutes: { failed: [], filteredOut: [{}] } });
  });

  test("sends the remaining rate limit with every response", async () => {
    const { headers } = await lifi("/tools");
    const names = ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"];
    expect(names.map((name) => headers.get(name))).toEqual(names.map(() => expect.stringMatching(/^\d+$/)));
  });

  test("accepts several contract calls, and chains and tokens by name", async () => {
    const body = {
      fromChain: "local-one",
      toChain: "local-two",
      fromToken: "USDC",
      toToken: "USDC",
      fromAmount: AMOUNT.toString(),
      fromAddress: user,
      contractCalls: [],
    };
    const answer = (await (await post("/quote/contractCalls", body)).json()) as Record<string, unknown>;
    expect(answer).toMatchObject({ tool: "across", integrator: "", estimate: { toAmount: "99736629" } });
    const both = { ...body, toAmount: "1" };
    expect((await post("/quote/contractCalls", both)).status).toBe(400);
  });
});

describe("providers on faulty emulators", () => {
  const failure = async (name: "lifi" | "across", wanted = request): Promise<string> => {
    opened = openProviders(stack);
    const work = opened[name].build(opened.scope, wanted);
    return work.then(
      () => "built",
      (error: AppError) => error.code,
    );
  };
  const set = (name: "lifi" | "across", fault: Partial<Fault> & Pick<Fault, "kind">) =>
    control(stack.hub[name], { faults: [fault] });

  test.each(["lifi", "across"] as const)("map each fault of %s to an error code", async (name) => {
    const outcomes: Record<string, string> = {};
    for (const kind of ["malformed", "truncate", "html", "drift", "hostile"] as const) {
      await set(name, { kind });
      outcomes[kind] = await failure(name);
    }
    await set(name, { kind: "status", status: 429 });
    outcomes["429"] = await failure(name);
    await set(name, { kind: "status", status: 502 });
    outcomes["502"] = await failure(name);
    await clearFaults(stack.hub[name]);
    outcomes["none"] = await failure(name);
    expect(outcomes).toEqual({
      malformed: "upstream_unavailable",
      truncate: "upstream_unavailable",
      html: "upstream_unavailable",
      drift: expect.stringMatching(/^upstream_/),
      hostile: "upstream_rejected",
      "429": "rate_limited",
      "502": "upstream_unavailable",
      none: "built",
    });
  });

  test("reject a hostile quote with a destination call", async () => {
    const call = intoVault(stack.two, { vault: "Remote USDC", user, minIn: (AMOUNT * 97n) / 100n });
    await set("lifi", { kind: "hostile" });
    expect(await failure("lifi", { ...request, call })).toBe("upstream_rejected");
  });

  test("offer no single transaction for a call that declares more than the rounded delivery", async () => {
    expect((await control(stack.hub.lifi, { quirks: ["declare_delivered"] })).status).toBe(200);
    const codes = new Set<string>();
    for (let more = 0n; more < 12n; more += 1n) {
      const call = intoVault(stack.two, { vault: "Remote USDC", user, minIn: (AMOUNT * 97n) / 100n });
      codes.add(await failure("lifi", { ...request, amount: AMOUNT + more * 1_237n, call }));
    }
    // The deposit then takes two transactions.
    expect([...codes].sort()).toEqual(["built", "no_route"]);
  });

  test("stop requests after LI.FI's 429, for a minute at most", async () => {
    await set("lifi", { kind: "status", status: 429, retry_after: 120 });
    const answer = await lifi(quotePath());
    expect([answer.headers.get("ratelimit-remaining"), answer.headers.get("ratelimit-reset")]).toEqual([
      "0",
      "120",
    ]);
    expect(await answer.json()).toMatchObject({ code: 1005 });
    opened = openProviders(stack);
    const now = opened.scope.now();
    const build = () => opened.lifi.build({ ...opened.scope, now: () => now }, request);
    await expect(build()).rejects.toMatchObject({ code: "rate_limited" });
    await clearFaults(stack.hub.lifi);
    await expect(build()).rejects.toMatchObject({ code: "rate_limited", members: { retry_after: 60 } });
  });

  test("report no received amount for a false delivery status", async () => {
    opened = openProviders(stack);
    const txHash = `0x${"56".repeat(32)}` as const;
    const transfer = { txHash, fromChainId: 31337, toChainId: 31338, tool: "across" };
    await set("lifi", { kind: "hostile", match: "/status" });
    const said = await opened.lifi.status(opened.scope, transfer);
    expect(said).toMatchObject({ phase: "delivered", amountReceived: null });
  });
});

describe("quotes without a transaction", () => {
  test("return the same output as the built transaction", async () => {
    opened = openProviders(stack);
    for (const name of ["lifi", "across"] as const) {
      const [option] = await opened[name].quote(opened.scope, request);
      const built = await opened[name].build(opened.scope, request);
      expect(option).toMatchObject({ provider: name, bridge: "across", toAmount: built.toAmount });
    }
    const other = opened.lifi.quote(opened.scope, { ...request, bridges: ["stargate"] });
    expect(await other).toMatchObject([{ provider: "lifi", bridge: "stargate" }]);
    const toToken = stack.two.tokens.WBTC;
    const none = opened.lifi.quote(opened.scope, { ...request, toToken, bridges: ["stargate"] });
    await expect(none).rejects.toMatchObject({ code: "no_route" });
  });

  test("list the bridges and tokens of the catalog", async () => {
    const { lifi: provider, scope } = openProviders(stack);
    const offered = await provider.bridges(scope);
    expect(offered.map(({ key }) => key)).toEqual([
      "across",
      "stargate",
      "stargate_bus",
      "cctp",
      "cctp_fast",
    ]);
    for (const { routes } of offered)
      expect(routes).toMatchObject([{ fromChainId: 31337, toChainId: 31338 }, { fromChainId: 31338 }]);
    const tokens = await provider.tokens(scope, 31337);
    expect(tokens.map(({ symbol }) => symbol)).toEqual(["ETH", "USDC", "USDT", "WETH", "WBTC"]);
    expect(await provider.changedDiamonds(scope)).toEqual([]);
  });
});
