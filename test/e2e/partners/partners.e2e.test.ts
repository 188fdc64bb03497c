import { keccak256, stringToHex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectScratchChain } from "../../../scripts/stack/chains/scratch-chain.ts";
import { executedOrders } from "../../../src/router/router-codec.ts";
import { Api, type SentDeposit } from "../../support/e2e/api.ts";
import { chainOf, mined, newUser, vaultNamed } from "../../support/e2e/chain.ts";
import { amounts, bodyFor } from "../../support/e2e/deposit.ts";
import { problemOf } from "../../support/e2e/http.ts";
import { asKey, serviceAt } from "../../support/e2e/partner.ts";
import { signDeposit } from "../../support/e2e/sign-deposit.ts";
import { type SecondWorker, startWorker } from "../../support/e2e/worker.ts";
import {
  type AccountChain,
  counterfactualAccount,
  deployAccount,
  ownedAccount,
  sharedAccount,
  upgradedAccount,
} from "../../support/partners/accounts.ts";
import {
  asPair,
  asSession,
  call,
  decide,
  login,
  makePartner,
  type NewPartner,
  newWallet,
  type Wallet,
} from "../../support/partners/wallet.ts";

const api = new Api();
const service = serviceAt();
const vault = vaultNamed("Plain USDC");
const other = vaultNamed("Fine USDC");
const chain = chainOf(vault.chain_id);
const BUILD = "/v1/quote/build";
let second: SecondWorker;

beforeAll(async () => {
  second = await startWorker({});
});
afterAll(() => second?.close());

type Headers = Record<string, string>;

/** A user's deposit, built by whoever has these headers, carried out and followed to its end. */
async function depositedBy(headers: Headers, extra: object = {}) {
  const user = await newUser(chain, { USDC: amounts.USDC });
  const body = { ...bodyFor(vault, { user: user.address }), ...extra };
  const answer = await api.send(BUILD, { body, headers });
  expect(answer.status, answer.text).toBe(200);
  const built = answer.json as SentDeposit;
  const { logs } = await mined(chain, await signDeposit(chain, { user, built, style: "calls" }));
  const [event] = executedOrders(logs);
  const hash = event?.transactionHash ?? "0x";
  expect(await api.status(hash, chain.chainId)).toMatchObject({ substatus: "COMPLETED" });
  return { trackingId: built.tracking_id, event: event?.args };
}

const get = async (path: string, partner: NewPartner) =>
  (await call(service, ["GET", path], { headers: asSession(partner.session_token) })).body;
const put = (path: string, partner: NewPartner, body: object) =>
  call(service, ["PUT", path], { headers: asSession(partner.session_token), body });

describe("a deposit built with a partner's key", () => {
  test("is attributed on chain and on the dashboard, verified only with the secret", async () => {
    const partner = await makePartner(service);
    const byKey = await depositedBy(asKey(partner));
    await put("/v1/partners/settings", partner, { partner_type: 1 });
    const byPair = await depositedBy(asPair(partner), { partner_id: partner.partner_id });
    const claimed = await depositedBy({}, { partner_id: partner.partner_id, partner_type: 2 });
    const partnerId = keccak256(stringToHex(partner.partner_id));
    expect(byKey.event).toMatchObject({ partnerId, partnerType: 2 });
    expect(byPair.event).toMatchObject({ partnerId, partnerType: 1 });
    expect(claimed.event).toMatchObject({ partnerId, partnerType: 2 });

    const rows = (await get("/v1/partners/transactions", partner))["rows"];
    expect(rows).toMatchObject([
      { tracking_id: byPair.trackingId, verified: true, state: "completed" },
      { tracking_id: byKey.trackingId, verified: false, state: "completed" },
    ]);
    expect(await get("/v1/partners/dashboard", partner)).toMatchObject({
      partner_id: partner.partner_id,
      deposits: { built: 2, verified: 1, sent: 2, pending: 0, completed: 2, failed: 0 },
      users: 2,
      success_rate: 1,
      volumes: [{ chain_id: 31337, symbol: "USDC", decimals: 6, amount: String(amounts.USDC * 2n) }],
    });
  });

  test("is limited to enrolled vaults and to the key's partner", async () => {
    const [partner, stranger] = [await makePartner(service), await makePartner(service)];
    const user = await newUser(chain);
    const into = (to: typeof vault, extra: object = {}) =>
      api.send(BUILD, {
        body: { ...bodyFor(to, { user: user.address }), ...extra },
        headers: asKey(partner),
      });
    const mismatch = problemOf(await into(vault, { partner_id: stranger.partner_id }));
    expect(mismatch).toMatchObject({ status: 403, code: "partner_mismatch" });
    await put("/v1/partners/vaults", partner, {
      vault_ids: [vault.vault_id.toUpperCase().replace("X", "x")],
    });
    expect((await into(vault)).status).toBe(200);
    expect(problemOf(await into(other))).toMatchObject({ status: 403, code: "vault_not_enrolled" });
    const quoted = await api.send("/v1/quote", {
      body: bodyFor(other, { user: user.address }),
      headers: asKey(partner),
    });
    expect(problemOf(quoted)).toMatchObject({ status: 403, code: "vault_not_enrolled" });
    const anonymous = await api.send(BUILD, { body: bodyFor(other, { user: user.address }) });
    expect(anonymous.status).toBe(200);
    await put("/v1/partners/vaults", partner, { vault_ids: null });
    expect((await into(other)).status).toBe(200);
  });
});

