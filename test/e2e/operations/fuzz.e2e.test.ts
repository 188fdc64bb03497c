import fc from "fast-check";
import { describe, expect, inject, test } from "vitest";
import { ApiContract } from "../../../scripts/smoke/api-contract.ts";
import { credentialsOf } from "../../../scripts/stress/fuzz/credentials.ts";
import { readKnownValues } from "../../../scripts/stress/fuzz/known-values.ts";
import { describeReport, fuzz } from "../../../scripts/stress/fuzz/run-fuzz.ts";
import { Api } from "../../support/e2e/api.ts";
import { problemOf } from "../../support/e2e/http.ts";

const api = new Api();

describe("requests generated from the OpenAPI document", () => {
  test("get no 500, match the declared schemas, and get 422 for invalid input (3,000 requests)", async () => {
    const contract = await ApiContract.of(api.origin);
    const known = await readKnownValues(inject("stack"));
    const seed = Math.floor(Math.random() * 2 ** 31);
    const credentials = await credentialsOf(inject("stack"));
    const plan = { origin: api.origin, contract, known, credentials, outages: false };
    const reports = await fuzz({ ...plan, requests: 3_000, seed });
    const failed = reports.filter(({ failure }) => failure !== null).map(describeReport);
    expect(failed.join("\n"), `seed ${seed}`).toBe("");
    expect(reports.reduce((sum, { requests }) => sum + requests, 0)).toBeGreaterThanOrEqual(3_000);
    expect(reports.reduce((sum, { wrong }) => sum + wrong, 0)).toBeGreaterThan(700);
    const built = reports.find(({ operationId }) => operationId === "quotes.build");
    expect(built?.statuses["200"] ?? 0).toBeGreaterThan(10);
  });

  test("get 405 with the allowed methods for every other method", async () => {
    const { operations } = await ApiContract.of(api.origin);
    const paths = [...new Set(operations.map(({ path }) => path))];
    for (const path of paths) {
      const url = path.replaceAll(/\{\w+\}/g, "x");
      const serves = (template: string) =>
        new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(url);
      const methodsOf = (chosen: typeof operations) => chosen.map(({ method }) => method.toUpperCase());
      const known = methodsOf(operations.filter((operation) => operation.path === path));
      const served = methodsOf(operations.filter((operation) => serves(operation.path)));
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"].filter(
        (name) => !served.includes(name),
      )) {
        const answer = await api.send(url, { method });
        expect(problemOf(answer), `${method} ${path}`).toMatchObject({
          status: 405,
          code: "method_not_allowed",
        });
        const allow = (answer.headers.get("allow") ?? "").split(", ");
        expect(allow).toEqual(expect.arrayContaining(known));
        expect(allow).not.toContain(method);
      }
    }
  });

  test("get 404 for unknown paths", async () => {
    const segment = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 12 })
      .filter((text) => !/^\.{1,2}$/.test(text));
    const path = fc.array(segment, { minLength: 1, maxLength: 5 });
    const property = fc.asyncProperty(path, async (segments) => {
      const answer = await api.send(`/x/${segments.map(encodeURIComponent).join("/")}`);
      expect(problemOf(answer)).toMatchObject({ status: 404, code: "route_not_found" });
    });
    await fc.assert(property, { numRuns: 100 });
  });
});
