import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ApiContract } from "../../../scripts/smoke/api-contract.ts";
import { errorTable } from "../../../src/errors.ts";
import { reasonHelp } from "../../../src/openapi/openapi-reason-help.ts";
import { Api } from "../../support/e2e/api.ts";

const api = new Api();

describe("pagination of GET /v1/vaults", () => {
  const Page = z.array(z.object({ vault_id: z.string() }));
  async function walk(start: string): Promise<string[]> {
    const seen: string[] = [];
    for (let path: string | null = start, pages = 0; path !== null && pages < 60; pages += 1) {
      const answer = await api.send(path);
      seen.push(...Page.parse(answer.json).map(({ vault_id }) => vault_id));
      path = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get("link") ?? "")?.[1] ?? null;
    }
    return seen;
  }

  const idsOf = async (query: string) => (await api.vaults(query)).map(({ vault_id }) => vault_id);
  /** Walks through the pages of a list, and again if a proof that another file's jobs queued has changed the list. */
  async function walkAll(limit: number, filters = ""): Promise<{ all: string[]; walked: string[] }> {
    for (;;) {
      const all = await idsOf(`?limit=500${filters}`);
      const walked = await walk(`/v1/vaults?limit=${limit}${filters}`);
      if ((await idsOf(`?limit=500${filters}`)).join() === all.join()) return { all, walked };
    }
  }

  test.each([1, 2, 7, 23, 24, 25, 500])(
    "of %i lead to every vault exactly once, in the same order",
    async (limit) => {
      const { all, walked } = await walkAll(limit);
      expect(new Set(all).size).toBe(all.length);
      expect(walked).toEqual(all);
    },
  );

  test("keeps the filters", async () => {
    const filtered = await api.vaults("?limit=500&chain_id=31337&asset=usdc&type=custom&paused=false");
    expect(filtered.length).toBeGreaterThan(5);
    expect(
      filtered.every(
        (v) => v.chain_id === 31337 && v.asset.symbol === "USDC" && v.type === "custom" && !v.paused,
      ),
    ).toBe(true);
    const { all, walked } = await walkAll(2, "&chain_id=31337&asset=usdc&type=custom&paused=false");
    expect(walked).toEqual(all);
  });

  test("filters by asset address, curator and part of the name in any case", async () => {
    const [first] = await api.vaults("?q=PLAIN%20usd");
    expect((await api.vaults("?q=PLAIN%20usd")).map(({ name }) => name).sort()).toEqual([
      "Plain USDC",
      "Plain USDT",
    ]);
    const byAddress = await api.vaults(`?asset=${first?.asset.address.toLowerCase()}`);
    expect(byAddress.every(({ asset }) => asset.address === first?.asset.address)).toBe(true);
    expect((await api.vaults("?curator=local%20curators")).every(({ type }) => type === "morpho")).toBe(true);
    // A vault that its proofs refuse is paused after half an hour.
    const paused = (await api.vaults("?paused=true&chain_id=31337")).map(({ name }) => name).sort();
    expect(paused.filter((name) => name !== "Inflated USDC")).toEqual(["Paused USDC", "Suspended USDC"]);
    expect(await api.vaults("?q=no%20such%20vault")).toEqual([]);
  });
});

describe("documentation pages", () => {
  test("serve the committed OpenAPI document, version 1.0.0", async () => {
    const { document, operations } = await ApiContract.of(api.origin);
    expect(document.openapi).toBe("3.1.0");
    expect(document.info.version).toBe("1.0.0");
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  });

  test("serve the Scalar reference from this origin only", async () => {
    const page = await api.send("/docs");
    expect(page.headers.get("content-type")).toMatch(/^text\/html/);
    const sources = [...page.text.matchAll(/(?:src|href|data-url)="([^"]+)"/g)].map(
      ([, source]) => source ?? "",
    );
    expect(sources.length).toBeGreaterThan(1);
    for (const source of sources) {
      expect(source).toMatch(/^\/[^/]/);
      expect((await api.send(source)).status, source).toBe(200);
    }
    const script = await api.send("/docs-assets/scalar.js");
    expect(script.headers.get("content-type")).toMatch(/javascript/);
    expect(script.text.length).toBeGreaterThan(500_000);
    expect(page.headers.get("content-security-policy")).toContain("script-src 'self'");
  });

  test("leave missing assets to the asset server", async () => {
    const missing = await api.send("/docs-assets/nothing.js");
    expect([missing.status, missing.text, missing.headers.get("x-request-id")]).toEqual([404, "", null]);
    const beyond = await api.send("/docs-assets");
    expect([beyond.status, beyond.headers.has("x-request-id")]).toEqual([404, true]);
  });

  test("describe every error code at its anchor on /docs/errors", async () => {
    const page = await api.send("/docs/errors");
    const explained = [...page.text.matchAll(/<h2 class="code" id="(\w+)">/g)].map(([, code]) => code);
    expect(explained.sort()).toEqual([...Object.keys(errorTable), ...Object.keys(reasonHelp)].sort());
  });

  test("are there for browsers and for programs that read text", async () => {
    const icon = await api.send("/favicon.ico");
    expect([icon.status, icon.headers.get("location")]).toEqual([308, "/docs-assets/icon.svg"]);
    expect((await api.send("/robots.txt")).text).toContain("Disallow: /v1/");
    expect((await api.send("/llms.txt")).text).toMatch(/^# Causeway\n\n> /);
    const [yaml, json] = [await api.send("/openapi.yaml"), await api.send("/openapi.json")];
    expect([yaml.headers.get("content-type"), JSON.parse(yaml.text)]).toEqual([
      "application/yaml",
      json.json,
    ]);
  });

  test("have the same icon", async () => {
    for (const path of ["/", "/docs", "/docs/errors"])
      expect((await api.send(path)).text).toContain('<link rel="icon" href="/docs-assets/icon.svg">');
    const icon = await api.send("/docs-assets/icon.svg");
    expect([icon.status, icon.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
    expect(icon.text).toMatch(/^<svg /);
  });

  test("are linked from the home page", async () => {
    const page = await api.send("/");
    const links = [...page.text.matchAll(/href="([^"]+)"/g)].map(([, link]) => link ?? "");
    expect(links).toEqual(
      expect.arrayContaining(["/docs", "/docs/guide", "/openapi.json", "/docs/errors", "/v1/vaults"]),
    );
    for (const link of links) expect((await api.send(link)).status, link).toBe(200);
  });
});
