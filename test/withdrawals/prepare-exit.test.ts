import {
  encodeAbiParameters,
  encodeErrorResult,
  encodeEventTopics,
  erc4626Abi,
  type Hex,
  parseAbi,
  zeroAddress,
} from "viem";
import { describe, expect, test } from "vitest";
import { decodeRouterCall } from "../../src/router/router-codec.ts";
import type { ExitTerms } from "../../src/vaults/vault-exits.ts";
import { FailedExit, isPaidAtOnce, prepareExit } from "../../src/withdrawals/prepare-exit.ts";
import { testContext } from "../support/context.ts";
import { OTHER, USDC, USER, VAULT, type vault, WETH } from "../support/deposits/fixtures.ts";
import { log, transferLog } from "../support/deposits/logs.ts";
import { balanceKey, type SimulatedEffects, simulatedChain } from "../support/deposits/simulated-chain.ts";
import {
  clientOf,
  exitWayOf,
  factsOf,
  familyVault,
  HELD,
  home,
  orderOf,
  paying,
  WORTH,
} from "../support/withdrawals/fixtures.ts";

const errors = parseAbi([
  "error OutputBelowMinimum(uint256 received, uint256 minimum)",
  "error StepFailed(uint256 index, bytes reason)",
]);
const below: Hex = encodeErrorResult({ abi: errors, errorName: "OutputBelowMinimum", args: [1n, 2n] });
const pays = (assets: bigint): SimulatedEffects => ({ rises: { [balanceKey(USDC, USER)]: assets } });

interface Case {
  effects?: SimulatedEffects;
  terms?: Partial<ExitTerms>;
  order?: Parameters<typeof orderOf>[0];
  via?: "router" | "user";
  mode?: "instant" | "request";
  spender?: typeof USER;
  /** The user's balance as it was read before; all shares by default. */
  balance?: null;
}

/** Prepares a redemption of all shares on a chain that does this to it; gives what was simulated, too. */
async function prepare({
  effects = pays(WORTH),
  terms = {},
  order: change = {},
  via = "router",
  mode = "instant",
  spender,
  balance,
}: Case) {
  const { client, sent } = simulatedChain({ effects: () => effects, definition: home });
  const order = orderOf({ ...change, client });
  const way = exitWayOf(order, { via, mode, terms: { ...paying, ...terms }, ...(spender && { spender }) });
  const facts = { ...factsOf(order, [way]), ...(balance === null && { balance }) };
  const prepared = prepareExit(testContext({ clients: [client] }), { order, facts, way });
  return { prepared: await prepared, sent };
}
const codeOf = async (of: Case): Promise<string> => {
  const error = await prepare(of).then(
    () => ({ code: "none" }),
    (thrown) => (thrown instanceof FailedExit ? thrown.explained : thrown),
  );
  return error.code ?? String(error);
};

