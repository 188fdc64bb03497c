import { afterEach, describe, expect, test } from "vitest";
import type { BuiltDeposit } from "../../src/schemas/quote.ts";
import { Api } from "../harness/api.ts";
import { chainIds, chainOf, vaultNamed } from "../harness/chain.ts";
import { emulators, type FaultInput, withFaults } from "../harness/faults.ts";
import type { Answer } from "../harness/request.ts";
import { newTraveller, prepare, type Traveller, travel } from "./transfer.ts";

const api = new Api();
const from = chainOf(chainIds.one);
const chains = [from, chainOf(chainIds.two)];
const journey = { from, paid: "USDC", vault: vaultNamed("Remote Prime USDC") } as const;
const { lifi, across } = emulators();
const BUDGET_MS = 8_000;

const faults: readonly [string, FaultInput][] = [
  ["slow (10 s)", { kind: "latency", ms: 10_000 }],
  ["silent", { kind: "timeout", ms: 10_000 }],
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

interface Plan {
  emulators: string[];
  faults: FaultInput[];
}

/** Builds under faults; gives the answer and the milliseconds it took. */
async function buildUnder(
  plan: Plan,
  change: object = {},
): Promise<{ answer: Answer; ms: number; traveller: Traveller }> {
  const traveller = await newTraveller(chains);
  const body = { ...(await prepare(journey, traveller)), ...change };
  return withFaults(plan, async () => {
    const startedAt = performance.now();
    const answer = await api.send("/v1/quote/build", { body });
    return { answer, ms: performance.now() - startedAt, traveller };
  });
}

// LI.FI's limits are remembered for as long as it says: a second here.
afterEach(() => new Promise((resolve) => setTimeout(resolve, 1_100)));

describe.each(faults)("an API that is %s", (_name, fault) => {
  test.each([
    ["across", across, "lifi_diamond"],
    ["lifi", lifi, "spoke_pool"],
  ] as const)("%s costs its own routes and nothing else", async (_provider, emulator, target) => {
    const { answer, ms, traveller } = await buildUnder({ emulators: [emulator], faults: [fault] });
    expect(answer.status, answer.text).toBe(200);
    expect(ms).toBeLessThan(BUDGET_MS);
    const built = answer.json as BuiltDeposit;
    expect(built.transaction_request.to).toBe(from.info.contracts[target]);
    await travel({ ...journey, traveller, built, style: "calls" });
  });

  test("both: a clear code in time, and no record", async () => {
    const { answer, ms, traveller } = await buildUnder({ emulators: [lifi, across], faults: [fault] });
    expect(ms).toBeLessThan(BUDGET_MS);
    expect(answer.status).toBeGreaterThanOrEqual(502);
    expect(CLEAR).toContain((answer.json as { code: string }).code);
    expect(answer.text).not.toMatch(/127\.0\.0\.1|http:|li\.fi|li\.quest|stack|html/i);
    expect(await api.deposits(traveller.address)).toEqual([]);
  });
});

describe("an API that hangs only once the transaction is built", () => {
  const late: readonly [string, string, string][] = [
    ["lifi", lifi, "contractCalls"],
    ["across", across, '"message"'],
  ];

  test.each(late)("%s gives way to another route", async (_name, emulator, match) => {
    const stuck: FaultInput = { kind: "latency", ms: 10_000, match };
    const { answer, ms } = await buildUnder({ emulators: [emulator], faults: [stuck] });
    expect(answer.status, answer.text).toBe(200);
    expect(ms).toBeLessThan(BUDGET_MS);
  });

  test("both: a clear code in time", async () => {
    const stuck = late.map(([, , match]): FaultInput => ({ kind: "latency", ms: 10_000, match }));
    const { answer, ms } = await buildUnder({ emulators: [lifi, across], faults: stuck });
    expect(ms).toBeLessThan(BUDGET_MS);
    expect(CLEAR).toContain((answer.json as { code: string }).code);
  });
});

describe("a call that declares all that is quoted to arrive", () => {
  const quirks = (list: string[]) =>
    fetch(`${lifi}/__control`, { method: "POST", body: JSON.stringify({ quirks: list }) });

  test("is refused where it could fail by one unit: two steps instead", async () => {
    const seen = new Set<boolean>();
    for (let unit = 0n; unit < 16n && seen.size < 2; unit += 1n) {
      await quirks(["declare_delivered"]);
      const plan: Plan = { emulators: [across], faults: [{ kind: "status", status: 503 }] };
      const { answer } = await buildUnder(plan, { from_amount: String(100_000_007n + unit * 13n) });
      expect(answer.status, answer.text).toBe(200);
      seen.add((answer.json as BuiltDeposit).two_step);
    }
    await quirks([]);
    expect(seen).toEqual(new Set([true, false]));
  });
});
