import type { ApiOperation } from "./api-contract.ts";
import type { HttpRequest } from "./http-request.ts";

/** One read-only request of the smoke test. */
export interface Probe {
  name: string;
  /** The operation whose declared responses apply; null for pages and for unknown paths. */
  operation: ApiOperation | null;
  path: string;
  request: HttpRequest;
  /** Acceptable status codes. */
  expected: readonly number[];
  /** Parameters of path and query. A field of the response with the same name must have the same value. */
  asked: ReadonlyMap<string, string>;
  /** Text that an HTML page must contain; null for JSON. */
  holds: RegExp | null;
  /** True when the platform serves it as a static asset, without the Worker's headers. */
  asset: boolean;
}

/** A listed vault and chain, which are used as parameters. */
export interface ListedIds {
  vaultId: string;
  chainId: number;
}

/** An address without deposits or shares. */
const NOBODY = "0x1212121212121212121212121212121212121212";

type Page = Pick<Probe, "path" | "expected"> & Partial<Pick<Probe, "request" | "holds" | "asset">>;

/** Paths that are not operations, and their expected answers. */
const PAGES: readonly Page[] = [
  { path: "/openapi.json", expected: [200] },
  { path: "/", expected: [200], holds: /<a href="\/docs">/ },
  { path: "/docs", expected: [200], holds: /<script src="\/docs-assets\/scalar\.js">/ },
  // The script that `/docs` loads; without it that page stays blank.
  { path: "/docs-assets/scalar.js", expected: [200], holds: /createApiReference/, asset: true },
  { path: "/docs/errors", expected: [200], holds: / id="route_not_found">/ },
  { path: "/v1/no-such-route", expected: [404] },
  { path: "/v1/vaults", request: { method: "DELETE" }, expected: [405] },
];

/** Returns one probe per operation, and the pages. Throws for an operation with an unknown parameter. */
export function planProbes(operations: readonly ApiOperation[], known: ListedIds): Probe[] {
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

function probeOf(operation: ApiOperation, known: ListedIds): Probe {
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
  // An empty body fails only where it must have something.
  if ((body?.required ?? []).length > 0) return [422];
  // Ids and addresses that do not exist.
  return method === "patch" || /\{tracking_id\}|\{address\}|\{signal_id\}/.test(path) ? [404] : [200];
}

type Parameter = ApiOperation["parameters"][number];

function valueFor({ name, schema }: Parameter, known: ListedIds): string {
  const values: Readonly<Record<string, string>> = {
    vault_id: known.vaultId,
    chain_id: String(known.chainId),
    from_chain_id: String(known.chainId),
    user_address: NOBODY,
    address: NOBODY,
    tx_hash: `0x${"12".repeat(32)}`,
    tracking_id: `trk_${"0".repeat(32)}`,
    key_id: `key_${"0".repeat(32)}`,
    application_id: `app_${"0".repeat(32)}`,
    metric: "share_price",
    ids: `${known.chainId}:${NOBODY}`,
    signal_id: `sig_${"0".repeat(32)}`,
  };
  const value = values[name] ?? schema.enum?.[0];
  if (value === undefined) throw new Error(`the smoke test has no value for the parameter ${name}`);
  return String(value);
}
