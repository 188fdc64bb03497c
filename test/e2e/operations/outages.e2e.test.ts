import { beforeAll, describe, expect, test } from "vitest";
import type { HttpAnswer } from "../../../scripts/smoke/http-request.ts";
import { Api } from "../../support/e2e/api.ts";
import { chainOf, newUser, type TestUser, vaultNamed } from "../../support/e2e/chain.ts";
import { amounts, bodyFor, depositAndCheck } from "../../support/e2e/deposit.ts";
import { emulators, type FaultInput, HANG_MS, rpcEmulator, withFaults } from "../../support/e2e/faults.ts";
import { problemOf } from "../../support/e2e/http.ts";

const api = new Api();
const [one, two] = [vaultNamed("Plain USDC"), vaultNamed("Remote USDC")];
const DOWN: FaultInput = { kind: "status", status: 503 };
let user: TestUser;

/** Holds shares of the first vault and nothing else; everything was read once before anything breaks. */
beforeAll(async () => {
  user = await newUser(chainOf(31337), { USDC: amounts.USDC });
  const body = bodyFor(one, { user: user.address });
  await depositAndCheck(api, { vault: one, user, style: "calls", body });
  await api.vaults();
  for (const vault of [one, two]) await api.vault(vault.vault_id);
});

/** No failure tells how anything is called, reached or spelt inside. */
function expectDiscreet(answer: HttpAnswer): void {
  expect(answer.text).not.toMatch(/127\.0\.0\.1|localhost|https?:|injected|stack|postgres|SELECT|\.ts:\d/i);
}

async function refusalOf(path: string, body?: unknown) {
  const answer = await api.send(path, body === undefined ? {} : { body });
  expectDiscreet(answer);
  const { status, code } = problemOf(answer);
  return `${status} ${code}`;
}

const build = (vault = one) => refusalOf("/v1/quote/build", bodyFor(vault, { user: user.address }));

async function coverage(): Promise<Record<string, boolean>> {
  const { chains } = await api.positions(user.address);
  return Object.fromEntries(chains.map(({ chain_id, ok }) => [chain_id, ok]));
}

describe.each<[string, FaultInput]>([
  ["refuses", DOWN],
  ["limits its users", { kind: "status", status: 429 }],
  ["answers garbage", { kind: "malformed" }],
  ["breaks off", { kind: "truncate" }],
  ["answers a web page", { kind: "html" }],
  ["has renamed its fields", { kind: "drift" }],
  ["lies", { kind: "hostile" }],
])("outage: a chain whose node %s", (_name, fault) => {
  const broken = { emulators: [rpcEmulator(31337)], faults: [fault] };

  test("is reported as unread in positions; the other chain is present", async () => {
    await withFaults(broken, async () => {
      const { positions, chains } = await api.positions(user.address);
      expect(positions).toEqual([]);
      expect(chains).toMatchObject([
        { chain_id: 31337, ok: false, block_number: null, block_timestamp: null },
        { chain_id: 31338, ok: true },
      ]);
    });
    expect(await coverage()).toEqual({ 31337: true, 31338: true });
  });

  test("still lists its vaults", async () => {
    await withFaults(broken, async () => {
      expect((await api.vault(one.vault_id)).vault_id).toBe(one.vault_id);
      expect((await api.vaults("?chain_id=31337")).length).toBeGreaterThan(15);
    });
  });

  test("answers builds with 502", async () => {
    await withFaults(broken, async () => {
      expect(["502 upstream_unavailable", "502 upstream_rejected"]).toContain(await build());
      await api.build(bodyFor(two, { user: user.address }));
    });
    await api.build(bodyFor(one, { user: user.address }));
  });

  test("reports no unknown status of a transaction", async () => {
    await withFaults(broken, async () => {
      const answer = await api.send(`/v1/status?tx_hash=0x${"5".repeat(64)}&from_chain_id=31337`);
      expectDiscreet(answer);
      // A node that lies may still tell the truth when it says that there is nothing.
      if (fault.kind === "hostile") expect(answer.json).toMatchObject({ status: "NOT_FOUND" });
      else expect(problemOf(answer)).toMatchObject({ status: 502, code: "upstream_unavailable" });
    });
  });
});

