import { beforeAll, describe, expect, test } from "vitest";
import { chainOf, newUser, vaultNamed } from "../../support/e2e/chain.ts";
import { query } from "../../support/e2e/database.ts";
import { bodyFor } from "../../support/e2e/deposit.ts";
import { emulators, type FaultInput, HANG_MS, withFaults } from "../../support/e2e/faults.ts";
import { asKey, serviceAt } from "../../support/e2e/partner.ts";
import {
  type Answer,
  apply,
  asPair,
  asSession,
  call,
  decide,
  login,
  makePartner,
  type NewPartner,
  newWallet,
  register,
  signNonce,
  type Wallet,
} from "../../support/partners/wallet.ts";

const service = serviceAt();
const vault = vaultNamed("Plain USDC");
const DOWN: FaultInput = { kind: "status", status: 503 };
const HANGS: FaultInput = { kind: "timeout" };
const unavailable = { status: 503, body: { code: "store_unavailable" } };

let user: `0x${string}`;
let partner: NewPartner;

/** Reads are in the cache before anything breaks. */
beforeAll(async () => {
  user = (await newUser(chainOf(vault.chain_id))).address;
  partner = await makePartner(service);
  for (const path of ["/v1/vaults", `/v1/vaults/${vault.vault_id}`]) await call(service, ["GET", path]);
});

type Headers = Record<string, string>;
const build = (headers: Headers) =>
  call(service, ["POST", "/v1/quote/build"], { headers, body: bodyFor(vault, { user }) });
const rotate = (headers: Headers) => call(service, ["POST", "/v1/partners/api-keys/rotate"], { headers });
const me = (token: unknown) => call(service, ["GET", "/v1/partners/me"], { headers: asSession(token) });
const read = async (path: string, headers: Headers = {}) =>
  (await call(service, ["GET", path], { headers })).status;

/** A wallet whose application is approved, and its signed registration; nobody has sent it yet. */
async function approved(): Promise<{ wallet: Wallet; applicationId: unknown; registration: object }> {
  const wallet = newWallet();
  const applicationId = (await apply(service, wallet)).body["application_id"];
  await decide(service, "approve", applicationId);
  const { message: _, ...registration } = await signNonce(service, { wallet, purpose: "register" });
  return { wallet, applicationId, registration };
}

/** What is written down about an address, in every table that partners write to. */
async function written(address: string): Promise<Record<string, unknown>> {
  const [row] = await query(
    `select (select status from applications where address = $1) as application,
      (select count(*)::int from partners where address = $1) as partners,
      (select version from api_keys where partner_address = $1) as key_version,
      (select count(*)::int from sessions where partner_address = $1) as sessions,
      (select count(*)::int from audit where subject = $1) as notes`,
    [address.toLowerCase()],
  );
  return row ?? {};
}

describe.each<[string, FaultInput]>([
  ["refuses", DOWN],
  ["hangs", HANGS],
  ["answers garbage", { kind: "malformed" }],
  ["has renamed its fields", { kind: "drift" }],
])("partners with a Redis that %s", (_name, fault) => {
  test("reads and builds continue; sign-in answers 503 and writes nothing", async () => {
    const { wallet, registration } = await approved();
    const stranger = newWallet();
    const { message: _, ...filing } = await signNonce(service, { wallet: stranger, purpose: "apply" });
    const form = { company: "A", email: "a@wallet.example" };
    await withFaults({ emulators: [emulators().upstash], faults: [fault] }, async () => {
      const startedAt = performance.now();
      const [lists, detail, anonymous, keyed, paired, portal] = await Promise.all([
        read("/v1/vaults"),
        read(`/v1/vaults/${vault.vault_id}`, asKey(partner)),
        build({}),
        build(asKey(partner)),
        build(asPair(partner)),
        me(partner.session_token),
      ]);
      expect([lists, detail, anonymous.status, keyed.status, paired.status, portal.status]).toEqual([
        200, 200, 200, 200, 200, 200,
      ]);
      const nonce = { address: stranger.address };
      const signIns = await Promise.all([
        call(service, ["POST", "/v1/partners/nonce"], { body: nonce }),
        call(service, ["POST", "/v1/applications/nonce"], { body: nonce }),
        call(service, ["POST", "/v1/partners/register"], { body: registration }),
        call(service, ["POST", "/v1/applications/wallet"], { body: { ...filing, form } }),
      ]);
      for (const answer of signIns) expect(answer).toMatchObject(unavailable);
      expect(performance.now() - startedAt).toBeLessThan(HANG_MS);
    });
    expect(await written(stranger.address)).toMatchObject({ application: null });
    expect(await written(wallet.address)).toMatchObject({ application: "approved", partners: 0 });
    expect((await register(service, wallet)).status).toBe(200);
    expect((await apply(service, stranger)).status).toBe(201);
  });
});

