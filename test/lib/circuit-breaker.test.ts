import { describe, expect, test } from "vitest";
import { OutsideError } from "../../src/lib/bounded-fetch.ts";
import { Breaker, type BreakerPolicy, Breakers } from "../../src/lib/circuit-breaker.ts";
import { outcomeOfOutsideError, throughBreaker } from "../../src/lib/circuit-breaker-call.ts";

const POLICY: BreakerPolicy = { hangs: 2, hangMs: 1_000, firstPauseMs: 2_000, longestPauseMs: 5_000 };

/** A breaker with a clock that the test moves. */
function breakerOf(policy: Partial<BreakerPolicy> = {}) {
  const clock = { now: 1_000_000 };
  const breaker = new Breaker("api", { ...POLICY, ...policy, now: () => clock.now });
  const state = () => breaker.report().state;
  /** Sends a request that takes `ms` and fails with `error`, or succeeds. */
  const send = async (ms: number, error?: Error, check?: () => Promise<unknown>) => {
    let sent = false;
    const work = async (): Promise<string> => {
      sent = true;
      clock.now += ms;
      if (error !== undefined) throw error;
      return "answer";
    };
    const guarded = { work, outcomeOf: outcomeOfOutsideError, ...(check === undefined ? {} : { check }) };
    const outcome = await throughBreaker(breaker, guarded).catch((failure: unknown) => failure);
    return { sent, outcome };
  };
  return { breaker, clock, state, send };
}

const timeout = new OutsideError("timeout", "no answer");
const hang = (of: ReturnType<typeof breakerOf>) => of.send(1_000, timeout);

describe("Breaker", () => {
  test("refuses at once after hangs in a row, and tries one request after the pause", async () => {
    const one = breakerOf();
    await hang(one);
    expect(one.state()).toBe("doubtful");
    await hang(one);
    expect(one.breaker.report()).toEqual({
      ...{ name: "api", state: "open", hangs: 2 },
      until: one.clock.now + 2_000,
    });
    const refused = await one.send(0);
    expect(refused).toMatchObject({ sent: false, outcome: { kind: "timeout" } });
    one.clock.now += 2_000;
    expect(one.state()).toBe("half_open");
    expect([one.breaker.admit(), one.breaker.admit(), one.breaker.admit()]).toEqual([
      "trial",
      "refused",
      "refused",
    ]);
    one.breaker.noteAnswer();
    expect([one.state(), one.breaker.admit(), one.breaker.admit()]).toEqual(["closed", "pass", "pass"]);
  });

  test("doubles the pause with each failed trial, up to the longest", async () => {
    const one = breakerOf();
    await hang(one);
    const pauses: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      expect((await hang(one)).sent).toBe(true);
      const until = one.breaker.report().until ?? 0;
      pauses.push(until - one.clock.now);
      one.clock.now = until;
    }
    expect(pauses).toEqual([2_000, 4_000, 5_000, 5_000]);
  });

  test("gives up a trial that never ends", async () => {
    const one = breakerOf();
    await hang(one);
    await hang(one);
    one.clock.now += 2_000;
    expect(one.breaker.admit()).toBe("trial");
    one.clock.now += 11_999;
    expect(one.breaker.admit()).toBe("refused");
    one.clock.now += 1;
    expect(one.breaker.admit()).toBe("trial");
  });

  test("counts one pile of concurrent hangs once", async () => {
    const one = breakerOf();
    const startedAt = one.clock.now;
    one.clock.now += 1_000;
    for (let request = 0; request < 40; request += 1) one.breaker.noteHang({ startedAt });
    expect(one.breaker.report()).toMatchObject({ state: "open", hangs: 2, until: one.clock.now + 2_000 });
  });

  test("ends a trial whose connection fails at once", async () => {
    const one = breakerOf();
    await hang(one);
    await hang(one);
    one.clock.now += 2_000;
    await one.send(1, new OutsideError("network", "refused"));
    expect(one.state()).toBe("open");
  });
});

