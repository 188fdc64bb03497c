import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAction, performAction, targetOf } from "../../scripts/admin.ts";
import {
  ADMIN_TOKEN,
  startTestDeployment,
  type TestDeployment,
} from "../../scripts/stack/test-deployment.ts";
import { apply, newWallet } from "../support/partners/wallet.ts";

let causeway: TestDeployment;
let server: Server;
let url: string;

/** Serves the deployment on a local port. */
beforeAll(async () => {
  causeway = await startTestDeployment();
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const { method = "GET", headers } = request;
    const init = { method, headers: headers as Record<string, string>, ...(body === "" ? {} : { body }) };
    const answer = await causeway.send(request.url ?? "/", init);
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server?.close();
  await causeway?.close();
});

const run = async (...args: string[]) => {
  const act = parseAction(args);
  return act === null ? null : performAction(targetOf({ CAUSEWAY_URL: url, ADMIN_TOKEN }, ""), act);
};

test("performAction() performs every administrator's action", async () => {
  const id = String((await apply(causeway, newWallet())).body["application_id"]);
  expect(await run("applications", "--status", "pending")).toMatchObject([{ application_id: id }]);
  for (const [step, status] of [
    ["reject", "rejected"],
    ["reopen", "pending"],
    ["approve", "approved"],
    ["revoke", "revoked"],
  ] as const) {
    expect(await run(step, id, "--note", `${step} from here`)).toMatchObject([
      { status, note: `${step} from here` },
    ]);
  }
  const vaultId = `31337:0x${"12".repeat(20)}`;
  expect(await run("add-vault", vaultId, "--name", "A vault")).toMatchObject([{ name: "A vault" }]);
  expect(await run("set-vault", vaultId, "unsupported", "--reason", "no")).toMatchObject([
    { status_reason: "no" },
  ]);
  expect(await run("vaults")).toMatchObject([{ vault_id: vaultId }]);
  expect(await run("audit", "--subject", id)).toHaveLength(4);
  expect(await run("audit")).toHaveLength(6);
});

describe("admin command line: errors", () => {
  test("shows the API's message", async () => {
    await expect(run("approve", "app_none")).rejects.toThrow("application_not_found");
    await expect(run("set-vault", "1:0x", "active")).rejects.toThrow("422");
  });

  test("rejects an invalid command before calling the API", () => {
    expect(() => parseAction(["destroy"])).toThrow("there is no command destroy");
    expect(() => parseAction(["approve"])).toThrow("an argument is missing");
    expect(() => targetOf({ CAUSEWAY_URL: url }, "")).toThrow("set both CAUSEWAY_URL and ADMIN_TOKEN");
    expect(() => targetOf({}, "/nowhere")).toThrow("start the local stack");
    expect([parseAction([]), parseAction(["--help"])]).toEqual([null, null]);
  });
});
