import { expect, test } from "vitest";
import { priceKey } from "../../../src/prices/price.ts";
import { checkLaterRoute } from "../../../src/withdrawals/requests/check-later-route.ts";
import { WETH } from "../../support/deposits/fixtures.ts";
import {
  exitsFor,
  exitWayOf,
  factsOf,
  familyVault,
  home,
  orderOf,
  paying,
} from "../../support/withdrawals/fixtures.ts";
import { createWithdrawalFixture, swapDesk } from "../../support/withdrawals/withdrawing.ts";

test("checkLaterRoute() tells what a route for a later payment warns of, before the shares are locked", async () => {
  const { ctx, chain } = await createWithdrawalFixture({ answers: { decimals: 18 } });
  const desk = swapDesk(ctx).ctx;
  const [exchange] = await desk.providers.all();
  if (exchange === undefined) throw new Error("no exchange");
  // No price of the token is known, and a second exchange confirms the amounts.
  desk.prices.book.feeds.delete(priceKey({ chainId: home.chainId, token: WETH }));
  const quote: typeof exchange.quote = async (scope, request) =>
    (await exchange.quote(scope, request)).map((one) => ({ ...one, provider: "another" }));
  const all = async () => [exchange, { ...exchange, name: "another", quote }];
  const vault = familyVault("lagoon");
  const to = { client: chain.client, chainId: home.chainId, token: WETH };
  const order = orderOf({ client: chain.client, to, vault, exits: exitsFor(vault) });
  const way = exitWayOf(order, { via: "user", mode: "request", pays: false, terms: paying });
  const warnings = await checkLaterRoute(
    { ...desk, providers: { ...desk.providers, all } },
    { order, facts: factsOf(order, [way]), mode: "request" },
  );
  expect(warnings).toMatchObject([{ code: "price_unverified" }]);
});
