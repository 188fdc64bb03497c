import { beforeAll, describe, expect, inject, test } from "vitest";
import { type HttpAnswer, type HttpRequest, sendRequest } from "../../../scripts/smoke/http-request.ts";
import { chainIds, chainOf, newUser, tokenOn, vaultNamed, vaultsFor } from "../../support/e2e/chain.ts";

const vault = vaultNamed("Local Prime USDC");
const other = vaultNamed("Plain USDC");
const later = vaultsFor("family").find(({ adapter }) => adapter === "lagoon") ?? other;
const NOBODY = "0x00000000000000000000000000000000000000AA";
const HASH = `0x${"ab".repeat(32)}`;
const TRACKING = `trk_${"0".repeat(32)}`;
const vaultAddress = vault.vault_id.split(":")[1] ?? "";
const usdc = tokenOn(chainOf(chainIds.one), "USDC");

const send = (path: string, request?: HttpRequest): Promise<HttpAnswer> =>
  sendRequest(`${inject("stack").api}${path}`, request);

/** Says in one line what an answer tells the user: status, code or place, and the text. */
function told({ status, json }: HttpAnswer): string {
  const { code, detail } = json as { code?: string; detail: string | { loc: string[]; msg: string }[] };
  if (typeof detail === "string") return `${status} ${code}: ${detail}`;
  return `${status} ${detail.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; ")}`;
}

const without = (body: object, name: string): object =>
  Object.fromEntries(Object.entries(body).filter(([key]) => key !== name));

describe("a mistake in a withdrawal's body is answered with what to do", () => {
  const body = { vault_id: vault.vault_id, user_address: NOBODY, shares: "1000000000000000000" };

  test.each<[string, object, RegExp]>([
    ["shares with decimals", { shares: "1.5" }, /^422 body\.shares: .*without a decimal point.*or "all"/],
    ["negative shares", { shares: "-1" }, /^422 body\.shares: must be a positive integer.*or "all"/],
    ["no shares at all", { shares: "0" }, /^422 body\.shares: must be a positive integer/],
    ["shares with leading zeros", { shares: "0100" }, /^422 body\.shares: .*without leading zeros/],
    ["shares in hexadecimal", { shares: "0x10" }, /^422 body\.shares: must be a positive integer/],
    ["shares with an exponent", { shares: "1e18" }, /^422 body\.shares: must be a positive integer/],
    ["shares beyond uint256", { shares: "9".repeat(78) }, /^422 body\.shares: .*does not fit uint256/],
    ["shares as a number", { shares: 100 }, /^422 body\.shares: .*in quotes, not a JSON number/],
    ["ALL", { shares: "ALL" }, /^422 body\.shares: must be "all" in lowercase/],
    ["max", { shares: "max" }, /^422 body\.shares: must be "all" in lowercase/],
    ["100%", { shares: "100%" }, /^422 body\.shares: must be "all" in lowercase/],
    ["a vault by its symbol", { vault_id: "USDC" }, /^422 body\.vault_id: .*GET \/v1\/vaults/],
    [
      "a vault without its chain",
      { vault_id: vaultAddress },
      /^422 body\.vault_id: .*the chain id is missing/,
    ],
    ["a vault with a dash", { vault_id: `31337-${vaultAddress}` }, /^422 body\.vault_id: .*with a colon/],
    [
      "an unknown vault",
      { vault_id: `31337:0x${"12".repeat(20)}` },
      /^404 vault_not_found: there is no vault/,
    ],
    ["a vault of another chain", { vault_id: `31338:${vaultAddress}` }, /^404 vault_not_found/],
    ["a vault of an unknown chain", { vault_id: `999999:${vaultAddress}` }, /^404 vault_not_found/],
    [
      "an address with a wrong checksum",
      { user_address: "0x70997970C51812dc3A010C7d01b50e0d17dc79c8" },
      /^422 body\.user_address: .*EIP-55 checksum/,
    ],
    ["an ENS name", { user_address: "alice.eth" }, /^422 body\.user_address: .*resolve the ENS name/],
    [
      "a short address",
      { user_address: "0x1234" },
      /^422 body\.user_address: .*40 hexadecimal digits.*has 4/,
    ],
    ["a hash for an address", { user_address: HASH }, /^422 body\.user_address: .*it has 64/],
    [
      "the zero address",
      { user_address: `0x${"0".repeat(40)}` },
      /^422 body\.user_address: must not be the zero/,
    ],
    [
      "an unknown chain to be paid on",
      { to_chain_id: 12_345 },
      /^400 chain_unsupported: .*served are: Local One/,
    ],
    [
      "a chain id in quotes",
      { to_chain_id: "31338" },
      /^422 body\.to_chain_id: must be a JSON integer, without/,
    ],
    [
      "another chain without a token",
      { to_chain_id: 31_338 },
      /^400 token_unsupported: to_token is required/,
    ],
    [
      "the vault's own share as payment",
      { to_token: vault.share_token },
      /^400 token_unsupported: .*own share/,
    ],
    ["a token by its symbol", { to_token: "WETH" }, /^422 body\.to_token: .*GET \/v1\/tokens/],
    ["slippage in percent", { slippage: 5 }, /^422 body\.slippage: .*0\.01 = 1 %/],
    ["slippage as text", { slippage: "0.01" }, /^422 body\.slippage: .*0\.01 = 1 %/],
    ["an unknown mode", { mode: "redeem" }, /^422 body\.mode: .*"auto"\|"instant"\|"request"/],
    ["a mode that the vault lacks", { mode: "request" }, /^400 mode_unsupported: .*it pays by: instant/],
    ["a receiver", { receiver: NOBODY }, /^422 body\.receiver: unknown field "receiver": accepted: vault_id/],
    ["a misspelt name", { slipage: 0.01 }, /^422 body\.slipage: .*did you mean slippage\?/],
    ["an unknown bridge", { preferred_bridge: "hop" }, /^422 body\.preferred_bridge: .*"across"/],
    [
      "a submitter without a signature",
      { submitter: usdc },
      /^422 body\.submitter: only `user_address` can send/,
    ],
    ["an unknown way to pay", { authorize: "sign" }, /^422 body\.authorize: .*"approve"\|"erc3009"/],
    [
      "more than the user has",
      { shares: "9".repeat(30) },
      /^400 nothing_to_withdraw: the account holds no shares/,
    ],
  ])("%s", async (_what, change, answer) => {
    for (const path of ["/v1/withdraw/build", "/v1/withdraw/quote"])
      expect(told(await send(path, { body: { ...body, ...change } }))).toMatch(answer);
  });

  test.each(["vault_id", "user_address", "shares"])("no %s", async (name) => {
    const answer = await send("/v1/withdraw/build", { body: without(body, name) });
    expect(told(answer)).toBe(`422 body.${name}: is required`);
  });

  test.each([
    ["amount for shares", { amount: "1" }, /body\.shares: is required; .*did you mean shares\?/],
    ["assets for shares", { assets: "1" }, /body\.shares: is required; .*did you mean shares\?/],
  ])("%s", async (_what, change, answer) => {
    const sent = { ...without(body, "shares"), ...change };
    expect(told(await send("/v1/withdraw/build", { body: sent }))).toMatch(answer);
  });
});

