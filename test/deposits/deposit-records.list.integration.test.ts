import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import { type DepositRow, selectDepositsByUser } from "../../src/db/queries/deposit-queries.ts";
import { deposits } from "../../src/db/tables/deposit-tables.ts";
import { type DepositState, depositStates } from "../../src/schemas/deposit-schema.ts";
import { OTHER, row, USER, VAULT } from "../support/deposits/fixtures.ts";

const HOUR = 3_600_000;
const now = Date.now();
let causeway: TestDeployment;

/** One deposit in each state, a minute apart, the first one the oldest; `expired` was built and not sent in time. */
const stored = depositStates.map(
  (state, index): DepositRow => ({
    ...row,
    trackingId: `trk_${String(index).padStart(32, "0")}`,
    ref: `0x${String(index).padStart(64, "0")}`,
    state: state === "expired" ? "built" : state,
    createdAt: new Date(now - HOUR + index * 60_000),
    expiresAt: new Date(state === "expired" ? now - 1_000 : now + HOUR),
  }),
);
const elsewhere: DepositRow = {
  ...row,
  ...{ trackingId: `trk_${"e".repeat(32)}`, ref: `0x${"e".repeat(64)}`, state: "completed" },
  vaultAddress: OTHER.toLowerCase(),
  createdAt: new Date(now - 48 * HOUR),
};
const strangers: DepositRow = {
  ...row,
  ...{ trackingId: `trk_${"f".repeat(32)}`, ref: `0x${"f".repeat(64)}`, state: "completed" },
  userAddress: OTHER.toLowerCase(),
};

beforeAll(async () => {
  causeway = await startTestDeployment();
  await causeway.db.insert(deposits).values([...stored, elsewhere, strangers]);
});
afterAll(() => causeway?.close());

/** The states of the listed deposits, newest first; follows the pages. */
async function list(query: string): Promise<string[]> {
  const seen: string[] = [];
  let path: string | null = `/v1/deposits?user_address=${USER}${query}`;
  while (path !== null) {
    const answer = await causeway.send(path);
    expect(answer.status).toBe(200);
    const rows = (await answer.json()) as { state: DepositState; vault_id: string }[];
    seen.push(
      ...rows.map(({ state, vault_id }) => (vault_id.endsWith(VAULT.toLowerCase()) ? state : "elsewhere")),
    );
    path = /<([^>]+)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1] ?? null;
  }
  return seen;
}
const unseen: readonly DepositState[] = ["built", "expired", "abandoned"];
const seenStates = depositStates.filter((state) => !unseen.includes(state)).toReversed();

describe("GET /v1/deposits", () => {
  test("shows only what a chain has seen unless states are asked for", async () => {
    expect(await list("")).toEqual([...seenStates, "elsewhere"]);
    expect(await list("&limit=2")).toEqual([...seenStates, "elsewhere"]);
  });

  test("an empty list of states selects nothing", async () => {
    const filter = { states: [], now: new Date(now), vault: null, from: null, to: null };
    const page = { user: USER, limit: 100, before: null, filter };
    expect(await selectDepositsByUser(causeway.context().db, page)).toEqual([]);
  });

  test.each<[string, string[]]>([
    ["built", ["built"]],
    ["expired", ["expired"]],
    ["abandoned,built", ["abandoned", "built"]],
    ["completed", ["completed", "elsewhere"]],
  ])("filters by state %s, on every page", async (states, expected) => {
    expect(await list(`&state=${states}`)).toEqual(expected);
    expect(await list(`&state=${states}&limit=1`)).toEqual(expected);
  });

  test("filters by vault and by the time of the build", async () => {
    const vaultId = `${row.vaultChainId}%3A${VAULT}`;
    expect(await list(`&vault_id=${vaultId}&limit=3`)).toEqual(seenStates);
    expect(await list(`&vault_id=${row.vaultChainId}:${OTHER}`)).toEqual(["elsewhere"]);
    expect(await list("&to=1d")).toEqual(["elsewhere"]);
    expect(await list("&from=1d&limit=3")).toEqual(seenStates);
    const [third, fourth] = [stored[3]?.createdAt, stored[4]?.createdAt];
    expect(await list(`&from=${third?.toISOString()}&to=${fourth?.toISOString()}`)).toEqual(["submitted"]);
  });

  test.each([
    ["state=lost", "state"],
    ["state=", "state"],
    ["vault_id=1", "vault_id"],
    ["from=yesterday", "from"],
  ])("refuses %s", async (query, name) => {
    const answer = await causeway.send(`/v1/deposits?user_address=${USER}&${query}`);
    expect([answer.status, await answer.json()]).toMatchObject([422, { detail: [{ loc: ["query", name] }] }]);
  });
});
