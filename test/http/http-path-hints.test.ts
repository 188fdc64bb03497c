import { expect, test } from "vitest";
import { loadRoutes } from "../../src/app.ts";
import { nearestOperation } from "../../src/http/http-path-hints.ts";
import { operationPaths } from "../../src/http/http-paths.ts";
import { appOf, read } from "../support/http/app.ts";
import { thingsGet } from "../support/http/routes.ts";

const near = (text: string): string | null => {
  const [method = "", path = ""] = text.split(" ");
  return nearestOperation({ method, path });
};

test("operationPaths has every operation that is not an administrator's", async () => {
  const routes = (await loadRoutes()).filter(({ access }) => access !== "admin");
  expect(operationPaths).toEqual(routes.map(({ method, path }) => `${method.toUpperCase()} ${path}`));
});

test.each([
  ["POST /v1/withdrawals/build", "POST /v1/withdraw/build"],
  ["POST /v1/withdrawal/build", "POST /v1/withdraw/build"],
  ["POST /v1/withdrawals/quote", "POST /v1/withdraw/quote"],
  ["POST /v1/deposits/build", "POST /v1/quote/build"],
  ["POST /v1/quotes/build", "POST /v1/quote/build"],
  ["POST /v1/build", "POST /v1/quote/build"],
  ["POST /quote/build", "POST /v1/quote/build"],
  ["GET /vaults", "GET /v1/vaults"],
  ["GET /api/v1/vaults", "GET /v1/vaults"],
  ["GET /v2/vaults", "GET /v1/vaults"],
  ["GET /v1/vault/8453:0xab", "GET /v1/vaults/{vault_id}"],
  ["GET /v1/position/0xab", "GET /v1/positions/{user_address}"],
  ["GET /v1/deposit/trk_1", "GET /v1/deposits/{tracking_id}"],
  ["PATCH /v1/deposits/trk_1", "PATCH /v1/deposits/{tracking_id}/tx"],
  ["GET /v1/status/0xabc", "GET /v1/status"],
  ["GET /v1/signals", "GET /v1/intel/signals/{signal_id}"],
  ["GET /v1/partner/me", "GET /v1/partners/me"],
  ["POST /v1/partners/rotate", "POST /v1/partners/api-keys/rotate"],
  ["HEAD /v1/chain", "GET /v1/chains"],
  ["GET /healthz", "GET /health"],
  ["GET /v1//vaults", "GET /v1/vaults"],
  ["GET //v1/chains", "GET /v1/chains"],
  ["GET /v1/chains/", "GET /v1/chains"],
  ["POST /v1/deposit", "POST /v1/quote/build"],
  ["POST /v1/deposits", "POST /v1/quote/build"],
  ["POST /v1/redeem", "POST /v1/withdraw/build"],
  ["POST /withdraw", "POST /v1/withdraw/build"],
  ["POST /api/v2/partners/keys", "POST /v1/partners/api-keys"],
])("nearestOperation() reads %s as %s", (text, meant) => {
  expect(near(text)).toBe(meant);
});

test.each([
  ...["GET /", "GET /v1/nowhere", "GET /wp-login.php", "GET /docs/error", "GET /.env", "GET /v1"],
  // The path is right: `Allow` names its methods.
  ...["POST /v1/vaults", "GET /v1/quote/build", "POST /v1/deposits/trk_1/tx", "DELETE /v1/vaults/x"],
  // Nothing may show whether administration is configured.
  ...["GET /v1/admin/vaultz", "GET /v1/admin/vaults", "POST /v1/Admin/applications"],
])("nearestOperation() has no guess for %s", (text) => {
  expect(near(text)).toBeNull();
});

test("nearestOperation() is cheap for hostile paths", () => {
  const startedAt = performance.now();
  for (let index = 0; index < 20; index += 1) near(`GET /${`${"withdrawalz".repeat(500)}/`.repeat(7)}`);
  near(`GET ${"/v1".repeat(5_000)}`);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});

test("404 and 405 name the operation that was probably meant", async () => {
  const { send } = appOf([thingsGet]);
  expect(await read(await send("/v1/vault/8453:0xab"))).toMatchObject({
    status: 404,
    body: {
      code: "route_not_found",
      detail: "no endpoint has this path; did you mean GET /v1/vaults/{vault_id}?",
    },
  });
});
