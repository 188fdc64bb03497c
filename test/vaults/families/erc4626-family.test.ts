import { encodeAbiParameters, encodeFunctionData, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import { erc4626, erc4626Family } from "../../../src/vaults/families/erc4626-family.ts";
import { USER, VAULT, vault } from "../../support/deposits/fixtures.ts";
import { answer, eventLog } from "../../support/vaults/answer.ts";

const withExit = (exit: string | null) => ({ ...vault, params: exit === null ? {} : { exit } });
const word = (value: bigint) => encodeAbiParameters([{ type: "uint256" }], [value]);

/** Returns the exit fee of a vault that values its sample at 1,000,000 and previews a redemption at 0. */
function exitFee(exit: string | null) {
  const query = erc4626.state(withExit(exit), 0);
  const results = Object.entries(query.reads).map(([name, { decode }]) => {
    const value = name === "price" ? 10n ** 6n : name === "redeemed" ? 0n : null;
    return [
      name,
      value === null
        ? ({ ok: false, revert: null } as const)
        : ({ ok: true, value: decode(word(value)) } as const),
    ];
  });
  return query.interpret(Object.fromEntries(results)).exitFee;
}

const MAPLE_QUEUE = { exit: "maple", withdrawal_type: "queue" } as const;

describe("a generic ERC-4626 vault", () => {
  test("shows what a redemption at once costs", () => {
    expect(exitFee(null)).toBe(1);
  });

  test.each([
    ["cooldown", ["instant", "cooldown"]],
    ["maple", ["request"]],
    ["erc7540", ["request"]],
    ["yo", ["instant", "request"]],
  ])("with the exit %s shows no fee of an instant withdrawal", (exit, modes) => {
    expect(exitFee(exit)).toBeNull();
    expect(erc4626.exits?.modes(withExit(exit))).toEqual(modes);
  });

  test("with the exit erc7540 requests the redemption from the owner's account", () => {
    const call = erc4626.exits?.encode(withExit("erc7540"), {
      ...{ mode: "request", token: vault.asset, shares: 5n, minAssets: 0n },
      ...{ owner: USER, caller: USER, receiver: USER },
    });
    const abi = parseAbi(["function requestRedeem(uint256, address, address) returns (uint256)"]);
    expect(call).toMatchObject({
      ...{ target: VAULT, async: true, spender: null },
      data: encodeFunctionData({ abi, args: [5n, USER, USER] }),
    });
    expect(erc4626.exits?.viaRouter(withExit("erc7540"), "request")).toBe(false);
  });

  test("with the exit erc7540 estimates a payment, and does not know the fee of the settlement", () => {
    const query = erc4626.exits?.terms(withExit("erc7540"), {
      ...{ mode: "request", token: vault.asset, shares: 5n, now: 0 },
      ...{ owner: USER, caller: USER, receiver: USER },
    });
    if (query === undefined) throw new Error("no exits");
    const terms = answer(query, { value: 1_000_000n, held: 5n });
    expect(terms).toMatchObject({ previewAssets: 1_000_000n, grossAssets: null, refusal: null });
  });

  test("with the exit erc7540 names numbered requests, which neither pay nor take shares", () => {
    const { decode, namesRequests } = erc4626.flows(withExit("erc7540"));
    const request =
      "event RedeemRequest(address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 shares)";
    const args = { controller: USER, owner: VAULT, requestId: 7n, sender: VAULT, shares: 5n };
    const flow = { kind: "withdrawal", user: USER, assets: 0n, shares: 5n, sharesOnly: true, requestId: "7" };
    expect(namesRequests).toBe(true);
    expect(decode(eventLog(VAULT, request, args))).toEqual(flow);
    expect(decode(eventLog(VAULT, request, { ...args, requestId: 0n }))).toBeNull();
    expect(decode(eventLog(USER, request, args))).toBeNull();
    expect(erc4626.flows(withExit(null)).decode(eventLog(VAULT, request, args))).toBeNull();
  });

  test("may have to approve its shares to itself with the exit erc7540, and with no other", () => {
    const asked = (exit: string | null) =>
      erc4626.exits?.mayNeedAllowance?.(withExit(exit), "request") ?? null;
    expect(asked("erc7540")).toBe(VAULT);
    expect([null, "cooldown", "maple", "yo"].map(asked)).toEqual([null, null, null, null]);
  });

  test("with the exit yo redeems through the Router, requests from the owner and asks for no claim", () => {
    const yo = withExit("yo");
    const { exits } = erc4626;
    if (exits === undefined) throw new Error("no exits");
    expect([exits.viaRouter(yo, "instant"), exits.viaRouter(yo, "request")]).toEqual([true, false]);
    expect([
      exits.paysUnclaimed?.("request", yo),
      exits.paysUnclaimed?.("request", withExit("maple")),
      ...[null, "manual"].map((variant) =>
        exits.paysUnclaimed?.("request", { ...vault, params: MAPLE_QUEUE }, variant),
      ),
    ]).toEqual([true, false, true, false]);
    const abi = parseAbi([
      "function redeem(uint256, address, address) returns (uint256)",
      "function requestRedeem(uint256, address, address) returns (uint256)",
    ]);
    const own = { token: vault.asset, shares: 5n, minAssets: 0n, owner: USER, caller: USER, receiver: USER };
    const data = (functionName: "redeem" | "requestRedeem") =>
      encodeFunctionData({ abi, functionName, args: [5n, USER, USER] });
    expect(exits.encode(yo, { ...own, mode: "instant" })).toMatchObject({
      async: false,
      data: data("redeem"),
    });
    expect(exits.encode(yo, { ...own, mode: "request" })).toMatchObject({
      ...{ async: true, spender: null, paysTo: "caller", data: data("requestRedeem") },
    });
  });
});

describe("the fees of a generic ERC-4626 vault", () => {
  const RECIPIENT = "0xffffffffffffffffffffffffffffffffffffffff";
  /** Returns the fee that a query finds if each of its views answers with these data. */
  const fee = (name: "profitFeeQuery" | "yearlyFeeQuery", data: `0x${string}`) => {
    const query = erc4626Family[name]?.(vault);
    if (query === undefined) throw new Error(`no ${name}`);
    const read = ({ decode }: { decode: (answer: `0x${string}`) => unknown }) => {
      try {
        return { ok: true, value: decode(data) } as const;
      } catch {
        return { ok: false, revert: null } as const;
      }
    };
    return query.interpret(
      Object.fromEntries(Object.entries(query.reads).map(([key, one]) => [key, read(one)])),
    );
  };

  test("are read from an answer of one word", () => {
    for (const name of ["profitFeeQuery", "yearlyFeeQuery"] as const) {
      expect(fee(name, word(10n ** 18n))).toBe(1);
      expect(fee(name, word(10n ** 17n))).toBeNull();
    }
  });

  test("are unknown if the view returns an account and a fee, as in Concrete's vaults", () => {
    const of = (types: string[], values: unknown[]) =>
      encodeAbiParameters(
        types.map((type) => ({ type })),
        values,
      );
    expect(fee("profitFeeQuery", of(["address", "uint16"], [RECIPIENT, 1_000]))).toBeNull();
    const managed = [RECIPIENT, 200, 1_750_000_000];
    expect(fee("yearlyFeeQuery", of(["address", "uint16", "uint32"], managed))).toBeNull();
  });
});

describe("a vault whose maxDeposit is 0 for an account without the asset", () => {
  const config = ["0x0000000000000000000000000000000000000001", 0n, 900n, 10n, VAULT] as const;
  const full = { totalAssets: 400n, totalSupply: 1n, maxDeposit: 0n };
  const limitOf = (answers: Record<string, unknown>) =>
    answer(erc4626.state(vault, 0), { ...full, ...answers }).maxDeposit;

  test("is open up to its cap if it is Summer's, which limits it to what the account holds", () => {
    expect(limitOf({ config, liquid: 1n })).toBe(500n);
    expect(limitOf({ config, liquid: 1n, totalAssets: 901n })).toBe(0n);
    expect(limitOf({ config, liquid: 1n, totalAssets: undefined })).toBe(null);
  });

  test("is full if it is another, or paused", () => {
    expect(limitOf({})).toBe(0n);
    expect(limitOf({ config })).toBe(0n);
    expect(limitOf({ config, liquid: 1n, paused: true })).toBe(0n);
    expect(limitOf({ config, liquid: 1n, maxDeposit: undefined })).toBe(null);
  });
});
