/** `npm run admin -- …`: runs an administrator's action from the terminal, over the API. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { isStarted, parseWords, reportFailure, UsageError } from "./command.ts";
import { readVaultList } from "./registry/vault-list.ts";

const HELP = `Administers a deployment over its API.

  npm run admin -- applications [--status pending|approved|rejected|revoked]
  npm run admin -- approve|reject|revoke|reopen <application_id> [--note text]
  npm run admin -- vaults [--state candidate|active|refused|paused|unsupported]
  npm run admin -- add-vault <vault_id> [--type custom] [--adapter erc4626] [--name text] [--curator text] [--note text]
  npm run admin -- set-vault <vault_id> active|paused|unsupported|candidate [--reason text]
  npm run admin -- repair-vault <vault_id> [--adapter text] [--name text] [--curator text] [--reason text]
  npm run admin -- prove-vault <vault_id>
  npm run admin -- import-vaults <file> [--list name]    a public list: rows of chain, address, asset, share token, protocol;
                                                         vaults that are no longer in it lose its name: with --shrunk
                                                         any number, without it at most a tenth
  npm run admin -- audit [--subject id]

  --help  show this text

Environment: CAUSEWAY_URL and ADMIN_TOKEN of the deployment; without them, the local stack of npm start.`;

interface Target {
  url: string;
  token: string;
}
type AdminAction = { method: "GET" | "POST" | "PATCH"; path: string; body?: Record<string, unknown> };

const Manifest = z.object({ api: z.string(), admin_token: z.string() });
const Answer = z.union([z.array(z.record(z.string(), z.unknown())), z.record(z.string(), z.unknown())]);

/**
 * Returns the deployment that `CAUSEWAY_URL` and `ADMIN_TOKEN` name; without both, the local stack whose `stack.json`
 * is in `folder`. Throws if only one of them is set, or if that file is absent or invalid.
 */
export function targetOf(environment: Readonly<Record<string, string | undefined>>, folder: string): Target {
  const { CAUSEWAY_URL: url = "", ADMIN_TOKEN: token = "" } = environment;
  if (url !== "" && token !== "") return { url: url.replace(/\/$/, ""), token };
  if (url !== "" || token !== "") throw new Error("set both CAUSEWAY_URL and ADMIN_TOKEN");
  const file = join(folder, "stack.json");
  if (!existsSync(file))
    throw new Error("set CAUSEWAY_URL and ADMIN_TOKEN, or start the local stack with npm start");
  const manifest = Manifest.parse(JSON.parse(readFileSync(file, "utf8")));
  return { url: manifest.api, token: manifest.admin_token };
}

const options = {
  status: { type: "string" },
  note: { type: "string" },
  type: { type: "string" },
  adapter: { type: "string" },
  name: { type: "string" },
  curator: { type: "string" },
  reason: { type: "string" },
  subject: { type: "string" },
  state: { type: "string" },
  list: { type: "string" },
  shrunk: { type: "boolean" },
  help: { type: "boolean" },
} as const;

/**
 * Parses a command line into a request to the API. Null without a command or with `--help`. Throws UsageError for an
 * unknown command or option, or a missing argument. `import-vaults` is known only to `parseActions`.
 */
export function parseAction(args: readonly string[]): AdminAction | null {
  const { values, positionals } = parseWords({ options, words: true }, args);
  const [command, id = "", status = ""] = positionals;
  if (values.help === true || command === undefined) return null;
  const given = (...names: (keyof typeof values)[]): Record<string, string> =>
    Object.fromEntries(
      names.flatMap((name) => (values[name] === undefined ? [] : [[name, String(values[name])]])),
    );
  const listing = (path: string, ...names: (keyof typeof values)[]): AdminAction => {
    const query = new URLSearchParams(given(...names)).toString();
    return { method: "GET", path: query === "" ? path : `${path}?${query}` };
  };
  switch (command) {
    case "applications":
      return listing("applications", "status");
    case "approve":
    case "reject":
    case "revoke":
    case "reopen":
      return { method: "POST", path: `applications/${required(id)}/${command}`, body: given("note") };
    case "vaults":
      return listing("vaults", "state");
    case "prove-vault":
      return { method: "POST", path: `vaults/${required(id)}/prove`, body: {} };
    case "repair-vault": {
      const body = given("adapter", "name", "curator", "reason");
      return { method: "PATCH", path: `vaults/${required(id)}`, body };
    }
    case "add-vault": {
      const body = { vault_id: required(id), ...given("type", "adapter", "name", "curator", "note") };
      return { method: "POST", path: "vaults", body };
    }
    case "set-vault":
      return {
        method: "PATCH",
        path: `vaults/${required(id)}`,
        body: { state: required(status), ...given("reason") },
      };
    case "audit":
      return listing("audit", "subject");
    default:
      throw new UsageError(`there is no command ${command}`);
  }
}

