import {
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  isAddressEqual,
  numberToHex,
  parseAbi,
} from "viem";
import { describe, expect, test } from "vitest";
import { MAX_UINT256 } from "../../src/lib/amount.ts";
import { depositRouterAddress } from "../../src/router/router-address.ts";
import { prepareMode } from "../../src/withdrawals/choose-exit.ts";
import { FailedExit, prepareExit } from "../../src/withdrawals/prepare-exit.ts";
import { testContext } from "../support/context.ts";
import { OTHER, USDC, USER, VAULT } from "../support/deposits/fixtures.ts";
import { log, transferLog } from "../support/deposits/logs.ts";
import { balanceKey, type SimulatedEffects, simulatedChain } from "../support/deposits/simulated-chain.ts";
import {
  exitWayOf,
  factsOf,
  familyVault,
  HELD,
  home,
  orderOf,
  paying,
  WORTH,
} from "../support/withdrawals/fixtures.ts";
import { cooling } from "../support/withdrawals/withdrawing.ts";

const USDC_TOKEN = { address: USDC, symbol: "USDC", decimals: 6 };
const UNHEARD: Hex = "0xdeadbeef";

/** Vaults and tokens that show a build something else than they do. */
describe("a build is refused when", () => {
  const rises = { [balanceKey(USDC, USER)]: WORTH };
  const arrives = (value: bigint) => transferLog({ token: USDC, from: VAULT, value });

  async function codeOf(
    effects: SimulatedEffects,
    via: "router" | "user" = "router",
    { all = false, terms = paying, slippage = 0.005 } = {},
  ): Promise<string> {
    const { client } = simulatedChain({ effects: () => effects, definition: home });
    const order = orderOf({ client, slippage, ...(all && { shares: "all" as const }) });
    const way = exitWayOf(order, { via, terms });
    const attempt = { order, facts: factsOf(order, [way]), way };
    const error = await prepareExit(testContext({ clients: [client] }), attempt).then(
      () => ({ code: "none" }),
      (thrown) => (thrown instanceof FailedExit ? thrown.explained : thrown),
    );
    return error.code ?? String(error);
  }

  test.each(["router", "user"] as const)("nothing is wrong, it is not (%s)", async (via) => {
    expect(await codeOf({ rises, logs: [arrives(WORTH)] }, via)).toBe("none");
    expect(await codeOf({ rises, logs: [arrives(WORTH - 1n), arrives(1n)] }, via)).toBe("none");
  });

  test.each<[string, SimulatedEffects]>([
    [
      "the vault pays less than it previews",
      { rises: { [balanceKey(USDC, USER)]: WORTH / 2n }, logs: [arrives(WORTH / 2n)] },
    ],
    [
      "the vault pays another receiver",
      {
        rises: { [balanceKey(USDC, OTHER)]: WORTH },
        logs: [transferLog({ token: USDC, to: OTHER, value: WORTH })],
      },
    ],
    [
      "the vault pays a part now and the rest some day",
      { rises: { [balanceKey(USDC, USER)]: WORTH / 2n }, logs: [arrives(WORTH / 2n)] },
    ],
    ["the token's balance rises without a transfer", { rises, logs: [] }],
    ["the token's balance rises by more than was transferred", { rises, logs: [arrives(WORTH / 2n)] }],
    ["another contract emits the transfer", { rises, logs: [transferLog({ token: OTHER, value: WORTH })] }],
    [
      "the transfer is to somebody else",
      { rises, logs: [transferLog({ token: USDC, to: OTHER, value: WORTH })] },
    ],
    [
      "the vault takes more shares than it redeems",
      { rises: { ...rises, [balanceKey(VAULT, USER)]: -HELD - 1n }, logs: [arrives(WORTH)] },
    ],
  ])("%s", async (_name, effects) => {
    for (const via of ["router", "user"] as const)
      expect([via, await codeOf(effects, via)]).toEqual([via, "price_unsafe"]);
  });

  test.each<[string, SimulatedEffects, string]>([
    [
      "the vault takes the payment back by an earlier allowance",
      { rises: { [balanceKey(USDC, USER)]: 0n }, logs: [arrives(WORTH)] },
      "price_unsafe",
    ],
    [
      "the token answers for no balance and transfers nothing",
      { hides: USDC, logs: [], returned: numberToHex(WORTH, { size: 32 }) },
      "price_unsafe",
    ],
    [
      "the share token hides what is taken of it",
      { rises, hides: VAULT, logs: [arrives(WORTH)] },
      "simulation_unavailable",
    ],
    ["the share token hides it where nothing is logged", { rises, hides: VAULT }, "simulation_unavailable"],
    [
      "the vault pays in many parts of which the last is missing",
      { rises: { [balanceKey(USDC, USER)]: (WORTH * 9n) / 10n }, logs: Array(9).fill(arrives(WORTH / 10n)) },
      "price_unsafe",
    ],
  ])("%s", async (_name, effects, code) => {
    for (const via of ["router", "user"] as const)
      expect([via, await codeOf(effects, via)]).toEqual([via, code]);
  });

  test("the vault pays in its own shares", async () => {
    const { client } = simulatedChain({ effects: () => ({ rises }), definition: home });
    const own = { ...familyVault("erc4626"), asset: { ...USDC_TOKEN, address: VAULT } };
    const order = orderOf({ client, vault: own });
    for (const via of ["router", "user"] as const) {
      const way = exitWayOf(order, { via, terms: { ...paying, asset: VAULT } });
      const attempt = { order, facts: factsOf(order, [way]), way };
      await expect(prepareExit(testContext({ clients: [client] }), attempt)).rejects.toMatchObject({
        code: "price_unsafe",
      });
    }
  });

  test("the vault refuses the Router, and cheats the owner's own call", async () => {
    const byRouter = ({ to }: { to: string }) => isAddressEqual(to as Hex, depositRouterAddress);
    const modeCode = (own: SimulatedEffects) => {
      const effects = (call: { to: string }) => (byRouter(call) ? { revert: UNHEARD } : own);
      const { client } = simulatedChain({ effects, definition: home });
      const order = orderOf({ client });
      const ways = [exitWayOf(order), exitWayOf(order, { via: "user" })];
      const asked = { order, facts: factsOf(order, ways), mode: "instant" as const };
      return prepareMode(testContext({ clients: [client] }), asked).then(
        ({ exit }) => exit.way.via,
        ({ code }: { code: string }) => code,
      );
    };
    expect(await modeCode({ rises, logs: [arrives(WORTH)] })).toBe("user");
    const half = { [balanceKey(USDC, USER)]: WORTH / 2n };
    expect(await modeCode({ rises: half, logs: [arrives(WORTH / 2n)] })).toBe("price_unsafe");
    const other = transferLog({ token: USDC, to: OTHER, value: WORTH });
    expect(await modeCode({ rises, logs: [other] })).toBe("price_unsafe");
    const more = { ...rises, [balanceKey(VAULT, USER)]: -HELD - 1n };
    expect(await modeCode({ rises: more, logs: [arrives(WORTH)] })).toBe("price_unsafe");
  });

  test("the vault shows no preview and pays far less than the shares are worth", async () => {
    const terms = { ...paying, previewAssets: null, previewRevert: UNHEARD };
    for (const via of ["router", "user"] as const) {
      const paid = (value: bigint) =>
        codeOf({ rises: { [balanceKey(USDC, USER)]: value }, logs: [arrives(value)] }, via, { terms });
      expect([await paid(WORTH), await paid((WORTH * 97n) / 100n)]).toEqual(["none", "none"]);
      expect([await paid((WORTH * 96n) / 100n), await paid(10n)]).toEqual(["price_unsafe", "price_unsafe"]);
    }
  });

  test("its preview leaves out so much of the fee that both together are too much", async () => {
    // The preview shows a fee of 2%.
    const gross = (WORTH * 100n) / 98n;
    for (const via of ["router", "user"] as const) {
      const of = (paid: bigint, slippage: number) =>
        codeOf({ rises: { [balanceKey(USDC, USER)]: paid }, logs: [arrives(paid)] }, via, {
          terms: { ...paying, grossAssets: gross },
          slippage,
        });
      expect(await of((gross * 971n) / 1_000n, 0.03)).toBe("none");
      expect(await of((gross * 969n) / 1_000n, 0.03)).toBe("price_unsafe");
      expect(await of((gross * 961n) / 1_000n, 0.04)).toBe("none");
    }
  });

  test("the vault has another asset on chain than in the registry", async () => {
    for (const via of ["router", "user"] as const)
      expect(
        await codeOf({ rises, logs: [arrives(WORTH)] }, via, { terms: { ...paying, asset: OTHER } }),
      ).toBe("upstream_rejected");
  });

  test("the vault promises more for all shares than an order can hold", async () => {
    const terms = { ...paying, previewAssets: MAX_UINT256, grossAssets: MAX_UINT256 };
    const by = (via: "router" | "user") =>
      codeOf({ rises, logs: [arrives(WORTH)] }, via, { all: true, terms });
    expect([await by("router"), await by("user")]).toEqual(["upstream_rejected", "price_unsafe"]);
  });

  test.each(["router", "user"] as const)(
    "the vault pays less, over a node that returns no logs (%s)",
    async (via) => {
      expect(await codeOf({ rises: { [balanceKey(USDC, USER)]: WORTH / 2n } }, via)).toBe("price_unsafe");
    },
  );
});

