import { describe, expect, test } from "vitest";
import { composeApp, loadRoutes } from "../../src/app.ts";
import { knownChains } from "../../src/chains/chain-definitions.ts";
import type { Context } from "../../src/context.ts";
import { ValidationErrorBody } from "../../src/schemas/error-schema.ts";
import { testContext } from "../support/context.ts";

const routes = await loadRoutes();
const execution: ExecutionContext = {
  waitUntil: () => undefined,
  passThroughOnException: () => undefined,
  props: {},
} as unknown as ExecutionContext;

/** A deployment that serves two chains and reaches nothing. */
function context(): Context {
  const ctx = testContext();
  const served = knownChains.filter(({ chainId }) => chainId === 1 || chainId === 8453);
  const definitions = new Map(served.map((chain) => [chain.chainId, chain]));
  return { ...ctx, chains: { definitions, client: () => null } };
}
const app = composeApp(context);
const send = (path: string, init?: RequestInit) =>
  app.fetch(new Request(`https://causeway.example${path}`, init), {}, execution);
const posted = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});
async function issuesOf(response: Response) {
  expect(response.status).toBe(422);
  return ValidationErrorBody.parse(await response.json()).detail;
}

const body = {
  from_chain_id: 8453,
  from_token: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  from_amount: "1000000",
  vault_id: `8453:0x${"2".repeat(40)}`,
  user_address: `0x${"3".repeat(40)}`,
};

describe.each(["/v1/quote", "/v1/quote/build"])("POST %s", (path) => {
  const issues = async (change: Record<string, unknown>) =>
    (await issuesOf(await send(path, posted({ ...body, ...change })))).map(
      ({ loc, msg, type }) => `${loc.join(".")} ${type}: ${msg}`,
    );

  test.each([
    ["slipage", "slippage"],
    ["slippage_", "slippage"],
    ["fromToken", "from_token"],
    ["amount", "from_amount"],
    ["referer", "referrer"],
    ["prefered_bridge", "preferred_bridge"],
    ["partnerId", "partner_id"],
  ])("refuses %s and asks for %s", async (name, meant) => {
    expect(await issues({ [name]: 1 })).toEqual([
      `body.${name} unknown_field: unknown field "${name}": did you mean ${meant}?`,
    ]);
  });

  test("refuses a field that resembles none and lists those there are", async () => {
    const [issue] = await issues({ xyzzy: 1 });
    expect(issue).toMatch(/^body\.xyzzy unknown_field: unknown field "xyzzy": accepted: from_chain_id, /);
  });

  test("takes null for every optional field, as absent", async () => {
    const optional = ["slippage", "referrer", "referrer_handle", "parent_tracking_id", "preferred_bridge"];
    const nulls = Object.fromEntries([...optional, "partner_id", "partner_type"].map((name) => [name, null]));
    expect((await send(path, posted({ ...body, ...nulls, from_chain_id: 5 }))).status).toBe(400);
    expect(await issues({ from_amount: null })).toEqual([
      "body.from_amount invalid_type: must be a positive integer in the smallest unit, as a decimal string",
    ]);
  });

  test.each([50, 0, "1%", 0.51])("explains a slippage of %j", async (slippage) => {
    expect((await issues({ slippage })).join()).toContain("0.01 = 1 %");
  });

  test.each([
    ["vitalik.eth", /is a name, not an address: resolve the ENS name/],
    ["USDC", /is a name or a symbol, not an address/],
    ["0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02914", /EIP-55 checksum/],
    ["0x8335", /must have 40 hexadecimal digits after 0x; it has 4/],
    ["", /must be an address/],
  ])("explains the address %j", async (address, text) => {
    for (const field of ["from_token", "user_address"])
      expect((await issues({ [field]: address })).join()).toMatch(text);
  });

  test("names the served chains for another one", async () => {
    const response = await send(path, posted({ ...body, from_chain_id: 5 }));
    expect(await response.json()).toMatchObject({
      code: "chain_unsupported",
      detail: "chain 5 is not served; served are: Ethereum (1), Base (8453)",
    });
  });
});

/** Reads whose callers add parameters of their own: bridges' clients, and monitors that get round caches. */
const lenient = ["status.get", "health.live", "health.ready", "health.details"];
/** Operations in whose bodies an unknown field is refused, because money depends on them. */
const money = /^\/v1\/(?:quote|withdraw)(?:\/|$)/;
const strict = routes.filter(({ method, operationId, path }) =>
  method === "get" ? !lenient.includes(operationId) : money.test(path),
);