/** Every write of partners and administrators, and how it stands before. */
async function writes() {
  const owner = await makePartner(service);
  const { wallet, applicationId, registration } = await approved();
  const pending = newWallet();
  const pendingId = (await apply(service, pending)).body["application_id"];
  const { message: _a, ...signIn } = await signNonce(service, { wallet: owner.wallet, purpose: "login" });
  const headers = asSession(owner.session_token);
  const put = (path: string, body: object) => call(service, ["PUT", path], { headers, body });
  const send = (): Promise<Answer[]> =>
    Promise.all([
      call(service, ["POST", "/v1/partners/register"], { body: registration }),
      call(service, ["POST", "/v1/partners/login"], { body: signIn }),
      put("/v1/partners/settings", { name: "Changed" }),
      put("/v1/partners/vaults", { vault_ids: [] }),
      rotate(asPair(owner)),
      call(service, ["POST", "/v1/partners/logout"], { headers }),
      decide(service, "approve", pendingId),
      decide(service, "revoke", applicationId),
      build(asPair(owner)),
      build({}),
    ]);
  const addresses = [owner, wallet, pending].map(({ address }) => address);
  return { owner, wallet, addresses, send };
}

describe.each<[string, FaultInput]>([
  ["refuses", DOWN],
  ["hangs", HANGS],
])("partners with a database that %s", (_name, fault) => {
  let partnerWrites: Awaited<ReturnType<typeof writes>>;
  let before: Record<string, unknown>[];
  let met: { reads: number[]; refused: Answer[]; ms: number };

  /** Reads and writes meet the same outage, at the same time. */
  beforeAll(async () => {
    partnerWrites = await writes();
    const { owner, addresses, send } = partnerWrites;
    before = await Promise.all(addresses.map(written));
    met = await withFaults({ emulators: [emulators().neon], faults: [fault] }, async () => {
      const startedAt = performance.now();
      const paths = ["/v1/vaults", `/v1/vaults/${vault.vault_id}`, `/v1/positions/${user}`];
      const [reads, ...refused] = await Promise.all([
        Promise.all(
          paths.flatMap((path) => [read(path), read(path, asKey(partner)), read(path, asPair(partner))]),
        ),
        me(owner.session_token),
        login(service, owner.wallet),
        send(),
      ]);
      return { reads, refused: refused.flat(), ms: performance.now() - startedAt };
    });
  });

  test("reads continue with and without a key", () => {
    expect(met.reads).toEqual(Array.from({ length: 9 }, () => 200));
    expect(met.ms).toBeLessThan(HANG_MS);
  });

  test("every write answers 503 and writes nothing", async () => {
    const { owner, wallet, addresses } = partnerWrites;
    expect(met.refused).toHaveLength(12);
    for (const answer of met.refused) expect(answer).toMatchObject(unavailable);
    expect(met.ms).toBeLessThan(HANG_MS);
    expect(await Promise.all(addresses.map(written))).toEqual(before);
    expect((await me(owner.session_token)).body).toMatchObject({ name: "Wallet Company", vault_ids: null });
    expect((await build(asPair(owner))).status).toBe(200);
    expect((await register(service, wallet)).status).toBe(200);
  });
});

describe.each<[string, FaultInput]>([
  ["breaks off its answers", { kind: "truncate" }],
  ["answers garbage", { kind: "malformed" }],
  ["answers a web page", { kind: "html" }],
])("partners with a database that commits but %s", (_name, fault) => {
  const deaf = { emulators: [emulators().neon], faults: [fault] };

  test("registration is atomic, and the wallet can sign in afterwards", async () => {
    const { wallet, registration } = await approved();
    await withFaults(deaf, async () => {
      const answer = await call(service, ["POST", "/v1/partners/register"], { body: registration });
      expect(answer).toMatchObject(unavailable);
    });
    // The pair that nobody was shown is there, whole; the wallet replaces it.
    expect(await written(wallet.address)).toMatchObject({
      partners: 1,
      key_version: 1,
      sessions: 1,
      notes: 1,
    });
    expect(await register(service, wallet)).toMatchObject({ status: 409, body: { code: "partner_exists" } });
    const session = asSession((await login(service, wallet)).body["session_token"]);
    const rotated = await rotate(session);
    expect((await build(asPair(rotated.body))).status).toBe(200);
    expect(await written(wallet.address)).toMatchObject({ key_version: 2, sessions: 1, notes: 2 });
  });

  test("key rotation is atomic, and the session can rotate again", async () => {
    const owner = await makePartner(service);
    const session = asSession(owner.session_token);
    // The credentials are read first; only the rotation's own answer is lost.
    const lost = { ...deaf, faults: [{ ...fault, match: "update api_keys" }] };
    await withFaults(lost, async () => {
      expect(await rotate(session)).toMatchObject(unavailable);
    });
    expect(await written(owner.address)).toMatchObject({ key_version: 2, notes: 2 });
    expect((await build(asPair(owner))).status).toBe(401);
    const rotated = await rotate(session);
    expect((await build(asPair(rotated.body))).status).toBe(200);
  });
});