describe("a build of a request is refused when", () => {
  const requested = parseAbi([
    "event RedeemRequest(address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 shares)",
  ]);
  const recorded = (shares: bigint) => {
    const named = { abi: requested, eventName: "RedeemRequest" } as const;
    const topics = encodeEventTopics({ ...named, args: { controller: USER, owner: USER, requestId: 0n } });
    const types = [{ type: "address" }, { type: "uint256" }] as const;
    return log(VAULT, topics, encodeAbiParameters(types, [USER, shares]));
  };

  async function codeOf(of: {
    taken: bigint;
    shares: bigint;
    slippage?: number;
    hides?: typeof VAULT;
  }): Promise<string> {
    const effects = {
      ...{ rises: { [balanceKey(VAULT, USER)]: -of.taken }, logs: [recorded(of.shares)] },
      ...(of.hides !== undefined && { hides: of.hides }),
    };
    const { client } = simulatedChain({ effects: () => effects, definition: home });
    const order = orderOf({ client, vault: familyVault("lagoon"), slippage: of.slippage ?? 0.005 });
    const way = exitWayOf(order, { via: "user", mode: "request", terms: paying });
    const attempt = { order, facts: factsOf(order, [way]), way };
    const { code = "none" } = await prepareExit(testContext({ clients: [client] }), attempt).then(
      (): { code?: string } => ({}),
      (thrown) => thrown,
    );
    return code;
  }

  test("the vault takes more shares than it was asked for", async () => {
    expect(await codeOf({ taken: HELD, shares: HELD })).toBe("none");
    expect(await codeOf({ taken: HELD + 1n, shares: HELD })).toBe("price_unsafe");
  });

  test("the share token hides what is taken of it", async () => {
    expect(await codeOf({ taken: HELD, shares: HELD, hides: VAULT })).toBe("simulation_unavailable");
  });

  test("it records much fewer shares than it takes, unless the user accepts as much", async () => {
    const least = (HELD * 97n) / 100n;
    expect(await codeOf({ taken: HELD, shares: least })).toBe("none");
    expect(await codeOf({ taken: HELD, shares: least - 2n })).toBe("price_unsafe");
    expect(await codeOf({ taken: HELD, shares: least - 2n, slippage: 0.05 })).toBe("none");
  });
});

