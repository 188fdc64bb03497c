import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { Api } from "../../support/e2e/api.ts";
import { chainIds, chainOf, newUser, tokenOn, vaultNamed, vaultsFor } from "../../support/e2e/chain.ts";
import { amounts, bodyFor } from "../../support/e2e/deposit.ts";
import { findingsOf, problemOf } from "../../support/e2e/http.ts";
import { serviceAt } from "../../support/e2e/partner.ts";
import { signDeposit } from "../../support/e2e/sign-deposit.ts";
import { asPair, call, makePartner, newWallet, register } from "../../support/partners/wallet.ts";

const api = new Api();
const [one, two] = [chainOf(chainIds.one), chainOf(chainIds.two)];
const vault = vaultNamed("Local Prime USDC");
const NOBODY = "0x00000000000000000000000000000000000000AA";
const body = bodyFor(vault, { user: NOBODY, amount: 10_000_000n });

interface Schema {
  required?: string[];
  type?: unknown;
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
  $ref?: string;
}
const document = JSON.parse(readFileSync("openapi.json", "utf8")) as {
  components: { schemas: Record<string, Schema & { enum?: string[] }> };
};
const schemaOf = (name: string) => document.components.schemas[name] ?? {};

describe("before anything is sent", () => {
  test("unknown members and parameters are refused with the name that was meant", async () => {
    const build = await api.send("/v1/quote/build", { body: { ...body, slipage: 0.01 } });
    expect(findingsOf(build)).toEqual(["body.slipage"]);
    expect(build.text).toContain("did you mean slippage?");
    const actions = `/v1/actions/${NOBODY}/${vault.vault_id}?chain=1`;
    for (const path of ["/v1/vaults?sorted=name", `/v1/deposits?user_address=${NOBODY}&stat=built`, actions])
      expect((await api.send(path)).status).toBe(422);
    const beside = await api.send("/v1/quote/build?slippage=0.001", { body });
    expect(findingsOf(beside)).toEqual(["query.slippage"]);
  });

  test("a path that does not exist names the operation that was meant", async () => {
    const answer = await api.send("/v1/withdrawals/build", { body: {} });
    expect(problemOf(answer)).toMatchObject({
      code: "method_not_allowed",
      detail: expect.stringContaining("did you mean POST /v1/withdraw/build?"),
    });
    expect(problemOf(await api.send("/v1/vault/1:0xab")).detail).toContain("GET /v1/vaults/{vault_id}?");
  });

  test("expectations and guarantees are named alike for one and two transactions", async () => {
    const builds = await Promise.all(
      ["Remote USDC", "Midas Dollars"].map(async (name) => {
        const to = vaultNamed(name);
        const from = to.chain_id === one.chainId ? two : one;
        const user = await newUser(from, { USDC: 100_000_000n });
        const paid = { from_chain_id: from.chainId, from_token: tokenOn(from, "USDC") };
        return api.build({ ...bodyFor(to, { user: user.address, amount: 100_000_000n }), ...paid });
      }),
    );
    expect(builds.map(({ two_step }) => two_step)).toEqual([false, true]);
    for (const { estimate } of builds) {
      expect(BigInt(estimate.to_amount)).toBeGreaterThanOrEqual(BigInt(estimate.to_amount_min));
      expect(BigInt(estimate.deposit_amount)).toBeGreaterThanOrEqual(
        BigInt(estimate.deposit_amount_min ?? estimate.deposit_amount),
      );
      expect(BigInt(estimate.estimated_shares)).toBeGreaterThan(BigInt(estimate.min_shares ?? "0"));
    }
  });

  test("every approval is a step before the transaction that needs it, and a call", async () => {
    const built = await api.build(body);
    expect(built.steps.map(({ purpose }) => purpose)).toEqual(["approve", "deposit"]);
    const requests = built.steps.map((step) => step.transaction_request);
    expect(built.calls.map(({ to, data }) => ({ to, data }))).toEqual(
      requests.map((request) => ({ to: request?.to, data: request?.data })),
    );
  });

  test("a vault that settles later is recognised in lists, detail, build and steps", async () => {
    const later = vaultsFor("requests").find(({ asset_symbol }) => asset_symbol === "USDC") ?? vault;
    const listed = (await api.vaults("?deposit_settlement=request&limit=500")).map(
      ({ vault_id }) => vault_id,
    );
    expect(listed).toContain(later.vault_id);
    expect((await api.vault(later.vault_id)).settlement.deposit).toBe("request");
    const user = await newUser(chainOf(later.chain_id), { USDC: amounts.USDC });
    const built = await api.build(bodyFor(later, { user: user.address }));
    expect(built.settlement?.deposit).toBe("request");
    expect(built.steps.map(({ purpose }) => purpose)).toContain("request");
  });

  test("the slippage that is applied is stated, and never more than what was asked", async () => {
    const { estimate } = await api.build({ ...body, slippage: 0.03 });
    expect(estimate.slippage_applied).toBe(0.005);
    const floor = (BigInt(estimate.estimated_shares) * 995n) / 1000n;
    expect(BigInt(estimate.min_shares ?? "0")).toBeGreaterThanOrEqual(floor - 1n);
    expect((await api.build({ ...body, slippage: 0.001 })).estimate.slippage_applied).toBe(0.001);
  });

  test("a whole native balance leaves nothing for gas, and that is said", async () => {
    const user = await newUser(one);
    const weth = vaultsFor("family", "honest").find((each) => each.asset_symbol === "WETH");
    const whole = await one.client.getBalance({ address: user.address });
    const target = weth ?? vault;
    const order = { ...bodyFor(target, { user: user.address, amount: whole }), from_chain_id: one.chainId };
    const native = { ...order, vault_id: target.vault_id, from_token: `0x${"0".repeat(40)}` };
    const answer = await api.send("/v1/quote/build", { body: native });
    const told = answer.json as { simulation?: { gas_sufficient: boolean } };
    if (answer.status === 200) expect(told.simulation?.gas_sufficient).toBe(false);
    else expect(problemOf(answer).detail).not.toBe("");
  });

  test("the best output has that tag, and options name their provider", async () => {
    const to = vaultNamed("Remote USDC");
    const user = await newUser(one, { USDC: 100_000_000n });
    const order = {
      ...bodyFor(to, { user: user.address, amount: 100_000_000n }),
      from_chain_id: one.chainId,
    };
    const { route_options: options } = await api.quote({ ...order, from_token: tokenOn(one, "USDC") });
    const most = options.map(({ to_amount }) => BigInt(to_amount)).reduce((a, b) => (a > b ? a : b));
    for (const { tags, to_amount } of options)
      expect(tags.includes("best_output")).toBe(BigInt(to_amount) === most);
    const names = options.map(({ bridge, provider }) => `${bridge} ${provider}`);
    expect(new Set(names).size).toBe(names.length);
  });

  test("vaults are found by every token that they accept, and show their family", async () => {
    const listed = await api.vaults(`?accepts=${tokenOn(one, "USDC")}&limit=500`);
    expect(listed.map(({ vault_id }) => vault_id)).toContain(vault.vault_id);
    for (const each of listed) {
      expect(each.accepted_assets.map(({ address }) => address)).toContain(tokenOn(one, "USDC"));
      expect(each).toMatchObject({ family: expect.any(String), settlement: expect.any(Object) });
    }
  });

  test("a build across chains holds for three minutes", async () => {
    const to = vaultNamed("Remote USDC");
    const user = await newUser(one, { USDC: 100_000_000n });
    const order = {
      ...bodyFor(to, { user: user.address, amount: 100_000_000n }),
      from_chain_id: one.chainId,
    };
    const { expires_at: until } = await api.build({ ...order, from_token: tokenOn(one, "USDC") });
    expect(Date.parse(until) - Date.now()).toBeGreaterThan(170_000);
  });

  test("null is absent, and a trailing slash is the same path", async () => {
    const sent = { ...body, parent_tracking_id: null, preferred_bridge: null };
    expect((await api.send("/v1/quote/build", { body: sent })).status).toBe(200);
    expect((await api.send("/v1/chains/")).status).toBe(200);
  });

  test.each([
    ["no chain", { from_chain_id: undefined }, "is required"],
    ["slippage 50", { slippage: 50 }, "0.01 = 1 %"],
    ["an ENS name", { user_address: "alice.eth" }, "resolve the ENS name"],
    ["a symbol", { from_token: "USDC" }, "is a name or a symbol, not an address"],
    ["a bad checksum", { user_address: "0x70997970C51812dc3A010C7d01b50e0d17dc79c8" }, "EIP-55 checksum"],
    ["an unserved chain", { from_chain_id: 8453 }, "served are: Local One (31337)"],
  ])("%s has a text of its own", async (_what, change, text) => {
    expect((await api.send("/v1/quote/build", { body: { ...body, ...change } })).text).toContain(text);
  });
});

