import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { HttpAnswer } from "../../../scripts/smoke/http-request.ts";
import { Api, type SentDeposit } from "../../support/e2e/api.ts";
import { chainIds, chainOf, vaultNamed } from "../../support/e2e/chain.ts";
import { emulators, type FaultInput, HANG_MS, withFaults } from "../../support/e2e/faults.ts";
import {
  completeDeposit,
  type MultiChainUser,
  newMultiChainUser,
  paidAmounts,
  prepare,
} from "../../support/e2e/transfer.ts";

const api = new Api();
const from = chainOf(chainIds.one);
const chains = [from, chainOf(chainIds.two)];
const journey = { from, paid: "USDC", vault: vaultNamed("Remote Prime USDC") } as const;
const { lifi, across, swaps } = emulators();

const faults: readonly [string, FaultInput][] = [
  ["down (500)", { kind: "status", status: 500 }],
  ["down (503)", { kind: "status", status: 503 }],
  ["limiting (429)", { kind: "status", status: 429 }],
  ["a web page", { kind: "html" }],
  ["no JSON", { kind: "malformed" }],
  ["cut off", { kind: "truncate" }],
  ["of another shape", { kind: "drift" }],
  ["an attacker", { kind: "hostile" }],
];
const CLEAR = ["upstream_unavailable", "upstream_timeout", "upstream_rejected"];

/** Which provider fails, and the contract of the other one. */
const lone = [
  ["across", across, from.info.contracts.lifi_diamond],
  ["lifi", lifi, from.info.contracts.spoke_pool],
] as const;

interface Plan {
  emulators: readonly string[];
  faults: readonly FaultInput[];
}
interface Built {
  answer: HttpAnswer;
  ms: number;
  traveller: MultiChainUser;
}

async function prepared(change: object = {}): Promise<{ traveller: MultiChainUser; body: object }> {
  const traveller = await newMultiChainUser(chains);
  return { traveller, body: { ...(await prepare(journey, traveller)), ...change } };
}

/** Builds, and gives the answer and the milliseconds it took. */
async function build({ traveller, body }: { traveller: MultiChainUser; body: object }): Promise<Built> {
  const startedAt = performance.now();
  const answer = await api.send("/v1/quote/build", { body });
  return { answer, ms: performance.now() - startedAt, traveller };
}

async function buildUnder(plan: Plan, change: object = {}): Promise<Built> {
  const one = await prepared(change);
  return withFaults(plan, () => build(one));
}

/** What is built without the provider that fails; it waits for none that hangs and calls this contract. */
function expectOther({ answer, ms }: Built, target: string): SentDeposit {
  expect(answer.status, answer.text).toBe(200);
  expect(ms).toBeLessThan(HANG_MS);
  const built = answer.json as SentDeposit;
  expect(built.transaction_request.to).toBe(target);
  return built;
}

async function expectNothing({ answer, ms, traveller }: Built): Promise<void> {
  expect(ms).toBeLessThan(HANG_MS);
  expect(answer.status).toBeGreaterThanOrEqual(502);
  expect(CLEAR).toContain((answer.json as { code: string }).code);
  expect(answer.text).not.toMatch(/127\.0\.0\.1|http:|li\.fi|li\.quest|stack|html/i);
  expect(await api.deposits(traveller.address)).toEqual([]);
}

describe.each(faults)("provider API that is %s", (_name, fault) => {
  // LI.FI's limits are remembered for as long as it says: a second here.
  if (fault.status === 429) afterEach(() => new Promise((resolve) => setTimeout(resolve, 1_100)));

  test.each(lone)("a fault of %s removes only its routes", async (_provider, emulator, target) => {
    const one = await buildUnder({ emulators: [emulator], faults: [fault] });
    const built = expectOther(one, target);
    await completeDeposit({ ...journey, traveller: one.traveller, built, style: "calls" });
  });

  test("a fault of both returns an error code in time and records nothing", async () => {
    await expectNothing(await buildUnder({ emulators: [lifi, across], faults: [fault] }));
  });
});

/** What a provider is asked in the name of this traveller, who alone pays this amount. */
type Ask = (traveller: MultiChainUser, amount: bigint) => string;
const anything: Ask = (_traveller, amount) => String(amount);
/** Across is asked alike for a price and for a transaction; LI.FI is told of a fallback for a transaction alone. */
const transaction: Ask = ({ address }) => `"toFallbackAddress":"${address}"`;