describe("prepareExit() through the Router", () => {
  test("expects what the simulation paid, and enforces it less half a percent", async () => {
    const { prepared, sent } = await prepare({ effects: pays(WORTH + 1_000n) });
    const least = ((WORTH + 1_000n) * 995n) / 1_000n;
    expect(prepared).toMatchObject({ assets: WORTH + 1_000n, minAssets: least });
    expect(decodeRouterCall(prepared.call.data).order).toMatchObject({ minOut: least, receiver: USER });
    // The approval of exactly the shares, and the order.
    expect(sent[0]?.map(({ to }) => to)).toEqual([VAULT, prepared.call.target]);
    expect(prepared.simulated.calls.at(-1)).toEqual(prepared.call);
  });

  test("never enforces less than the preview less the slippage", async () => {
    const promised = (WORTH * 995n) / 1_000n;
    const { prepared } = await prepare({ effects: pays(promised) });
    expect(prepared).toMatchObject({ assets: promised, minAssets: promised });
  });

  test.each([
    ["half", WORTH / 2n],
    ["a unit less than the floor", (WORTH * 995n) / 1_000n - 1n],
    ["nothing", 0n],
  ])("refuses a vault that pays %s of what it previews", async (_name, paid) => {
    expect(await codeOf({ effects: pays(paid) })).toBe("price_unsafe");
  });

  test("refuses what the Router's floor refuses, as the vault's fault", async () => {
    const failed = await prepare({ effects: { revert: below } }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(FailedExit);
    expect(failed).toMatchObject({
      revert: below,
      explained: { code: "price_unsafe", members: { subject: "vault" } },
    });
  });

  test("a larger slippage accepts a loss of up to three percent, and enforces what was then seen", async () => {
    const lossy = (left: bigint) => ({ order: { slippage: 0.5 }, effects: pays((WORTH * left) / 1_000n) });
    expect(await codeOf(lossy(969n))).toBe("price_unsafe");
    const taxed = (WORTH * 980n) / 1_000n;
    expect((await prepare(lossy(980n))).prepared.minAssets).toBe((taxed * 995n) / 1_000n);
    const { prepared } = await prepare({ order: { slippage: 0.001 } });
    expect(prepared.minAssets).toBe((WORTH * 999n) / 1_000n);
  });

  test.each<[string, Partial<ExitTerms>]>([
    ["exits_paused", { paused: true }],
    ["share_locked", { lockedUntil: 2_000_000_000 }],
    ["below_minimum", { minShares: HELD + 1n }],
    ["below_minimum", { previewAssets: 0n }],
    ["not_allowed", { refusal: "not_allowed" }],
    ["upstream_rejected", { asset: null }],
    ["price_unsafe", { grossAssets: WORTH * 2n }],
  ])("refuses with %s before anything is simulated", async (code, terms) => {
    expect(await codeOf({ terms })).toBe(code);
  });

  test("asks no more of a vault that says only what a unit of rounding takes", async () => {
    const { prepared } = await prepare({ terms: { grossAssets: WORTH + 1n } });
    expect(prepared.assets).toBe(WORTH);
  });

  test("an exit fee is borne up to the slippage, and shown", async () => {
    const terms = { previewAssets: (WORTH * 96n) / 100n };
    const effects = pays(terms.previewAssets);
    expect(await codeOf({ terms, effects })).toBe("price_unsafe");
    expect(await codeOf({ terms, effects, order: { slippage: 0.05 } })).toBe("none");
  });

  test("lack of liquidity is told where the views show it and the call fails", async () => {
    const effects = { revert: encodeErrorResult({ abi: errors, errorName: "StepFailed", args: [0n, "0x"] }) };
    expect(await codeOf({ effects, terms: { maxShares: 0n } })).toBe("no_liquidity");
    expect(await codeOf({ effects })).toBe("would_revert");
  });
});

test("prepareExit() leaves no loss to the vault where a swap or bridge uses the slippage", async () => {
  const to = { client: clientOf(home), chainId: home.chainId, token: WETH };
  const { client } = simulatedChain({ effects: () => pays((WORTH * 98n) / 100n), definition: home });
  const order = orderOf({ client, to, slippage: 0.03 });
  const way = exitWayOf(order, { pays: false });
  const made = prepareExit(testContext({ clients: [client] }), { order, facts: factsOf(order, [way]), way });
  await expect(made).rejects.toMatchObject({ code: "price_unsafe" });
});

describe("prepareExit() by the owner", () => {
  test("has no minimum where no contract enforces one, and refuses a vault that pays less all the same", async () => {
    const { prepared, sent } = await prepare({ via: "user" });
    expect(prepared).toMatchObject({ assets: WORTH, minAssets: null, call: { target: VAULT } });
    expect(sent[0]).toHaveLength(1);
    expect(await codeOf({ via: "user", effects: pays(WORTH / 2n) })).toBe("price_unsafe");
  });

  test("a family's own minimum is encoded and told", async () => {
    const { prepared } = await prepare({ via: "user", order: { vault: familyVault("fluid") } });
    expect(prepared.minAssets).toBe((WORTH * 995n) / 1_000n);
    expect(prepared.call.data.slice(0, 10)).toBe("0x9f40a7b3");
  });

  test("a request that takes the shares without recording anything is refused", async () => {
    const lagoon = { vault: familyVault("lagoon") };
    const of = { via: "user", mode: "request", order: lagoon } as const;
    const taken = { rises: { [balanceKey(VAULT, USER)]: -HELD } };
    expect(await codeOf({ ...of, effects: taken })).toBe("none");
    expect(await codeOf({ ...of, effects: { rises: { [balanceKey(VAULT, USER)]: -HELD + 1n } } })).toBe(
      "upstream_rejected",
    );
    expect(await codeOf({ ...of, effects: {} })).toBe("upstream_rejected");
    expect(await codeOf({ ...of, effects: {}, balance: null })).toBe("upstream_rejected");
    // The call first claims as many shares as it takes, so that the balance stays.
    expect(await codeOf({ ...of, effects: {}, terms: { heldShares: HELD * 2n } })).toBe("none");
  });

  test("a request that leaves the shares in the wallet is built where the node returns no logs", async () => {
    const ipor = { vault: familyVault("ipor", { withdraw_manager: OTHER }) };
    const taking = (shares: bigint) =>
      codeOf({
        ...({ via: "user", mode: "request", order: ipor } as const),
        effects: { rises: { [balanceKey(VAULT, USER)]: -shares } },
      });
    expect(await taking(0n)).toBe("none");
    // The vault takes a fee for the request.
    expect(await taking((HELD * 3n) / 100n)).toBe("none");
    expect(await taking(HELD / 25n)).toBe("price_unsafe");
    expect(await taking(HELD)).toBe("price_unsafe");
  });

  test("a request that the simulation cannot show is not called unrecorded", async () => {
    const lagoon = { vault: familyVault("lagoon") };
    const of = { via: "user", mode: "request", order: lagoon } as const;
    expect(await codeOf({ ...of, effects: { unread: true } })).toBe("simulation_unavailable");
  });
});

describe("prepareExit() of a request while another is open", () => {
  const order = { vault: familyVault("erc4626", { exit: "erc7540" }) };
  const OPEN = HELD / 3n;
  const requested = (after: bigint | null, paid = 0n, before: bigint | null = OPEN) => ({
    ...({ via: "user", mode: "request", order } as const),
    effects: {
      rises: { [balanceKey(VAULT, USER)]: -HELD, [balanceKey(USDC, USER)]: paid },
      open: { before, after },
    },
  });

  test("is refused where the vault would forget the open one", async () => {
    expect(await codeOf(requested(HELD))).toBe("request_pending");
    expect(await codeOf(requested(OPEN + HELD - HELD / 20n))).toBe("request_pending");
  });

  test("is built where the vault adds to the open one, or pays it", async () => {
    expect(await codeOf(requested(OPEN + HELD))).toBe("none");
    expect(await codeOf(requested(HELD, WORTH / 3n))).toBe("none");
  });

  test("is refused for now where the open one could not be read, unless none was open", async () => {
    expect(await codeOf(requested(OPEN + HELD, 0n, null))).toBe("simulation_unavailable");
    expect(await codeOf(requested(null))).toBe("simulation_unavailable");
    expect(await codeOf(requested(null, 0n, 0n))).toBe("none");
  });

  test("says nothing of vaults of which the family has no such views", async () => {
    const lagoon = { order: { vault: familyVault("lagoon") } };
    expect(await codeOf({ ...requested(HELD), ...lagoon })).toBe("none");
  });
});

describe("prepareExit() of a vault that may realise losses", () => {
  const yearn = familyVault("yearn_v3");
  const loss = (percent: bigint) => pays((WORTH * (100n - percent)) / 100n);

  test("takes the user's slippage as the largest loss, up to three percent", async () => {
    const limitOf = async (slippage: number) => {
      const order = { vault: yearn, slippage };
      const { prepared } = await prepare({ via: "user", order });
      return BigInt(`0x${prepared.call.data.slice(-64)}`);
    };
    expect(await limitOf(0.005)).toBe(50n);
    expect(await limitOf(0.0005)).toBe(5n);
    expect(await limitOf(0.02)).toBe(200n);
    expect(await limitOf(0.5)).toBe(300n);
  });

  test("accepts a loss within the slippage, and enforces what was then seen", async () => {
    expect(await codeOf({ order: { vault: yearn }, effects: loss(1n) })).toBe("price_unsafe");
    const { prepared } = await prepare({ order: { vault: yearn, slippage: 0.02 }, effects: loss(1n) });
    const seen = (WORTH * 99n) / 100n;
    expect(prepared).toMatchObject({ assets: seen, minAssets: (seen * 995n) / 1_000n });
    expect(await codeOf({ order: { vault: yearn, slippage: 0.5 }, effects: loss(4n) })).toBe("price_unsafe");
  });
});

describe("prepareExit() of a vault that queues what it cannot pay", () => {
  const order = { vault: familyVault("mellow_lrt") };
  const redeemed = (paid: bigint): SimulatedEffects => ({
    ...pays(paid),
    logs: [
      transferLog({ token: USDC, from: VAULT, to: USER, value: paid }),
      log(
        VAULT,
        encodeEventTopics({
          abi: erc4626Abi,
          eventName: "Withdraw",
          args: { sender: USER, receiver: USER, owner: USER },
        }),
        encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [WORTH, HELD]),
      ),
    ],
  });

  test.each([
    ["nothing is paid", redeemed(0n)],
    ["a part is paid", redeemed(WORTH / 2n)],
    ["what is queued is within the slippage", redeemed((WORTH * 998n) / 1_000n)],
    ["the node returns no logs", pays(WORTH / 2n)],
  ])("refuses an instant redemption as short of liquidity where %s", async (_name, effects) => {
    expect(await codeOf({ via: "user", order, effects })).toBe("no_liquidity");
  });

  test("builds one that is paid whole, but for the rounding of the token's transfers", async () => {
    expect(await codeOf({ via: "user", order, effects: redeemed(WORTH) })).toBe("none");
    expect(await codeOf({ via: "user", order, effects: redeemed(WORTH - 2n) })).toBe("none");
  });
});