/**
 * Parses a command line like `parseAction`, but returns a list, because `import-vaults` takes several requests. Also
 * throws if its file cannot be read.
 */
export function parseActions(args: readonly string[]): AdminAction[] | null {
  const { values, positionals } = parseWords({ options, words: true }, args);
  const [command, file = ""] = positionals;
  if (command === "import-vaults" && values.help !== true) return importActions(required(file), values.list);
  const action = parseAction(args);
  return action === null ? null : [action];
}

/** Maximum number of vaults in one request. */
const CHUNK = 500;

/** Returns the requests that import a file with a public list of vaults. Throws if the file cannot be read. */
function importActions(file: string, list: string | undefined): AdminAction[] {
  const { name, claims } = readVaultList(file);
  const vaults = claims.map(({ chainId, address, asset, shareToken, ...claim }) => ({
    vault_id: `${chainId}:${address}`,
    ...{ asset, share_token: shareToken, adapter: claim.adapter, name: claim.name },
  }));
  const parts = Math.ceil(vaults.length / CHUNK);
  return Array.from({ length: parts }, (_, part) => ({
    method: "POST",
    path: "vaults",
    body: { list: list ?? name, vaults: vaults.slice(part * CHUNK, (part + 1) * CHUNK) },
  }));
}

/**
 * Returns the requests that tell which vaults a public list no longer names: those that the deployment's registry has
 * from it and the file lacks. None for other commands, and for a file without vaults. Throws as `performAction`, and
 * if the file lacks more than a tenth of them, unless `--shrunk` is given: it may be another list, or a part of one.
 */
export async function unlistActions(target: Target, args: readonly string[]): Promise<AdminAction[]> {
  const { values, positionals } = parseWords({ options, words: true }, args);
  const [command, file = ""] = positionals;
  if (command !== "import-vaults") return [];
  const { name, claims } = readVaultList(file);
  if (claims.length === 0) return [];
  const list = values.list ?? name;
  const named = new Set(claims.map(({ chainId, address }) => `${chainId}:${address.toLowerCase()}`));
  const rows = z
    .array(z.object({ vault_id: z.string(), named_by: z.array(z.string()) }))
    .parse(await performAction(target, { method: "GET", path: "vaults" }));
  const known = rows.filter(({ named_by }) => named_by.includes(`list:${list}`));
  const gone = known.map(({ vault_id }) => vault_id).filter((id) => !named.has(id.toLowerCase()));
  if (gone.length * 10 > known.length && values.shrunk !== true)
    throw new Error(
      `the file lacks ${gone.length} of the ${known.length} vaults that the list ${list} names; nothing was imported. ` +
        "Name another list with --list, or confirm with --shrunk that the list is so much shorter",
    );
  const parts = Math.ceil(gone.length / CHUNK);
  return Array.from({ length: parts }, (_, part) => ({
    method: "POST",
    path: "vaults",
    body: { list, unlisted: gone.slice(part * CHUNK, (part + 1) * CHUNK) },
  }));
}

function required(argument: string): string {
  if (argument === "") throw new UsageError("an argument is missing");
  return argument;
}

/**
 * Sends the request of an action and returns the resulting rows. Lists are read to their last page. Throws an Error
 * with status and body for an error response; errors of `fetch` and of parsing propagate.
 */
export async function performAction(target: Target, act: AdminAction): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  let next: string | null = `/v1/admin/${act.path}`;
  while (next !== null) {
    const response: Response = await fetch(`${target.url}${next}`, {
      method: act.method,
      headers: { authorization: `Bearer ${target.token}`, "content-type": "application/json" },
      ...(act.body === undefined ? {} : { body: JSON.stringify(act.body) }),
    });
    const answer = Answer.parse(await response.json());
    if (!response.ok) throw new Error(`${response.status}: ${JSON.stringify(answer)}`);
    rows.push(...(Array.isArray(answer) ? answer : [answer]));
    next = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1] ?? null;
  }
  return rows;
}

if (isStarted(import.meta.filename)) {
  try {
    const actions = parseActions(process.argv.slice(2));
    if (actions === null) console.log(HELP);
    else {
      const folder = join(import.meta.dirname, "../.stack");
      const target = targetOf(process.env, folder);
      const perform = async (action: AdminAction): Promise<void> => {
        for (const row of await performAction(target, action)) console.log(JSON.stringify(row));
      };
      // An import adds to what the list names, so what it no longer names is counted before.
      const unlisted = await unlistActions(target, process.argv.slice(2));
      for (const action of [...actions, ...unlisted]) await perform(action);
    }
  } catch (error) {
    reportFailure(error);
  }
}
