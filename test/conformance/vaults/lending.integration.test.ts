import { toFunctionSelector } from "viem";
import {
  eulerEarnVaultAbi,
  eulerEarnVaultCreationCode,
  eulerVaultAbi,
  eulerVaultCreationCode,
  fluidTokenAbi,
  fluidTokenCreationCode,
  gearboxPoolAbi,
  gearboxPoolCreationCode,
  savingsTokenAbi,
  savingsTokenCreationCode,
  siloVaultAbi,
  siloVaultCreationCode,
  stataTokenAbi,
  stataTokenCreationCode,
  yearnStrategyAbi,
  yearnStrategyCreationCode,
  yearnVaultAbi,
  yearnVaultCreationCode,
} from "#stand-ins/lending";
import type { Family } from "../../support/conformance/vaults/family.ts";
import {
  convertedBy,
  deployStandard,
  initialState,
  priceOf,
  set,
  standard,
  standardShown,
  when,
} from "../../support/conformance/vaults/standard.ts";
import { conformance } from "../../support/conformance/vaults/suite.ts";

const custom = { type: "custom", ...standard } as const;
const ZERO = "0x0000000000000000000000000000000000000000";
const HOOK = "0x00000000000000000000000000000000000000aa";
/** What every vault here holds before the suite comes, of a token of six decimals. */
const HELD = 107_310_000_000n;
const room = (amount: bigint) => [HELD + amount];

const euler: Family = {
  ...custom,
  name: "Euler",
  adapter: "euler",
  decimals: [6, 18, 8, 0],
  deploy: deployStandard({ abi: eulerVaultAbi, code: eulerVaultCreationCode }),
  states: [
    {
      ...when("hooked to nobody", { abi: eulerVaultAbi, call: "setHook", args: [ZERO, 1, ZERO] }),
      refused: { code: "vault_paused" },
      shown: { paused: true, max_deposit: "0" },
    },
    {
      ...when("hooked to nobody in what is no deposit", {
        abi: eulerVaultAbi,
        call: "setHook",
        args: [ZERO, 2, ZERO],
      }),
      refused: null,
      shown: { paused: false },
    },
    {
      ...when("hooked to a list that `maxDeposit` leaves out", {
        abi: eulerVaultAbi,
        call: "setHook",
        args: (user) => [HOOK, 1, user],
      }),
      // The list holds the user, and the Router's clone is who calls.
      refused: { code: "would_revert", revert: toFunctionSelector("NotAdmitted()") },
      shown: { paused: false },
    },
    {
      ...when("a deposit above the limit", { abi: eulerVaultAbi, call: "setCap", args: room(1_000_000n) }),
      refused: { code: "above_maximum", max_deposit: "1000000" },
      shown: { max_deposit: "1000000" },
    },
    {
      ...initialState("a deposit that would mint zero shares"),
      amount: () => 1n,
      refused: { code: "zero_shares" },
    },
  ],
};

const eulerEarn: Family = {
  ...custom,
  name: "EulerEarn, whose limit costs all gas",
  adapter: "euler_earn",
  decimals: [6, 18],
  deploy: deployStandard({ abi: eulerEarnVaultAbi, code: eulerEarnVaultCreationCode }),
  states: [
    {
      ...when("full", { abi: eulerEarnVaultAbi, call: "setCap", args: room(0n) }),
      refused: { code: "above_maximum", max_deposit: null },
      shown: { max_deposit: null, paused: false },
    },
    {
      ...when("without a supply queue", {
        ...{ abi: eulerEarnVaultAbi, call: "setSupplyQueueLength", args: () => [0n] },
      }),
      refused: { code: "above_maximum", max_deposit: "0" },
      shown: { max_deposit: "0", paused: false },
    },
  ],
};

const yearn: Family = {
  ...custom,
  name: "Yearn v3",
  adapter: "yearn_v3",
  decimals: [6, 18, 8, 0],
  deploy: deployStandard({ abi: yearnVaultAbi, code: yearnVaultCreationCode }),
  states: [
    {
      ...when("a deposit above the limit", { abi: yearnVaultAbi, call: "setLimit", args: room(5n) }),
      refused: { code: "above_maximum", max_deposit: "5" },
      shown: { max_deposit: "5" },
    },
    {
      ...when("shut down", { abi: yearnVaultAbi, call: "shutdown" }),
      refused: { code: "vault_paused" },
      shown: { paused: true, max_deposit: "0" },
    },
    {
      ...when("shut for the receiver alone", { abi: yearnVaultAbi, call: "shut", args: (user) => [user] }),
      refused: { code: "above_maximum", max_deposit: "0" },
      shown: { paused: false },
    },
  ],
};

const yearnStrategy: Family = {
  ...custom,
  name: "Yearn's tokenized strategy",
  adapter: "yearn_v3",
  decimals: [6],
  deploy: deployStandard({ abi: yearnStrategyAbi, code: yearnStrategyCreationCode }),
  states: [
    {
      ...when("a deposit above the limit", { abi: yearnStrategyAbi, call: "setLimit", args: room(5n) }),
      refused: { code: "above_maximum", max_deposit: "5" },
      shown: { max_deposit: "5" },
    },
    {
      ...when("shut down", { abi: yearnStrategyAbi, call: "shutdownStrategy" }),
      refused: { code: "vault_paused" },
      shown: { paused: true, max_deposit: "0" },
    },
    {
      ...when("paused", { abi: yearnStrategyAbi, call: "setPaused", args: [true] }),
      refused: { code: "vault_paused" },
      shown: { paused: true, max_deposit: "0" },
    },
  ],
};