describe("while and after a deposit is sent", () => {
  let sent: { hash: string; again: string; user: string; trackingId: string };
  beforeAll(async () => {
    const user = await newUser(one, { USDC: 20_000_000n });
    const built = await api.build({ ...body, user_address: user.address });
    const hash = await signDeposit(one, { user, built, style: "calls" });
    const again = await signDeposit(one, { user, built, style: "calls" });
    sent = { hash, again, user: user.address, trackingId: built.tracking_id };
  });

  test("each amount of the status has a token and says whether it is shares", async () => {
    const status = await api.status(sent.hash, one.chainId);
    expect(status).toMatchObject({
      sending: { token: { symbol: "USDC", decimals: 6 }, kind: "asset", amount: "10000000" },
      receiving: { token: { address: vault.share_token }, kind: "shares" },
      deposit: { tracking_id: sent.trackingId },
    });
  });

  test("the same transaction sent twice names the deposit that it repeats", async () => {
    const again = await api.status(sent.again, one.chainId);
    const repeated = { tracking_id: sent.trackingId, state: "completed" };
    expect(again).toMatchObject({ status: "DONE", sending: { tx_hash: sent.again }, deposit: repeated });
  });

  test("a list shows what the chain has seen, not what strangers have built for the user", async () => {
    await api.build({ ...body, user_address: sent.user as typeof NOBODY });
    const listed = (await api.send(`/v1/deposits?user_address=${sent.user}`)).json;
    expect(listed).toMatchObject([{ tracking_id: sent.trackingId }]);
    expect(listed).toHaveLength(1);
  });
});