const hangs: readonly [string, FaultInput, { lifi: Ask; across: Ask }][] = [
  ["slow", { kind: "latency", ms: HANG_MS }, { lifi: anything, across: anything }],
  ["silent", { kind: "timeout", ms: HANG_MS }, { lifi: anything, across: anything }],
  ["slow once it builds", { kind: "latency", ms: HANG_MS }, { lifi: transaction, across: anything }],
];

/** Builds for as many travellers as there are ways to hang, all at once; each meets its own. */
async function buildWhileHanging(names: readonly ("lifi" | "across")[]): Promise<Map<string, Built>> {
  const orders = await Promise.all(
    hangs.map(async ([name, fault, asks], index) => {
      const amount = paidAmounts.USDC - BigInt(index + 1) * 1_000_003n;
      const one = await prepared({ from_amount: String(amount) });
      return {
        name,
        one,
        faultOf: (ask: "lifi" | "across") => ({ ...fault, match: asks[ask](one.traveller, amount) }),
      };
    }),
  );
  const work = () => Promise.all(orders.map(async ({ name, one }) => [name, await build(one)] as const));
  const under = names.reduce(
    (inner, name) => () =>
      withFaults(
        { emulators: [emulators()[name]], faults: orders.map(({ faultOf }) => faultOf(name)) },
        inner,
      ),
    work,
  );
  return new Map(await under());
}

function builtWhile(all: ReadonlyMap<string, Built>, name: string): Built {
  const built = all.get(name);
  if (built === undefined) throw new Error(`nothing was built while an API was ${name}`);
  return built;
}

describe.each(lone)("timeout of %s", (provider, _emulator, target) => {
  let all: Map<string, Built>;
  beforeAll(async () => {
    all = await buildWhileHanging([provider]);
  });

  test.each(hangs)("%s: removes only its routes", async (name) => {
    const one = builtWhile(all, name);
    const built = expectOther(one, target);
    await completeDeposit({ ...journey, traveller: one.traveller, built, style: "calls" });
  });
});

describe("timeout of both providers", () => {
  let all: Map<string, Built>;
  beforeAll(async () => {
    all = await buildWhileHanging(["lifi", "across"]);
  });

  test.each(hangs)("%s: returns an error code in time and records nothing", async (name) => {
    await expectNothing(builtWhile(all, name));
  });
});

test("timeout: the last provider gets all the remaining time", async () => {
  const swap = { ...journey, paid: "WETH", vault: vaultNamed("Local Prime USDC") } as const;
  const traveller = await newMultiChainUser(chains);
  const body = await prepare(swap, traveller);
  // Longer than a provider gets that another waits for.
  const fault = { kind: "latency", ms: 2_600, match: "contractCalls" } as const;
  const slow = { emulators: [lifi], faults: [fault] };
  const dead = { emulators: [swaps], faults: [{ kind: "status", status: 503 }] } as const;
  const { answer, ms } = await withFaults(dead, () => withFaults(slow, () => build({ traveller, body })));
  expect(answer.status, answer.text).toBe(200);
  expect(ms).toBeGreaterThan(fault.ms);
  const built = answer.json as SentDeposit;
  // After a build that was given up, the next one would ask for a swap without the deposit.
  expect(built.two_step).toBe(false);
  await completeDeposit({ ...swap, traveller, built, style: "calls" });
});

describe("destination call that declares the whole quoted amount", () => {
  const quirks = (list: string[]) =>
    fetch(`${lifi}/__control`, { method: "POST", body: JSON.stringify({ quirks: list }) });

  test("is refused when it could fail by one unit; another bridge is used", async () => {
    const seen = new Set<string | null>();
    for (let unit = 0n; unit < 16n && seen.size < 2; unit += 1n) {
      await quirks(["declare_delivered"]);
      const plan: Plan = { emulators: [across], faults: [{ kind: "status", status: 503 }] };
      const { answer } = await buildUnder(plan, { from_amount: String(100_000_007n + unit * 13n) });
      expect(answer.status, answer.text).toBe(200);
      seen.add((answer.json as SentDeposit).tracking.bridge);
    }
    await quirks([]);
    expect(seen).toEqual(new Set(["across", "stargate"]));
  });
});