describe("a build of a cooldown whose payment is fixed in the call is refused when", () => {
  const started = parseAbi([
    "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
  ]);
  const codeOf = async (assets: bigint, slippage = 0.005): Promise<string> => {
    const args = { sender: USER, receiver: OTHER, owner: USER };
    const topics = encodeEventTopics({ abi: started, eventName: "Withdraw", args });
    const types = [{ type: "uint256" }, { type: "uint256" }] as const;
    const logs = [log(VAULT, topics, encodeAbiParameters(types, [assets, HELD]))];
    const effects = { rises: { [balanceKey(VAULT, USER)]: -HELD }, logs };
    const { client } = simulatedChain({ effects: () => effects, definition: home });
    const order = orderOf({ client, vault: cooling, slippage });
    const way = exitWayOf(order, { via: "user", mode: "cooldown", terms: paying });
    const attempt = { order, facts: factsOf(order, [way]), way };
    return prepareExit(testContext({ clients: [client] }), attempt).then(
      () => "none",
      ({ code }: { code: string }) => code,
    );
  };

  test("the vault records less than its preview by more than the slippage", async () => {
    expect(await codeOf(WORTH)).toBe("none");
    expect(await codeOf((WORTH * 995n) / 1_000n)).toBe("none");
    expect(await codeOf((WORTH * 994n) / 1_000n)).toBe("price_unsafe");
    expect(await codeOf(1n)).toBe("price_unsafe");
    expect(await codeOf((WORTH * 98n) / 100n, 0.02)).toBe("none");
  });
});