describe("queries", () => {
  test("are strict for every read but four, and beside the bodies that build", () => {
    expect(strict.filter(({ method }) => method === "get").length).toBeGreaterThan(20);
    expect(strict.filter(({ method }) => method === "post").map(({ path }) => path)).toEqual([
      ...["/v1/quote", "/v1/quote/build", "/v1/withdraw/quote", "/v1/withdraw/build"],
      ...["/v1/withdraw/claim", "/v1/withdraw/cancel"],
    ]);
  });

  test.each(lenient)("of %s are not", async (operationId) => {
    const path = routes.find((route) => route.operationId === operationId)?.path;
    const response = await send(`${path}?xyzzy=1`);
    expect(await response.text()).not.toContain("xyzzy");
  });

  test.each(strict.filter(({ access }) => access === "public"))(
    "of $operationId are refused with a parameter that it does not have",
    async ({ path, method }) => {
      const init = method === "post" ? posted({}) : {};
      const response = await send(`${path.replaceAll(/\{\w+\}/g, "x")}?xyzzy=1`, init);
      const issues = await issuesOf(response);
      expect(issues).toContainEqual({
        loc: ["query", "xyzzy"],
        msg: expect.stringContaining('unknown field "xyzzy"'),
        type: "unknown_field",
      });
    },
  );

  test.each(strict.filter(({ query }) => query !== undefined).filter(({ access }) => access === "public"))(
    "of $operationId are refused with the nearest name that it has",
    async ({ path, query }) => {
      for (const name of Object.keys(query?.shape ?? {})) {
        const misspelt = `${name.replaceAll("_", "")}s`;
        if (Object.hasOwn(query?.shape ?? {}, misspelt)) continue;
        const issues = await issuesOf(await send(`${path.replaceAll(/\{\w+\}/g, "x")}?${misspelt}=1`));
        const own = issues.find(({ loc }) => loc[1] === misspelt);
        expect(own?.msg).toBe(`unknown field "${misspelt}": did you mean ${name}?`);
      }
    },
  );

  test("are refused with the name that was meant", async () => {
    const [issue] = await issuesOf(await send("/v1/vaults?chainid=1"));
    expect(issue?.msg).toBe('unknown field "chainid": did you mean chain_id?');
  });

  test("say what is missing, and that an integer is asked for", async () => {
    const missing = await issuesOf(await send("/v1/tokens"));
    expect(missing).toEqual([{ loc: ["query", "chain_id"], msg: "is required", type: "missing" }]);
    const wrong = await issuesOf(await send("/v1/tokens?chain_id=base"));
    expect(wrong[0]?.msg).toBe("must be an integer in decimal digits: GET /v1/chains lists the chains");
  });

  test.each(["/v1/chains?=1", "/v1/chains?source=true&=1"])(
    "are refused without a name: %s",
    async (path) => {
      expect(await issuesOf(await send(path))).toEqual([
        { loc: ["query", ""], msg: 'unknown field "": accepted: source', type: "unknown_field" },
      ]);
    },
  );

  test.each(["deposits", "withdrawals"])(
    "of /v1/%s may not name a period that ends before it starts",
    async (list) => {
      const path = `/v1/${list}?user_address=${body.user_address}`;
      expect(await issuesOf(await send(`${path}&from=24h&to=48h`))).toEqual([
        { loc: ["query", "from"], msg: "must not be after `to`", type: "custom" },
      ]);
      expect((await send(`${path}&from=48h&to=24h`)).status).not.toBe(422);
    },
  );
});

test("a path with a trailing slash is the same path", async () => {
  for (const path of ["/health", "/v1/chains", "/v1/vaults/x", "/docs/errors", "/v1/nowhere"]) {
    const [plain, slashed] = [await send(path), await send(`${path}/`)];
    expect([path, slashed.status]).toEqual([path, plain.status]);
  }
});

describe("a reported transaction", () => {
  const reported = ["approve_reset", "approve", "cancel"].map((purpose) => `source.${purpose}`);
  const later = ["destination.approve_reset", "destination.approve", "claim", "cancel"];

  test.each([
    ["deposits", [...reported, ...later, "source.deposit", "source.transfer", "source.request"]],
    ["deposits", ["destination.deposit", "destination.request"]],
    ["withdrawals", [...reported, ...later, "source.redeem", "source.request", "source.cooldown"]],
    ["withdrawals", ["destination.transfer"]],
  ])("of %s takes the id of every step that has a transaction", async (kind, steps) => {
    for (const step of steps) {
      const report = { ...posted({ tx_hash: `0x${"1".repeat(64)}`, step }), method: "PATCH" };
      const response = await send(`/v1/${kind}/trk_${"0".repeat(32)}/tx`, report);
      // The deployment has no database, which a valid report needs.
      expect([step, response.status]).toEqual([step, 503]);
    }
  });
});
