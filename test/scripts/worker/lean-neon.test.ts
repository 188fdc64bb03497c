import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { leanNeon } from "../../../scripts/worker/lean-neon.ts";

const path = "node_modules/@neondatabase/serverless/index.mjs";
const module = readFileSync(path, "utf8");

/** The exports of the package that the Worker uses. */
interface Neon {
  neon(url: string, options?: object): { query(text: string, values?: unknown[]): Promise<unknown> };
  neonConfig: { fetchFunction: unknown };
  types: { getTypeParser(oid: number): (text: string) => unknown };
}

const load = async (text: string) =>
  (await import(`data:text/javascript,${encodeURIComponent(text)}`)) as Neon & Record<string, unknown>;

test("leanNeon() leaves out the clients for sockets, and exports only what is used", async () => {
  const lean = leanNeon(path, module);
  expect(lean.length).toBeLessThan(0.6 * module.length);
  const markers = ["Neon-Connection-String", "NeonDbError", "SASLInitialResponse", "NeonPool"];
  expect(markers.filter((marker) => module.includes(marker))).toEqual(markers);
  expect(markers.filter((marker) => lean.includes(marker))).toEqual(markers.slice(0, 2));
  expect(Object.keys(await load(lean)).sort()).toEqual(["neon", "neonConfig", "types"]);
});

test("leanNeon() sends, reads and rejects like the whole module", async () => {
  const outcomes = await Promise.all(
    [module, leanNeon(path, module)].map(async (text) => {
      const { neon, neonConfig: settings, types } = await load(text);
      const sent: unknown[] = [];
      const fields = [
        { name: "n", dataTypeID: 20 },
        { name: "at", dataTypeID: 1184 },
        { name: "raw", dataTypeID: 17 },
        { name: "list", dataTypeID: 1007 },
      ];
      const rows = [["12", "2026-12-01 00:00:00+00", "\\x00ff", "{1,2}"]];
      const answers = [
        Response.json({ fields, rows, command: "SELECT", rowCount: 1 }),
        Response.json({ message: "no table", code: "42P01" }, { status: 400 }),
      ];
      settings.fetchFunction = async (url: string, init: RequestInit) => {
        sent.push([url, init.method, init.body, init.headers]);
        return answers.shift();
      };
      const { query } = neon("postgresql://u:p@host.example/db", { fullResults: true });
      const values = [1n, null, new Uint8Array([1, 255]), new Date(0), ["a", null], { a: 1 }, true];
      const read = await query("select $1", values);
      const error = await query("select 1").catch((thrown: Error) => [thrown.name, thrown.message]);
      const parsed = [16, 20, 700, 1082, 1184, 3802].map((oid) => String(types.getTypeParser(oid)("1")));
      return JSON.stringify({ sent, read, error, parsed });
    }),
  );
  expect(outcomes[0]).toContain("no table");
  expect(outcomes[0]).toContain("Neon-Connection-String");
  expect(outcomes[1]).toBe(outcomes[0]);
});

test.each([
  ["other parsers", "export const neon = 1;", "no parsers of columns"],
  ["fewer exports", module.replace(" as neon,", " as other,"), "are exported"],
])("leanNeon() throws on a module with %s", (_, text, message) => {
  expect(() => leanNeon(path, text)).toThrow(message);
});