const stata: Family = {
  ...custom,
  name: "Aave's static token",
  adapter: "aave_stata",
  decimals: [6, 18, 8],
  deploy: deployStandard({ abi: stataTokenAbi, code: stataTokenCreationCode }),
  states: [
    {
      ...when("paused by itself", { abi: stataTokenAbi, call: "setPaused", args: [true] }),
      refused: { code: "vault_paused" },
      shown: { paused: true, max_deposit: "0" },
    },
    {
      ...when("over a frozen reserve", { abi: stataTokenAbi, call: "setFrozen", args: [true] }),
      // Only the pool tells it from a full one: the most that either takes is nothing.
      refused: { code: "vault_paused" },
      shown: { paused: true, max_deposit: "0" },
    },
    {
      ...when("over a full reserve", { abi: stataTokenAbi, call: "setCap", args: room(7n) }),
      refused: { code: "above_maximum", max_deposit: "7" },
    },
    {
      name: "over a frozen reserve of an older pool",
      enter: async (placed) => {
        await set(placed, { abi: stataTokenAbi, name: "setNumbered" });
        await set(placed, { abi: stataTokenAbi, name: "setFrozen", args: [true] });
      },
      refused: { code: "vault_paused" },
    },
    {
      name: "over a full reserve of an older pool",
      enter: async (placed) => {
        await set(placed, { abi: stataTokenAbi, name: "setNumbered" });
        await set(placed, { abi: stataTokenAbi, name: "setCap", args: room(7n) });
      },
      refused: { code: "above_maximum", max_deposit: "7" },
    },
  ],
};

const savings: Family = {
  ...custom,
  name: "a savings token, worth by its rate",
  adapter: "spark",
  decimals: [18, 6],
  async deploy(world, asset) {
    const made = await deployStandard({ abi: savingsTokenAbi, code: savingsTokenCreationCode })(world, asset);
    const { address: vault } = made.row;
    const placed = {
      ...made,
      world,
      asset,
      vault: vault as `0x${string}`,
      shareToken: vault as `0x${string}`,
    };
    await set(placed, {
      abi: savingsTokenAbi,
      name: "setChi",
      args: [1_073_100_000_000_000_000_000_000_000n],
    });
    return made;
  },
  states: [
    {
      ...when("full", { abi: savingsTokenAbi, call: "setCap", args: [1n] }),
      refused: { code: "above_maximum", max_deposit: "0" },
      shown: { max_deposit: "0", min_deposit: "0", no_minimum: true },
    },
  ],
};

const gearbox: Family = {
  ...custom,
  name: "Gearbox",
  adapter: "gearbox",
  decimals: [6, 18, 8],
  deploy: deployStandard({ abi: gearboxPoolAbi, code: gearboxPoolCreationCode }),
  states: [
    {
      ...when("paused", { abi: gearboxPoolAbi, call: "setPaused", args: [true] }),
      refused: { code: "vault_paused" },
      shown: { paused: true, max_deposit: "0" },
    },
  ],
};

/** The liquidity layer refuses by a number of its own. */
const beneath = (errorId: bigint) => ({ abi: fluidTokenAbi, call: "setBeneath", args: [errorId] });

const fluid: Family = {
  ...custom,
  name: "Fluid",
  adapter: "fluid",
  decimals: [6, 18],
  deploy: deployStandard({ abi: fluidTokenAbi, code: fluidTokenCreationCode }),
  states: [
    {
      ...when("with a minimum", { abi: fluidTokenAbi, call: "setMinDeposit", args: [2_000_000_000n] }),
      refused: { code: "below_minimum", min_deposit: "2000000000" },
      shown: { min_deposit: "2000000000" },
    },
    {
      ...when("with a limit", { abi: fluidTokenAbi, call: "setLimit", args: [9n] }),
      refused: { code: "above_maximum", max_deposit: "9" },
    },
    {
      ...when("paused in the liquidity layer", beneath(11002n)),
      refused: { code: "vault_paused" },
    },
    {
      ...when("growing too much for the liquidity layer", beneath(11017n)),
      refused: { code: "above_maximum", max_deposit: null },
    },
    {
      ...when("refused by the liquidity layer for a reason without a code", beneath(11001n)),
      refused: { code: "would_revert", revert: "FluidLiquidityError(11001)" },
    },
    {
      ...initialState("a deposit that would mint zero shares"),
      amount: () => 1n,
      refused: { code: "zero_shares" },
    },
  ],
};

const directFluid: Family = {
  ...fluid,
  name: "Fluid, called by the user",
  decimals: [6],
  async deploy(world, asset) {
    const made = await fluid.deploy(world, asset);
    return { ...made, row: { ...made.row, caller: "user" } };
  },
  nativeMinimum: true,
  states: [
    {
      ...initialState("as it is"),
      refused: null,
      shown: { external_router: true },
    },
  ],
};

const silo: Family = {
  ...custom,
  name: "Silo, whose shares are finer than they say",
  adapter: "silo",
  decimals: [6, 18],
  deploy: deployStandard({ abi: siloVaultAbi, code: siloVaultCreationCode }),
  // A thousand times finer: of a whole share by its decimals, a price to a millionth takes a thousand.
  async shown(placed) {
    const wholeShares = 10n ** 15n;
    const assets = await convertedBy(placed, wholeShares * 10n ** BigInt(placed.row.shareDecimals));
    return { ...(await standardShown(placed)), share_price: priceOf(placed, { assets, wholeShares }) };
  },
  states: [
    {
      ...when("refusing by its hook, which no view tells", {
        abi: siloVaultAbi,
        call: "setRefusing",
        args: [true],
      }),
      refused: { code: "would_revert", revert: toFunctionSelector("RefusedByHook()") },
      shown: { max_deposit: null, paused: false },
    },
  ],
};

conformance([euler, eulerEarn, yearn, yearnStrategy, stata, savings, gearbox, fluid, directFluid, silo]);