describe("prepareExit() of a family whose encoding is wrong", () => {
  test.each([
    ["pays somebody else", { receiver: OTHER }],
    ["redeems somebody else's shares", { caller: OTHER }],
    ["redeems more", { shares: HELD * 2n }],
    ["redeems to the zero address", { receiver: zeroAddress }],
  ])("refuses an own call that %s, before anything is simulated", async (_name, lie) => {
    const { exits } = orderOf();
    const lying = {
      ...exits,
      encode: (of: typeof vault, request: Parameters<typeof exits.encode>[1]) =>
        exits.encode(of, { ...request, ...lie }),
    };
    expect(await codeOf({ via: "user", order: { exits: lying } })).toBe("upstream_rejected");
  });

  test("refuses an order whose executor redeems for somebody else", async () => {
    const { exits } = orderOf();
    const lying = {
      ...exits,
      encode: (of: typeof vault, request: Parameters<typeof exits.encode>[1]) =>
        exits.encode(of, { ...request, receiver: OTHER, caller: OTHER }),
    };
    expect(await codeOf({ order: { exits: lying } })).toBe("upstream_rejected");
  });
});

describe("isPaidAtOnce()", () => {
  const order = orderOf({ vault: familyVault("mellow_lrt") });
  const way = exitWayOf(order, { via: "user", mode: "request", terms: { ...paying } });
  const paid = (value: bigint, to = USER) => [transferLog({ token: USDC, from: VAULT, to, value })];

  test("accepts what the vault previews, less the slippage, and nothing less", () => {
    const least = (WORTH * 995n) / 1_000n;
    expect(isPaidAtOnce({ order, way }, paid(least))).toBe(true);
    expect(isPaidAtOnce({ order, way }, paid(least - 1n))).toBe(false);
    expect(isPaidAtOnce({ order, way }, [])).toBe(false);
  });

  test("counts neither another receiver nor a payment of unknown worth", () => {
    expect(isPaidAtOnce({ order, way }, paid(WORTH, OTHER))).toBe(false);
    const unknown = { ...way, terms: { ...way.terms, previewAssets: null } };
    expect(isPaidAtOnce({ order, way: unknown }, paid(WORTH))).toBe(false);
  });
});

test("prepareExit() warns of an approval of which a part may stay", async () => {
  const [effects, via] = [{ unread: true }, "user"] as const;
  const { prepared } = await prepare({ effects, via, spender: VAULT });
  expect(prepared.exit.warnings).toMatchObject([{ code: "approval_unused" }]);
  expect((await prepare({ effects, via })).prepared.exit.warnings).toEqual([]);
});