describe("as a partner's backend and in a browser", () => {
  const service = serviceAt();

  test("key and secret read what a session reads; registering twice is 409", async () => {
    const partner = await makePartner(service);
    for (const path of ["me", "dashboard", "transactions"]) {
      const answer = await call(service, ["GET", `/v1/partners/${path}`], { headers: asPair(partner) });
      expect(answer.status).toBe(200);
    }
    expect(await register(service, partner.wallet)).toMatchObject({
      ...{ status: 409, body: { code: "partner_exists" } },
    });
  });

  test("an application ignores what it does not know", async () => {
    const sent = { address: newWallet().address, audience: "x" };
    expect((await api.send("/v1/applications/nonce", { body: sent })).status).toBe(200);
  });

  test("another origin may read errors, and send a session and a key", async () => {
    const origin = { origin: "https://wallet.example" };
    const missing = await api.send("/v1/nothing", { headers: origin });
    expect([missing.status, missing.headers.get("access-control-allow-origin")]).toEqual([404, "*"]);
    for (const [path, method] of [
      ["/v1/quote/build", "POST"],
      ["/v1/partners/me", "GET"],
    ] as const) {
      const asked = {
        ...origin,
        "access-control-request-method": method,
        "access-control-request-headers": "authorization,x-api-key,content-type",
      };
      const preflight = await api.send(path, { method: "OPTIONS", headers: asked });
      const allowed = preflight.headers.get("access-control-allow-headers") ?? "";
      expect(allowed.toLowerCase()).toMatch(/(?=.*authorization)(?=.*x-api-key)(?=.*content-type)/);
    }
  });
});

describe("in the documentation", () => {
  test("every code that an answer can contain is explained with cause and remedy", async () => {
    const { text } = await api.send("/docs/errors");
    for (const code of ["asset_unsupported", "same_chain", "amount_too_low", "withdrawal_state", "cooldown"])
      expect(text).toContain(`id="${code}"`);
    expect(schemaOf("Substatus").enum).toContain("WAIT_DEPOSIT_TRANSACTION");
  });

  test("inputs require what has no default, and no named schema is itself nullable", () => {
    expect(schemaOf("BuildInput").required).toEqual([
      ...["from_chain_id", "from_token", "from_amount", "vault_id", "user_address"],
    ]);
    for (const [name, schema] of Object.entries(document.components.schemas))
      expect([name, JSON.stringify([schema.type, schema.anyOf ?? []]).includes('"null"')]).toEqual([
        name,
        false,
      ]);
  });

  test.each([
    "/docs/guide",
    "/docs/guide/deposits",
    "/docs/guide/withdrawals",
    "/docs/guide/partners",
    "/llms.txt",
    "/robots.txt",
    "/openapi.yaml",
  ])("%s is there", async (path) => {
    expect((await api.send(path)).status).toBe(200);
  });
});