describe("a mistake about a request is answered with what to do", () => {
  const body = { vault_id: later.vault_id, user_address: NOBODY, request_id: "7" };

  test.each<[string, string, object, RegExp]>([
    [
      "an unknown request",
      "claim",
      body,
      /^400 nothing_to_withdraw: the account has no redemption request 7/,
    ],
    [
      "a request id as a number",
      "claim",
      { ...body, request_id: 7 },
      /^422 body\.request_id: must be a string/,
    ],
    ["a tracking id for the request", "claim", { tracking_id: TRACKING }, /body\.request_id: is required/],
    [
      "a cancellation where there are no requests",
      "cancel",
      { ...body, vault_id: vault.vault_id },
      /^400 mode_unsupported: .*pays instantly and takes no requests/,
    ],
  ])("%s", async (_what, action, sent, answer) => {
    expect(told(await send(`/v1/withdraw/${action}`, { body: sent }))).toMatch(answer);
  });
});

describe("a mistake about a record is answered with what to do", () => {
  let deposit = "";
  beforeAll(async () => {
    const user = await newUser(chainOf(chainIds.one), { USDC: 5_000_000n });
    const order = { from_chain_id: 31_337, from_token: usdc, from_amount: "1000000" };
    const body = { ...order, vault_id: vault.vault_id, user_address: user.address };
    const built = (await send("/v1/quote/build", { body })).json as { tracking_id: string };
    deposit = built.tracking_id;
  });

  test("a tracking id of a deposit at withdrawals, and the reverse", async () => {
    expect(told(await send(`/v1/withdrawals/${deposit}`))).toMatch(
      /^404 withdrawal_not_found: .*\/v1\/deposits/,
    );
    expect(told(await send(`/v1/deposits/${TRACKING}`))).toMatch(
      /^404 deposit_not_found: .*\/v1\/withdrawals/,
    );
  });

  test.each(["123", "5a4d456b-72fe-452f-aed5-7c7809ce8520", HASH])("%s for a tracking id", async (id) => {
    for (const list of ["deposits", "withdrawals"])
      expect(told(await send(`/v1/${list}/${id}`))).toMatch(
        /^422 path\.tracking_id: .*trk_ and 32 hexadecimal/,
      );
  });

  test.each<[string, object, RegExp]>([
    ["a short hash", { tx_hash: "0xab" }, /^422 body\.tx_hash: must be 0x and 64 hexadecimal digits/],
    ["no hash", {}, /^422 body\.tx_hash: is required/],
    ["an unknown step", { tx_hash: HASH, step: "approve" }, /^422 body\.step: .*"source\.approve"/],
  ])("%s in a report", async (_what, body, answer) => {
    expect(told(await send(`/v1/deposits/${deposit}/tx`, { method: "PATCH", body }))).toMatch(answer);
  });

  test("a signature that nobody waits for", async () => {
    const body = { signature: `0x${"11".repeat(65)}` };
    const expected = /^409 deposit_state: this deposit does not wait for a signature/;
    expect(told(await send(`/v1/deposits/${deposit}/authorize`, { body }))).toMatch(expected);
    expect(told(await send(`/v1/deposits/${deposit}/cancel`, { body: {} }))).toMatch(expected);
    expect(told(await send(`/v1/deposits/${deposit}/authorize`, { body: {} }))).toMatch(
      /^422 body\.signature: is required/,
    );
  });

  test("the same twice: abandoning is the same answer, and a report may be repeated", async () => {
    const patch = (path: string, body: object) => send(path, { method: "PATCH", body });
    for (let time = 0; time < 2; time += 1) {
      expect((await patch(`/v1/deposits/${deposit}/tx`, { tx_hash: HASH })).status).toBe(200);
      const abandoned = await patch(`/v1/deposits/${deposit}/abandon`, {});
      expect(abandoned.json).toMatchObject({ state: "abandoned" });
    }
  });

  test.each<[string, RegExp]>([
    ["/v1/withdrawals", /^422 query\.user_address: is required/],
    [`/v1/withdrawals?user=${NOBODY}`, /query\.user: unknown field "user": did you mean user_address\?/],
    [`/v1/withdrawals?user_address=${NOBODY}&state=done`, /^422 query\.state: .*completed/],
    [`/v1/withdrawals?user_address=${NOBODY}&from=yesterday`, /^422 query\.from: .*RFC 3339/],
    [`/v1/withdrawals?user_address=${NOBODY}&limit=1000`, /^422 query\.limit: must be at most 100/],
    [`/v1/status?tx_hash=${"5".repeat(64)}&from_chain_id=31337`, /^422 query\.tx_hash: must be 0x and 64/],
    [`/v1/status?tx_hash=${HASH}`, /^422 query\.from_chain_id: is required/],
    [`/v1/actions/${vault.vault_id}/${NOBODY}`, /path\.user_address: must be an address: 0x and 40/],
    [`/v1/actions/${NOBODY}/31337:0x${"12".repeat(20)}`, /^404 vault_not_found/],
  ])("%s", async (path, answer) => {
    expect(told(await send(path))).toMatch(answer);
  });
});

