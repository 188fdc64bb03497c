import { Ajv2020 } from "ajv/dist/2020.js";
import { getAddress } from "viem";
import { expect, test } from "vitest";
import { loadRoutes } from "../../src/app.ts";
import { type ErrorCode, errorCodes, errorTable } from "../../src/errors.ts";
import { exampleValues } from "../../src/openapi/example-values.ts";
import { openApiDocument } from "../../src/openapi/openapi-document.ts";
import { problemExample } from "../../src/openapi/openapi-error-help.ts";
import { ProblemBody } from "../../src/schemas/error-schema.ts";

const routes = await loadRoutes();
const document = openApiDocument(routes, "https://causeway.example");
const ajv = new Ajv2020({ strict: false, validateFormats: false });

interface Media {
  schema?: object;
  example?: unknown;
  examples?: Record<string, { $ref: string }>;
}
/** Every media type of every response: operation, status, and the media type's name. */
const media = routes.flatMap(({ operationId, path, method, response }) =>
  Object.entries(document.paths?.[path]?.[method]?.responses ?? {}).flatMap(([status, { content }]) =>
    Object.entries(content ?? {}).map(([type, one]) => ({
      ...{ operationId, status, type, response },
      ...(one as Media),
    })),
  ),
);
const bodies = media.filter(({ type }) => type === "application/json");
const successes = bodies.filter(({ status }) => status.startsWith("2"));
const problems = media.filter(({ type }) => type === "application/problem+json");

test("every operation has an example of its success, which is what its schema describes", () => {
  expect(new Set(successes.map(({ operationId }) => operationId)).size).toBe(routes.length);
  for (const { operationId, schema, example } of successes) {
    const valid = ajv.validate({ ...schema, components: document.components }, example);
    expect([operationId, valid ? null : ajv.errorsText()]).toEqual([operationId, null]);
  }
});

test("no example has a field that its operation would drop, or lacks one that it always sends", () => {
  for (const { operationId, response, example } of successes) {
    const parsed = response.schema.safeParse(example);
    expect([operationId, parsed.error?.issues ?? []]).toEqual([operationId, []]);
    expect([operationId, JSON.parse(JSON.stringify(parsed.data))]).toEqual([operationId, example]);
  }
});

test("every example of invalid input is one", () => {
  const invalid = bodies.filter(({ status }) => status === "422");
  expect(invalid.length).toBeGreaterThan(50);
  for (const { operationId, schema, example } of invalid)
    expect([operationId, ajv.validate({ ...schema, components: document.components }, example)]).toEqual([
      operationId,
      true,
    ]);
});

test("every problem has an example for each code that it lists, and every code one of its own", () => {
  expect(problems.length).toBeGreaterThan(200);
  for (const { operationId, status, examples = {} } of problems) {
    const codes = Object.keys(examples) as ErrorCode[];
    expect([operationId, status, codes.length]).not.toEqual([operationId, status, 0]);
    for (const code of codes) {
      expect([operationId, code, `${errorTable[code].status}`]).toEqual([operationId, code, status]);
      expect(examples[code]).toEqual({ $ref: `#/components/examples/${code}` });
      expect(document.components?.examples?.[code]).toMatchObject({ value: problemExample(code) });
    }
  }
  for (const code of errorCodes) expect(ProblemBody.parse(problemExample(code))).toMatchObject({ code });
  const named = Object.keys(document.components?.examples ?? {});
  // No operation answers with these: a path without operation for the method, and what is not built yet.
  const without = ["cursor_expired", "method_not_allowed", "webhook_not_found"];
  expect(errorCodes.filter((code) => !named.includes(code)).toSorted()).toEqual(without);
});

test("the values that belong together are of components that exist, and belong together", () => {
  expect(Object.keys(exampleValues).filter((id) => document.components?.schemas?.[id] === undefined)).toEqual(
    [],
  );
  const byOperation = new Map(successes.map(({ operationId, example }) => [operationId, example]));
  expect(byOperation.get("status.get")).toMatchObject({
    status: "DONE",
    substatus: "COMPLETED",
    deposit: { state: "completed", next: null, steps: [{ state: "done" }, { state: "done" }] },
    withdrawal: null,
  });
  expect(byOperation.get("quotes.build")).toMatchObject({
    two_step: false,
    deposit_tx: null,
    steps: [
      { purpose: "approve", state: "required", tx_hash: null },
      { purpose: "deposit", state: "required", tx_hash: null },
    ],
  });
});

test("the examples of one deposit and its withdrawal agree with each other and with what the API gives", () => {
  const byOperation = new Map(successes.map(({ operationId, example }) => [operationId, example]));
  const of = (operation: string) => byOperation.get(operation);
  const morpho = { type: "morpho", family: "metamorpho", min_deposit: "0", no_minimum: true };
  expect(of("vaults.get")).toMatchObject(morpho);
  const shares = String((1_000_000n * 10n ** 12n * 118n) / 125n);
  expect(of("vaults.get")).toMatchObject({ total_assets: "125000000000000", proof: { shares } });
  expect(of("quotes.get")).toMatchObject({
    vault: morpho,
    estimate: { estimated_shares: shares, price_impact: null, steps: [{ type: "deposit" }] },
  });
  // The DepositRouter makes the deposit in the source transaction.
  expect(of("deposits.get")).toMatchObject({ shares, deposit_tx_hash: null, poll_after_ms: 60_000 });
  expect(of("positions.get")).toMatchObject({
    positions: [{ share_balance: shares, current_assets: "1000000", yield_assets: "0", value_usd: "1.00" }],
  });
  // Nothing enforces a minimum where the transaction calls the vault itself.
  expect(of("withdrawals.build")).toMatchObject({
    transaction_request: { to: expect.stringMatching(/^0xbeeF/) },
    estimate: { min_assets: null, to_amount_min: null, available_at: null },
    warnings: [{ code: "no_minimum" }],
  });
  const idle = { allowed: false, code: "mode_unsupported", until: null };
  expect(of("actions.get")).toMatchObject({ claim: idle, cancel: idle, withdraw: { max: shares } });
  expect(of("health.ready")).toMatchObject({ dependencies: [{ ok: true, code: null }] });
  expect(of("health.details")).toMatchObject({ breakers: [{ state: "closed", until: null }] });
  expect(of("applications.get")).toMatchObject({ status: "pending", decided_at: null });
});

test("every address in an example has its checksum", () => {
  const text = JSON.stringify(successes.map(({ example }) => example));
  const addresses = [...text.matchAll(/"(0x[0-9a-fA-F]{40})"/g)].map(([, address = ""]) => address);
  expect(addresses.length).toBeGreaterThan(100);
  expect(addresses.filter((address) => getAddress(address) !== address)).toEqual([]);
});

test("no example has something that looks like a credential", () => {
  expect(JSON.stringify(successes.map(({ example }) => example))).not.toMatch(
    /cw_(?:live|secret)_[A-Za-z0-9]{16}/,
  );
});
