import { readFileSync } from "node:fs";
import { describe, expect, inject, test } from "vitest";
import { Api } from "../../support/e2e/api.ts";
import { chainIds, chainOf, tokenOn, vaultNamed } from "../../support/e2e/chain.ts";

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  example?: unknown;
  schema?: { example?: unknown };
}
interface Operation {
  operationId: string;
  security?: object[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: { $ref?: string } }> };
}

const document = JSON.parse(readFileSync("openapi.json", "utf8")) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { example?: object }> };
};
const api = new Api();
const chain = chainOf(chainIds.one);
/** Objects that a deployment has only once somebody made them. */
const OTHERS = /\{(tracking_id|signal_id|address|application_id|key_id|webhook_id)\}|tx_hash/;

/** Puts the stack's chain, token, vault and account in place of those of the examples. */
const local = (text: string): string =>
  text
    .replaceAll("8453:0xbeef010f9cb27031ad51e3333f9af9c6b1228183", vaultNamed("Local Prime USDC").vault_id)
    .replaceAll("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", tokenOn(chain, "USDC"))
    .replaceAll("0x70997970C51812dc3A010C7d01b50e0d17dc79C8", inject("stack").accounts[1]?.address ?? "")
    .replaceAll(/\b8453\b/g, String(chain.chainId));

const open = Object.entries(document.paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([method, operation]) => ({ path, method, operation })),
);

describe("the document's examples succeed on the stack", () => {
  const reads = open.filter(({ method, operation }) => method === "get" && isPublic(operation));
  test.each(
    reads
      .map(({ path, operation }) => [pathOf(path, operation)] as const)
      .filter(([path]) => !OTHERS.test(path)),
  )("GET %s", async (path) => {
    expect(path).not.toContain("undefined");
    expect((await api.send(local(path))).status).toBe(200);
  });

  test.each(["quotes.get", "quotes.build"])("%s with the body of its example", async (id) => {
    const { path, body } = exampleOf(id);
    expect((await api.send(path, { body })).status).toBe(200);
  });

  test("no example of a body names a parent deposit, which only its user has", () => {
    const { body } = exampleOf("quotes.build");
    expect(body).not.toHaveProperty("parent_tracking_id");
  });
});

/** Returns true for an operation without credentials. */
function isPublic({ security = [] }: Operation): boolean {
  return security.length === 0 || security.some((one) => Object.keys(one).length === 0);
}

/** Returns an operation's path with the examples of its required parameters. */
function pathOf(path: string, { parameters = [] }: Operation): string {
  const required = parameters.filter((one) => one.required === true);
  const value = ({ example, schema }: Parameter) => encodeURIComponent(String(example ?? schema?.example));
  const query = required.filter((one) => one.in === "query").map((one) => `${one.name}=${value(one)}`);
  const filled = required
    .filter((one) => one.in === "path" && !OTHERS.test(`{${one.name}}`))
    .reduce((text, one) => text.replace(`{${one.name}}`, decodeURIComponent(value(one))), path);
  return query.length === 0 ? filled : `${filled}?${query.join("&")}`;
}

/** Returns the path and the body of an operation's example. */
function exampleOf(operationId: string): { path: string; body: unknown } {
  const found = open.find(({ operation }) => operation.operationId === operationId);
  const [content] = Object.values(found?.operation.requestBody?.content ?? {});
  const name = content?.schema.$ref?.split("/").at(-1) ?? "";
  const example = document.components.schemas[name]?.example;
  if (found === undefined || example === undefined) throw new Error(`${operationId} has no example`);
  return { path: found.path, body: JSON.parse(local(JSON.stringify(example))) };
}
