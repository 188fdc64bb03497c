import { expect, test } from "vitest";
import { Breakers } from "../../src/lib/circuit-breaker.ts";
import { Timing } from "../../src/lib/outside-call-timing.ts";
import { createAcross } from "../../src/providers/across/across-provider.ts";
import { RateLimitMemory } from "../../src/providers/lifi/api/lifi-rate-limits.ts";
import { createLifi } from "../../src/providers/lifi/lifi-provider.ts";
import type { Provider, ProviderScope } from "../../src/providers/provider.ts";
import { requestOf } from "../support/across/stage.ts";
import { holdTimeouts, realFetch, serve } from "../support/local-server.ts";
import { stoppedClock } from "../support/stopped-clock.ts";

const providers: [string, string, (apiUrl: string) => Provider][] = [
  ["Across", "across", (apiUrl) => createAcross({ apiUrl })],
  [
    "LI.FI",
    "lifi:routes",
    (apiUrl) =>
      createLifi({ apiUrl, apiKey: null, integrator: "causeway", rateLimits: new RateLimitMemory() }),
  ],
];

test.each(providers)(
  "an API of %s that hangs costs one request its timeout, and others nothing",
  async (_name, name, create) => {
    const deadlines = holdTimeouts();
    const { now, skip } = stoppedClock();
    const { url, requests } = await serve(() => skip(deadlines.expire()));
    const breakers = new Breakers(now);
    const scope: ProviderScope = {
      ...{ fetch: realFetch, breakers, timing: new Timing(now), now },
      chain: () => null,
    };
    const provider = create(url);
    const quote = () => provider.quote(scope, requestOf()).catch(({ code }: { code?: string }) => code);
    expect(await quote()).toBe("upstream_timeout");
    const sent = requests.length;
    expect(sent).toBeGreaterThan(0);
    for (let request = 0; request < 20; request += 1) expect(await quote()).toBe("upstream_timeout");
    expect([requests.length, breakers.report()]).toMatchObject([sent, [{ name, state: "open" }]]);
  },
);
