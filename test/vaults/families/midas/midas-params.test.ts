import { describe, expect, test } from "vitest";
import { checkMidasParams } from "../../../../src/vaults/families/midas/midas-params.ts";
import { vault } from "../../../support/deposits/fixtures.ts";

const required = { deposit: "instant", recipient: "argument" };
const check = (params: Record<string, string>) => checkMidasParams({ ...vault, params });

describe("checkMidasParams()", () => {
  test.each([
    [{ ...required, deposit: "" }, "deposit is one of instant, request"],
    [{ ...required, recipient: "payer" }, "recipient is one of argument, caller"],
    [{ ...required, asset_rate: "stabel" }, "asset_rate is one of stable, feed"],
    [{ ...required, redeem_via: "rooter" }, "redeem_via is one of router, user"],
    [{ ...required, redemption_vault: "0x12" }, "redemption_vault is no address"],
    [{ ...required, asset_feed: "0x12" }, "asset_feed is no address"],
    [{ ...required, redeem_tokens: "USDC" }, "redeem_tokens has no token"],
    [{ ...required, referrer: "0x12" }, "referrer is no bytes32"],
  ])("rejects %j", (params, message) => {
    expect(() => check(params)).toThrow(message);
  });

  test("accepts every known value, an empty one, and none", () => {
    for (const asset_rate of ["stable", "feed", ""])
      for (const redeem_via of ["router", "user", ""]) check({ ...required, asset_rate, redeem_via });
    check(required);
  });
});
