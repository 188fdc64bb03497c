import { Ajv2020 } from "ajv/dist/2020.js";
import { getAddress } from "viem";
import { expect, test } from "vitest";
import * as z from "zod";
import { loadRoutes } from "../../src/app.ts";
import { type ErrorCode, errorCodes, errorTable } from "../../src/errors.ts";
import { exampleValues } from "../../src/openapi/example-values.ts";
import { openApiDocument } from "../../src/openapi/openapi-document.ts";
import { problemExample } from "../../src/openapi/openapi-error-help.ts";
import { operationExampleValues } from "../../src/openapi/operation-example-values.ts";
import { gasLimit } from "../../src/orders/order-wallet-calls.ts";
import { decisions } from "../../src/partners/partner-application-state.ts";
import { ProblemBody } from "../../src/schemas/error-schema.ts";
import { Steps } from "../../src/schemas/step-schema.ts";
import { TransactionRequest, WalletCall } from "../../src/schemas/transaction-schema.ts";
import { netOutflow } from "../../src/signals/rules/net-flow-rules.ts";

const routes = await loadRoutes();
const document = openApiDocument(routes, "https://causeway.example");
const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** Any response with a transaction to sign and its simulation. */
const BuiltExample = z.object({
  transaction_request: TransactionRequest,
  steps: Steps,
  calls: z.array(WalletCall),
  simulation: z.object({ gas_used: z.string() }),
});

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

test("every value of a single operation is in its example", () => {
  for (const [operation, components] of Object.entries(operationExampleValues)) {
    const own = successes.filter(({ operationId }) => operationId === operation);
    expect([operation, own.length]).not.toEqual([operation, 0]);
    for (const [id, values] of Object.entries(components)) {
      expect(document.components?.schemas).toHaveProperty(id);
      const shown = own.flatMap(({ example }) => [...objects(example)]);
      expect(shown).toContainEqual(expect.objectContaining(values));
    }
  }
});

/** Every object in a value, at any depth, the value itself included. */
function* objects(value: unknown): Generator<object> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield value;
  for (const part of Object.values(value)) yield* objects(part);
}

test("an operation's example shows what the operation can answer with", () => {
  const byOperation = new Map(successes.map(({ operationId, example }) => [operationId, example]));
  const of = (operation: string) => byOperation.get(operation);
  const ready = { state: "required", transaction_request: expect.objectContaining({ value: "0" }) };
  // A signature takes the place of the approval.
  for (const [order, purpose, authorize] of [
    ["deposits", "deposit", "erc3009"],
    ["withdrawals", "redeem", "permit2"],
  ])
    expect(of(`${order}.authorize`)).toMatchObject({
      ...{ authorize, approval: null, warnings: [], calls: [{ chain_id: "0x2105" }] },
      steps: [
        { purpose: "authorize", kind: "signature", state: "done", typed_data: null },
        { purpose, ...ready },
      ],
    });
  expect(of("withdrawals.authorize")).toMatchObject({ estimate: { min_assets: "995000" } });
  const unsent = { state: "abandoned", status: "NOT_FOUND", substatus: null, source_tx_hash: null };
  const history = [{ state: "built" }, { state: "abandoned" }];
  expect(of("deposits.abandon")).toMatchObject({ ...unsent, history, shares: null });
  expect(of("withdrawals.abandon")).toMatchObject({ ...unsent, history, assets: null, to_amount: null });
  for (const operation of ["deposits.cancel", "withdrawals.cancel-signed"])
    expect(of(operation)).toMatchObject({ steps: [{ step_id: "source.cancel", ...ready }] });
  // The vault of the other examples takes no requests.
  const vault = { to: expect.not.stringMatching(/^0xbeeF/) };
  for (const action of ["claim", "cancel"])
    expect(of(`withdrawals.${action}`)).toMatchObject({
      ...{ transaction_request: vault, calls: [vault], warnings: [] },
      steps: [{ step_id: action, purpose: action, amount: null, ...ready }],
    });
  expect(of("intel.notable")).toMatchObject({ signals: [{ tier: "medium" }] });
  expect(of("intel.high")).toMatchObject({ signals: [{ tier: "high" }] });
  expect(of("intel.signals.get")).toMatchObject({ tier: "medium", evolution: [{ tier: "medium" }] });
  const [high] = netOutflow.tiers;
  const [threshold] = high?.threshold.split(/(?<=\.) /) ?? [];
  expect(of("intel.rules")).toMatchObject([{ tiers: [{ tier: "high", threshold, reason: high?.reason }] }]);
  for (const [decision, { to }] of Object.entries(decisions)) {
    const decided_at = to === "pending" ? null : expect.any(String);
    expect(of(`admin.applications.${decision}`)).toMatchObject({ status: to, decided_at });
  }
  expect(of("admin.vaults.add")).toMatchObject({ status: "candidate", was_active: false, proof: null });
  expect(of("admin.vaults.change")).toMatchObject({ status: "paused", status_by: "admin" });
});

test("a transaction of an order in an example is that of its step, with the gas limit of its simulation", () => {
  const orders = successes.flatMap(({ example }) => {
    const built = BuiltExample.safeParse(example);
    return built.success ? [built.data] : [];
  });
  expect(orders).toHaveLength(6);
  for (const { transaction_request: transaction, steps, calls, simulation } of orders) {
    expect(steps.at(-1)?.transaction_request).toEqual(transaction);
    expect(calls.at(-1)).toMatchObject({ to: transaction.to, data: transaction.data });
    expect(transaction.gas_limit).toBe(String(gasLimit(BigInt(simulation.gas_used))));
  }
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
