import type { ApiOperation } from "./api-contract.ts";
import type { Send } from "./request.ts";

/** One request of the smoke test: it writes nothing, whatever the deployment is. */
export interface Probe {
  name: string;
  /** The operation whose declared answers hold; null for pages and for paths that no operation has. */
  operation: ApiOperation | null;
  path: string;
  request: Send;
  /** Statuses that a sound deployment gives. */
  expected: readonly number[];
  /** What path and query ask for: a field of the answer that bears such a name has the value asked for. */
  asked: ReadonlyMap<string, string>;
  /** What is in a page for people; null where nobody reads one. */
  holds: RegExp | null;
  /** Whether the platform serves it, without the Worker and its headers. */
  asset: boolean;
}

/** What the deployment itself lists: without it, its routes cannot be asked anything. */
export interface Known {
  vaultId: string;
  chainId: number;
}

/** Nobody has it. */
const NOBODY = "0x1212121212121212121212121212121212121212";

type Page = Pick<Probe, "path" | "expected"> & Partial<Pick<Probe, "request" | "holds" | "asset">>;

/** Paths beside the operations, and what they answer. */
const PAGES: readonly Page[] = [
  { path: "/openapi.json", expected: [200] },
  { path: "/", expected: [200], holds: /<a href="\/docs">/ },
  { path: "/docs", expected: [200], holds: /<script src="\/docs-assets\/scalar\.js">/ },
  // The viewer that the page before names; without it that page stays white.
  { path: "/docs-assets/scalar.js", expected: [200], holds: /createApiReference/, asset: true },
  { path: "/docs/errors", expected: [200], holds: /<h2 id="route_not_found">/ },
  { path: "/v1/no-such-route", expected: [404] },
  { path: "/v1/vaults", request: { method: "DELETE" }, expected: [405] },
];

/** Every operation of the document once, and the pages. Throws for an operation that takes something unheard of. */
export function planProbes(operations: readonly ApiOperation[], known: Known): Probe[] {
  const pages = PAGES.map(({ path, request = {}, holds = null, asset = false, expected }) => ({
    name: `${request.method ?? "GET"} ${path}`,
    operation: null,
    path,
    request,
    expected,
    asked: new Map(),
    holds,
    asset,
  }));
  return [...operations.map((operation) => probeOf(operation, known)), ...pages];
}

function probeOf(operation: ApiOperation, known: Known): Probe {
  const method = operation.method.toUpperCase();
  const query = new URLSearchParams();
  const asked = new Map<string, string>();
  let { path } = operation;
  for (const parameter of operation.parameters) {
    if (parameter.in !== "path" && !(parameter.in === "query" && parameter.required === true)) continue;
    const value = valueFor(parameter, known);
    asked.set(parameter.name, value);
    if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, value);
    else query.set(parameter.name, value);
  }
  const search = query.size === 0 ? "" : `?${query}`;
  const request = operation.body === null ? { method } : { method, body: {} };
  const { operationId: name } = operation;
  const expected = expectedOf(operation);
  return { name, operation, path: `${path}${search}`, request, expected, asked, holds: null, asset: false };
}

function expectedOf(operation: ApiOperation): readonly number[] {
  const { path, body, method, security } = operation;
  if (path.startsWith("/v1/admin/")) return [401, 404];
  const open = security.length === 0 || security.some((scheme) => Object.keys(scheme).length === 0);
  if (!open) return [401];
  if (body !== null) return [422];
  // Ids and addresses that nobody has.
  return method === "patch" || /\{tracking_id\}|\{address\}|\{signal_id\}/.test(path) ? [404] : [200];
}

type Parameter = ApiOperation["parameters"][number];

function valueFor({ name, schema }: Parameter, known: Known): string {
  const values: Readonly<Record<string, string>> = {
    vault_id: known.vaultId,
    chain_id: String(known.chainId),
    from_chain_id: String(known.chainId),
    user_address: NOBODY,
    address: NOBODY,
    tx_hash: `0x${"12".repeat(32)}`,
    tracking_id: `trk_${"0".repeat(32)}`,
    application_id: `app_${"0".repeat(32)}`,
    signal_id: `sig_${"0".repeat(32)}`,
  };
  const value = values[name] ?? schema.enum?.[0];
  if (value === undefined) throw new Error(`the smoke test has no value for the parameter ${name}`);
  return String(value);
}