describe("a healthy dependency is not turned off by a caller's fault:", () => {
  test.each([
    ["invalid requests that it answers with errors", 5_000, new OutsideError("status", "400")],
    ["answers that are too large", 5_000, new OutsideError("too_large", "much")],
    ["answers that nobody can read", 5_000, new Error("not JSON")],
    ["deadlines of the caller's own", 999, timeout],
    ["connections that fail at once", 1, new OutsideError("network", "refused")],
  ])("%s", async (_what, ms, error) => {
    const one = breakerOf();
    for (let index = 0; index < 10; index += 1) expect((await one.send(ms, error)).sent).toBe(true);
    expect(one.state()).toBe("closed");
  });

  test("slow requests while others are answered", () => {
    const one = breakerOf();
    for (let index = 0; index < 10; index += 1) {
      const startedAt = one.clock.now;
      one.clock.now += 500;
      one.breaker.noteAnswer();
      one.clock.now += 500;
      one.breaker.noteHang({ startedAt });
    }
    expect(one.state()).toBe("closed");
  });

  test("one slow request, where a trivial one is answered", async () => {
    const one = breakerOf({ hangs: 3 });
    await hang(one);
    let checks = 0;
    const check = async () => {
      checks += 1;
    };
    expect((await one.send(10, undefined, check)).outcome).toBe("answer");
    expect((await one.send(10, undefined, check)).outcome).toBe("answer");
    expect([checks, one.state()]).toEqual([1, "closed"]);
  });
});

describe("throughBreaker() during a trial", () => {
  /** A breaker whose trial has been sent and not answered, with another request that waits for it. */
  async function tried() {
    const one = breakerOf();
    await hang(one);
    await hang(one);
    one.clock.now += 2_000;
    let settle: (error: Error | null) => void = () => undefined;
    const work = () =>
      new Promise<string>((resolve, reject) => {
        settle = (error) => (error === null ? resolve("answer") : reject(error));
      });
    const trial = throughBreaker(one.breaker, { work, outcomeOf: outcomeOfOutsideError }).catch(() => null);
    expect(one.state()).toBe("half_open");
    const twin = one.send(1);
    const end = (error: Error | null) => {
      settle(error);
      return trial;
    };
    return { ...one, twin, end };
  }

  test("lets others wait for an answer, and sends them then", async () => {
    const { twin, end } = await tried();
    await end(null);
    expect(await twin).toEqual({ sent: true, outcome: "answer" });
  });

  test("refuses the others when it hangs", async () => {
    const { twin, end, clock, state } = await tried();
    clock.now += 1_000;
    await end(timeout);
    expect(await twin).toEqual({ sent: false, outcome: expect.objectContaining({ kind: "timeout" }) });
    expect(state()).toBe("open");
  });

  test("lets nobody wait for long", async () => {
    const { twin, state } = await tried();
    expect(await twin).toMatchObject({ sent: false });
    expect(state()).toBe("half_open");
  });
});

describe("throughBreaker() with a check", () => {
  test("opens with one unanswered check, so that the second request waits no timeout", async () => {
    const one = breakerOf({ hangs: 5 });
    await hang(one);
    const check = async () => {
      one.clock.now += 100;
      throw timeout;
    };
    expect((await one.send(1_000, timeout, check)).sent).toBe(false);
    expect(one.state()).toBe("open");
  });

  test("goes on after a check that is answered with an error", async () => {
    const one = breakerOf();
    await hang(one);
    const check = () => Promise.reject(new OutsideError("status", "429"));
    expect((await one.send(1, undefined, check)).outcome).toBe("answer");
  });

  test("opens when checks are answered and nothing else is", async () => {
    const one = breakerOf({ hangs: 3 });
    const check = async () => undefined;
    for (let index = 0; index < 3; index += 1) await one.send(1_000, timeout, check);
    expect(one.state()).toBe("open");
  });
});

test("Breakers keeps one breaker for each name and reports them all", () => {
  const breakers = new Breakers(() => 0);
  expect(breakers.of("a", POLICY)).toBe(breakers.of("a", POLICY));
  breakers.of("b", POLICY);
  expect(breakers.report().map(({ name, state }) => [name, state])).toEqual([
    ["a", "closed"],
    ["b", "closed"],
  ]);
});