describe("a mistake in a move or a signed order is answered with what to do", () => {
  const move = {
    ...{ from_chain_id: 31_337, from_token: other.share_token, from_amount: "1000000" },
    ...{ vault_id: vault.vault_id, user_address: NOBODY },
  };

  test.each<[string, object, RegExp]>([
    [
      "the vault's own share",
      { from_token: vault.share_token },
      /^422 body\.from_token: .*share token of the vault/,
    ],
    ["shares that nobody has", {}, /^400 nothing_to_withdraw: the account holds no shares of Plain USDC/],
    ["all", { from_amount: "all" }, /^422 body\.from_amount: .*send the balance itself/],
    ["decimals", { from_amount: "1.5" }, /^422 body\.from_amount: .*without a decimal point/],
    ["a number", { from_amount: 1_000_000 }, /^422 body\.from_amount: .*in quotes, not a JSON number/],
    [
      "a share of another chain",
      { from_chain_id: 31_338 },
      /^400 token_unsupported: .*not a token on chain 31338: GET/,
    ],
    [
      "a chain in quotes",
      { from_chain_id: "31337" },
      /^422 body\.from_chain_id: must be a JSON integer, without/,
    ],
    ["a truth for authorize", { authorize: true }, /^422 body\.authorize: .*"approve"/],
    ["a submitter of an approval", { submitter: usdc }, /^422 body\.submitter: only `user_address`/],
    [
      "Permit2 without its approval",
      { from_token: usdc, authorize: "permit2" },
      /^400 authorization_unsupported: the user has not approved Permit2/,
    ],
  ])("%s", async (_what, change, answer) => {
    expect(told(await send("/v1/quote/build", { body: { ...move, ...change } }))).toMatch(answer);
  });
});
