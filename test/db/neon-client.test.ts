import { expect, test } from "vitest";
import { neonClient } from "../../src/db/neon-client.ts";
import { realFetch, serve } from "../support/local-server.ts";

/** Neon's answer of one row, and who gave it. */
async function database(name: string) {
  const fields = [{ name: "name", dataTypeID: 25 }];
  const body = JSON.stringify({ command: "SELECT", rowCount: 1, fields, rows: [[name]] });
  const { url } = await serve((_request, response) => response.end(body));
  return { databaseUrl: "postgresql://user:secret@ep-one.example/main", httpUrl: `${url}/sql` };
}

test("asks the database it was opened for, whoever opened another since", async () => {
  const first = neonClient({ ...(await database("first")), fetch: realFetch });
  const second = neonClient({ ...(await database("second")), fetch: realFetch });
  expect(await first`SELECT`).toEqual([{ name: "first" }]);
  expect(await second`SELECT`).toEqual([{ name: "second" }]);
  expect(await first`SELECT`).toEqual([{ name: "first" }]);
});

test("asks through its own fetch, at the address that the host implies unless one is given", async () => {
  const asked: { url: string; init: RequestInit | undefined }[] = [];
  const fetch = async (url: string, init?: RequestInit): Promise<Response> => {
    asked.push({ url, init });
    return Response.json({ command: "SELECT", rowCount: 0, fields: [], rows: [] });
  };
  const { databaseUrl, httpUrl } = await database("given");
  await neonClient({ databaseUrl, httpUrl: null, fetch })`SELECT`;
  await neonClient({ databaseUrl, httpUrl, fetch })`SELECT`;
  expect(asked.map(({ url }) => url)).toEqual(["https://api.example/sql", httpUrl]);
  for (const { init } of asked) expect(Object.keys(init ?? {}).sort()).toEqual(["body", "headers", "method"]);
});