describe("in two isolates", () => {
  const isolates = () => [service, serviceAt(second.origin)];
  /** What each isolate answers to a build with these headers. */
  const builds = (headers: Headers) => {
    const options = { headers, body: bodyFor(vault, { user: newWallet().address }) };
    return Promise.all(isolates().map(async (at) => (await call(at, ["POST", BUILD], options)).status));
  };
  const sees = (token: unknown) =>
    Promise.all(
      isolates().map(
        async (at) => (await call(at, ["GET", "/v1/partners/me"], { headers: asSession(token) })).status,
      ),
    );

  test("a rotation ends the old key pair and all other sessions at once", async () => {
    const partner = await makePartner(service);
    const signedIn = (await login(service, partner.wallet)).body["session_token"];
    expect([await builds(asPair(partner)), await sees(signedIn)]).toEqual([
      [200, 200],
      [200, 200],
    ]);
    const rotated = await call(serviceAt(second.origin), ["POST", "/v1/partners/api-keys/rotate"], {
      headers: asSession(signedIn),
    });
    expect(rotated.status).toBe(200);
    expect(await builds(asPair(partner))).toEqual([401, 401]);
    expect(await builds(asKey(partner))).toEqual([401, 401]);
    expect(await builds(asPair({ ...partner, api_key: rotated.body["api_key"] }))).toEqual([401, 401]);
    expect(await builds(asPair(rotated.body))).toEqual([200, 200]);
    expect([await sees(partner.session_token), await sees(signedIn)]).toEqual([
      [401, 401],
      [200, 200],
    ]);
  });

  test("a revocation ends keys and sessions at once and permanently", async () => {
    const partner = await makePartner(service);
    expect(await builds(asPair(partner))).toEqual([200, 200]);
    for (const step of ["revoke", "reopen", "approve"]) {
      expect((await decide(service, step, partner.applicationId)).status).toBe(200);
      expect([await builds(asPair(partner)), await builds(asKey(partner))]).toEqual([
        [401, 401],
        [401, 401],
      ]);
      expect(await sees(partner.session_token)).toEqual([401, 401]);
    }
    const again = (await login(service, partner.wallet)).body["session_token"];
    expect(await sees(again)).toEqual([200, 200]);
  });
});

describe("onboarding works for every kind of wallet", () => {
  let accounts: AccountChain;
  beforeAll(async () => {
    accounts = { ...(await connectScratchChain(chain.rpcUrl)), chainId: chain.chainId };
  });

  const unborn = async () => {
    const factory = await deployAccount(accounts, { name: "AccountFactory" });
    return (await counterfactualAccount(accounts, { factory, salt: "0x07" })).wallet;
  };

  test.each<[string, () => Promise<Wallet>]>([
    ["with a key", async () => newWallet()],
    ["a contract with one owner (ERC-1271)", () => ownedAccount(accounts)],
    ["a contract of several owners, as a Safe", () => sharedAccount(accounts)],
    ["a contract that is still to be (ERC-6492)", unborn],
    ["upgraded, by its own key (EIP-7702)", async () => (await upgradedAccount(accounts)).byKey],
    ["upgraded, by what it runs (EIP-7702)", async () => (await upgradedAccount(accounts)).byDevice],
  ])("%s", async (_what, makeWallet) => {
    const wallet = await makeWallet();
    const partner = await makePartner(service, wallet);
    const { event } = await depositedBy(asPair(partner));
    expect(event).toMatchObject({ partnerId: keccak256(stringToHex(partner.partner_id)), partnerType: 2 });
    const signedIn = await login(service, wallet);
    expect(signedIn).toMatchObject({ status: 200, body: { partner: { address: wallet.address } } });
    const dashboard = await get("/v1/partners/dashboard", {
      ...partner,
      session_token: String(signedIn.body["session_token"]),
    });
    expect(dashboard).toMatchObject({ deposits: { completed: 1, verified: 1 } });
    const impostor = { ...newWallet(), address: wallet.address, chainId: chain.chainId };
    expect(await login(service, impostor)).toMatchObject({
      status: 401,
      body: { code: "signature_invalid" },
    });
  });
});
