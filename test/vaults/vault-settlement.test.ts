import { describe, expect, test } from "vitest";
import { runQuery } from "../../src/chains/aggregator/aggregate-reads.ts";
import { identifyWaiting } from "../../src/vaults/families/erc4626-base/erc4626-waiting-exits.ts";
import { settlementOf } from "../../src/vaults/vault-settlement.ts";
import { contractsClient } from "../support/chains/multicall.ts";
import { VAULT, vault } from "../support/deposits/fixtures.ts";
import { familyVault } from "../support/withdrawals/fixtures.ts";

const cooling = (params: Record<string, string>) => familyVault("erc4626", { exit: "cooldown", ...params });

describe("settlementOf()", () => {
  test("a vault that pays at once waits for nothing", () => {
    expect(settlementOf(vault)).toEqual({ deposit: "instant", withdraw: "instant", withdraw_seconds: null });
    expect(settlementOf(familyVault("erc4626", { withdraw_seconds: "60" })).withdraw_seconds).toBe(null);
  });

  test.each<[Record<string, string>, number | null]>([
    [{ withdraw_seconds: "604800" }, 604_800],
    [{ withdraw_seconds: "0" }, 0],
    [{}, null],
    [{ withdraw_seconds: "" }, null],
    [{ withdraw_seconds: "-1" }, null],
    [{ withdraw_seconds: "a week" }, null],
    [{ withdraw_seconds: String(2n ** 256n - 1n) }, null],
  ])("a cooldown with %o takes %s seconds", (params, seconds) => {
    expect(settlementOf(cooling(params))).toMatchObject({ withdraw: "cooldown", withdraw_seconds: seconds });
  });
});

test("how a vault delays withdrawals is read from the contract, and forgotten with it", async () => {
  const subject = {
    address: VAULT,
    params: { withdraw_seconds: "1", other: "kept" },
  } as unknown as Parameters<typeof identifyWaiting>[0];
  const paramsBy = async (answers: (data: string) => bigint | null) => {
    const client = contractsClient(({ data }) => {
      const answer = answers(data);
      return answer === null
        ? { ok: false, data: "0x" }
        : { ok: true, data: `0x${answer.toString(16).padStart(64, "0")}` };
    });
    const { value } = await runQuery(client, identifyWaiting(subject));
    return value.ok ? value.params : null;
  };
  const cooldownDuration = "0x35269315";
  expect(await paramsBy((data) => (data.startsWith(cooldownDuration) ? 604_800n : null))).toEqual({
    ...{ other: "kept", exit: "cooldown", withdraw_seconds: "604800" },
  });
  expect(await paramsBy(() => null)).toEqual({ other: "kept" });

  const supportsInterface = "0x01ffc9a7620ee8e4";
  const onRequest = { other: "kept", exit: "erc7540" };
  expect(await paramsBy((data) => (data.startsWith(supportsInterface) ? 1n : null))).toEqual(onRequest);
  expect(await paramsBy((data) => (data.startsWith(supportsInterface) ? 0n : null))).toEqual({
    other: "kept",
  });
  // A contract that affirms every interface but previews redemptions pays them at once.
  const affirming = (data: string) => (/^(0x01ffc9a7|0x4cdad506)/.test(data) ? 1n : null);
  expect(await paramsBy(affirming)).toEqual({ other: "kept" });
});