describe("outage: a chain whose node hangs", () => {
  const broken = { emulators: [rpcEmulator(31337)], faults: [{ kind: "timeout" } as const] };

  test("answers 504 within the deadline", async () => {
    await withFaults(broken, async () => {
      const startedAt = performance.now();
      const path = `/v1/status?tx_hash=0x${"5".repeat(64)}&from_chain_id=31337`;
      const [built, status, covered] = await Promise.all([build(), refusalOf(path), coverage()]);
      expect(built).toBe("504 upstream_timeout");
      expect(status).toBe("504 upstream_timeout");
      expect(covered).toEqual({ 31337: false, 31338: true });
      expect(performance.now() - startedAt).toBeLessThan(HANG_MS);
    });
  });
});

describe("outage: all chains", () => {
  const broken = { emulators: Object.values(emulators().rpc), faults: [DOWN] };

  test("answers positions with 502, lists vaults, reports degraded readiness", async () => {
    await withFaults(broken, async () => {
      expect(await refusalOf(`/v1/positions/${user.address}`)).toBe("502 upstream_unavailable");
      expect((await api.vaults("?limit=500")).length).toBeGreaterThan(20);
      expect((await api.vault(two.vault_id)).vault_id).toBe(two.vault_id);
      const answers: HttpAnswer[] = [];
      const ready = async () => {
        answers.push(await api.send("/health/ready"));
        return answers.at(-1)?.json;
      };
      // A store that once takes long, on a busy machine, counts as one that does not respond.
      await expect.poll(ready).toMatchObject({
        status: "degraded",
        dependencies: [
          { name: "database", ok: true, code: null },
          { name: "redis", ok: true, code: null },
          { name: "chain:31337", ok: false, code: "upstream_unavailable" },
          { name: "chain:31338", ok: false, code: "upstream_unavailable" },
        ],
      });
      for (const answer of answers) expectDiscreet(answer);
      expect((await api.send("/health")).status).toBe(200);
      expect((await api.deposits(user.address)).length).toBeGreaterThan(0);
    });
  });
});

describe.each<[string, FaultInput]>([
  ["refuses", DOWN],
  ["answers garbage", { kind: "malformed" }],
  ["hangs", { kind: "timeout" }],
  ["lies", { kind: "hostile" }],
])("outage: a Redis that %s", (_name, fault) => {
  test("affects no response", async () => {
    await withFaults({ emulators: [emulators().upstash], faults: [fault] }, async () => {
      expect((await api.vaults("?limit=500")).length).toBeGreaterThan(20);
      expect((await api.vault(one.vault_id)).vault_id).toBe(one.vault_id);
      expect((await api.positions(user.address)).positions).toHaveLength(1);
      const built = await api.build(bodyFor(one, { user: user.address }));
      expect(built.transaction_request.to).toBe(chainOf(31337).info.contracts.deposit_router);
      expect(await api.deposit(built.tracking_id)).toMatchObject({ state: "built" });
      expect((await api.send("/v1/chains")).status).toBe(200);
    });
  });
});

describe.each<[string, FaultInput]>([
  ["refuses", DOWN],
  ["answers garbage", { kind: "malformed" }],
  ["answers a web page", { kind: "html" }],
  ["has renamed its fields", { kind: "drift" }],
])("outage: a database that %s", (_name, fault) => {
  const broken = { emulators: [emulators().neon], faults: [fault] };

  test("keeps reads working from the last registry", async () => {
    await withFaults(broken, async () => {
      expect((await api.vaults("?limit=500")).length).toBeGreaterThan(20);
      expect((await api.vault(one.vault_id)).vault_id).toBe(one.vault_id);
      expect((await api.positions(user.address)).positions).toHaveLength(1);
    });
  });

  test("answers builds with 503 and stores nothing", async () => {
    await withFaults(broken, async () => {
      expect(await build()).toBe("503 store_unavailable");
      expect(await refusalOf("/v1/quote", bodyFor(one, { user: user.address }))).toBe(
        "503 store_unavailable",
      );
      expect(await refusalOf(`/v1/deposits?user_address=${user.address}`)).toBe("503 store_unavailable");
      expect(await refusalOf(`/v1/deposits/trk_${"0".repeat(32)}`)).toBe("503 store_unavailable");
      const path = `/v1/status?tx_hash=0x${"5".repeat(64)}&from_chain_id=31337`;
      expect(await refusalOf(path)).toBe("503 store_unavailable");
    });
    await api.build(bodyFor(one, { user: user.address }));
  });
});
