import { type Address, encodeFunctionData, toFunctionSelector } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  contractsOf,
  deploy,
  type ScratchChain,
  send,
  startScratchChain,
} from "../../../scripts/stack/chains/scratch-chain.ts";
import type { LensVault } from "../../../src/vaults/lens/position-lens.ts";
import { askLens, plain } from "../../support/vaults/lens.ts";

const USER: Address = "0x1111111111111111111111111111111111111111";
const NO_CODE: Address = "0x3333333333333333333333333333333333333333";
const SHA256: Address = "0x0000000000000000000000000000000000000002";

const SELECTOR = {
  balanceOf: toFunctionSelector("balanceOf(address)"),
  convertToAssets: toFunctionSelector("convertToAssets(uint256)"),
  totalAssets: toFunctionSelector("totalAssets()"),
  totalSupply: toFunctionSelector("totalSupply()"),
} as const;
const MODES = ["answer", "revert", "burnGas", "returnBomb", "revertBomb", "short", "empty", "long"] as const;
/** Every way to answer nothing of use. */
const FAILURES = MODES.filter((mode) => mode !== "answer" && mode !== "returnBomb" && mode !== "long");
type Reply = { mode: (typeof MODES)[number]; value: bigint };
type Replies = Partial<Record<keyof typeof SELECTOR, Reply>>;

const says = (value: bigint): Reply => ({ mode: "answer", value });
const contracts = contractsOf("test/support/solidity/HostileShares.sol");
let chain: ScratchChain;

beforeAll(async () => {
  chain = await startScratchChain("--gas-limit", "1000000000");
});
afterAll(() => chain.stop());

async function puppet(replies: Replies): Promise<Address> {
  const { abi, creationCode } = contracts("Puppet");
  const address = await deploy(chain, creationCode);
  for (const name of Object.keys(replies) as (keyof typeof SELECTOR)[]) {
    const { mode, value } = replies[name] ?? says(0n);
    const args = [SELECTOR[name], MODES.indexOf(mode), value];
    await send(chain, { to: address, data: encodeFunctionData({ abi, functionName: "set", args }) });
  }
  return address;
}

const ask = async (...vaults: LensVault[]) => (await askLens(chain, { user: USER, vaults })).positions;

describe("position lens, balance", () => {
  test.each(FAILURES)("is unknown when balanceOf fails by %s", async (mode) => {
    const vault = await puppet({ balanceOf: { mode, value: 5n }, convertToAssets: says(9n) });
    expect(await ask(plain(vault))).toEqual([{ status: "balance_unknown" }]);
  });

  test.each(["returnBomb", "long"] as const)("is the first word of the answer (%s)", async (mode) => {
    const vault = await puppet({ balanceOf: { mode, value: 5n }, convertToAssets: { mode, value: 9n } });
    expect(await ask(plain(vault))).toEqual([{ status: "converted", balance: 5n, assets: 9n }]);
  });

  test.each([NO_CODE, SHA256])("is unknown at %s, which is no token", async (address) => {
    expect(await ask(plain(address))).toEqual([{ status: "balance_unknown" }]);
  });
});

describe("position lens, conversion", () => {
  const totals = { totalAssets: says(700n), totalSupply: says(300n) };

  test.each(FAILURES)(
    "falls back to the ratio, rounded down, when convertToAssets fails by %s",
    async (mode) => {
      const vault = await puppet({ balanceOf: says(100n), convertToAssets: { mode, value: 9n }, ...totals });
      expect(await ask(plain(vault), { ...plain(vault), kind: "convert" } as LensVault)).toEqual([
        { status: "ratio", balance: 100n, assets: 233n },
        { status: "assets_unknown", balance: 100n },
      ]);
    },
  );

  test.each(FAILURES)("leaves assets unknown when totalAssets fails by %s too", async (mode) => {
    const broken = { balanceOf: says(100n), convertToAssets: { mode: "revert", value: 0n } as const };
    const noAssets = await puppet({ ...broken, ...totals, totalAssets: { mode, value: 700n } });
    const noSupply = await puppet({ ...broken, ...totals, totalSupply: { mode, value: 300n } });
    const unknown = { status: "assets_unknown", balance: 100n };
    expect(await ask(plain(noAssets), plain(noSupply))).toEqual([unknown, unknown]);
  });

  test("leaves assets unknown without a total supply", async () => {
    const vault = await puppet({
      balanceOf: says(100n),
      convertToAssets: { mode: "revert", value: 0n },
      totalAssets: says(700n),
      totalSupply: says(0n),
    });
    expect(await ask(plain(vault))).toEqual([{ status: "assets_unknown", balance: 100n }]);
  });

  test("reads conversions from the pricer, balance and supply from the share token", async () => {
    const shareToken = await puppet({
      balanceOf: says(100n),
      totalSupply: says(400n),
      convertToAssets: says(1n),
    });
    const pricer = await puppet({ balanceOf: says(1n), totalSupply: says(1n), convertToAssets: says(55n) });
    const idle = await puppet({ convertToAssets: { mode: "revert", value: 0n }, totalAssets: says(800n) });
    expect(
      await ask(
        { kind: "convert_or_ratio", shareToken, pricer },
        { kind: "convert_or_ratio", shareToken, pricer: idle },
        { kind: "balance", shareToken },
        { kind: "convert", shareToken, pricer: NO_CODE },
      ),
    ).toEqual([
      { status: "converted", balance: 100n, assets: 55n },
      { status: "ratio", balance: 100n, assets: 200n },
      { status: "assets_unknown", balance: 100n },
      { status: "assets_unknown", balance: 100n },
    ]);
  });

  test("kind rate returns the first word of the given function with its argument", async () => {
    const shareToken = await puppet({ balanceOf: says(100n) });
    const empty = await puppet({ balanceOf: says(0n) });
    const pricer = await deploy(chain, contracts("RatePricer").creationCode);
    const rate = (signature: string, token = shareToken): LensVault => ({
      kind: "rate",
      shareToken: token,
      pricer,
      selector: toFunctionSelector(signature),
      argument: USER,
    });
    expect(
      await ask(
        rate("getRate()"),
        rate("getRateInQuote(address)"),
        rate("getRate()", empty),
        rate("getReport(address)"),
        rate("getStale()"),
        rate("getRate()", NO_CODE),
      ),
    ).toEqual([
      { status: "rate", balance: 100n, rate: 1_050_000_000_000_000_000n },
      { status: "rate", balance: 100n, rate: BigInt(USER) },
      { status: "none" },
      { status: "rate", balance: 100n, rate: 7n },
      { status: "assets_unknown", balance: 100n },
      { status: "balance_unknown" },
    ]);
  });
});

test("kind report returns a rate only when the third word exists and is zero", async () => {
  const shareToken = await puppet({ balanceOf: says(100n) });
  const empty = await puppet({ balanceOf: says(0n) });
  const pricer = await deploy(chain, contracts("RatePricer").creationCode);
  const report = (signature: string, token = shareToken): LensVault => {
    const selector = toFunctionSelector(signature);
    return { kind: "report", shareToken: token, pricer, selector, argument: USER };
  };
  const unknown = { status: "assets_unknown", balance: 100n };
  expect(
    await ask(
      report("getSoundReport(address)"),
      report("getReport(address)"),
      report("getShortReport(address)"),
      report("getRate()"),
      report("getStale()"),
      report("getSoundReport(address)", empty),
      report("getSoundReport(address)"),
    ),
  ).toEqual([
    { status: "rate", balance: 100n, rate: 7n },
    unknown,
    unknown,
    unknown,
    unknown,
    { status: "none" },
    { status: "rate", balance: 100n, rate: 7n },
  ]);
});

test.each(FAILURES)("kind report leaves assets unknown when the report fails by %s", async (mode) => {
  const vault = await puppet({ balanceOf: says(5n), totalAssets: { mode, value: 0n } });
  const asked = { kind: "report", shareToken: vault, pricer: vault, argument: USER } as const;
  expect(await ask({ ...asked, selector: SELECTOR.totalAssets })).toEqual([
    { status: "assets_unknown", balance: 5n },
  ]);
});

test("kind pair returns two answers, each in one half of the word", async () => {
  const shareToken = await puppet({ balanceOf: says(5n) });
  const upper = await puppet({ totalAssets: says(7n) });
  const most = await puppet({ totalAssets: says(2n ** 128n - 1n) });
  const tooMuch = await puppet({ totalAssets: says(2n ** 128n) });
  const selector = SELECTOR.totalAssets;
  const pair = (pricer: Address, argument: Address): LensVault => ({
    ...{ kind: "pair", shareToken, pricer, selector, argument },
  });
  const unknown = { status: "assets_unknown", balance: 5n };
  const word = (rate: bigint) => ({ status: "rate", balance: 5n, rate });
  expect(
    await ask(
      pair(upper, most),
      pair(most, upper),
      pair(upper, tooMuch),
      pair(tooMuch, upper),
      pair(upper, upper),
      { ...pair(upper, most), shareToken: await puppet({ balanceOf: says(0n) }) },
    ),
  ).toEqual([
    word((7n << 128n) + 2n ** 128n - 1n),
    word(((2n ** 128n - 1n) << 128n) + 7n),
    unknown,
    unknown,
    word((7n << 128n) + 7n),
    { status: "none" },
  ]);
});

test.each(FAILURES)("kind pair leaves assets unknown when one answer fails by %s", async (mode) => {
  const good = await puppet({ balanceOf: says(5n), totalAssets: says(1n) });
  const bad = await puppet({ totalAssets: { mode, value: 0n } });
  const asked = { kind: "pair", shareToken: good, selector: SELECTOR.totalAssets } as const;
  const unknown = { status: "assets_unknown", balance: 5n };
  expect(
    await ask({ ...asked, pricer: good, argument: bad }, { ...asked, pricer: bad, argument: good }),
  ).toEqual([unknown, unknown]);
});

test("hostile vaults do not affect other vaults of the call", async () => {
  const good = plain(await puppet({ balanceOf: says(3n), convertToAssets: says(4n) }));
  const hostile: LensVault[] = [];
  for (const mode of FAILURES) {
    hostile.push(plain(await puppet({ balanceOf: { mode, value: 1n } })));
    const reply = { mode, value: 1n };
    const replies = { balanceOf: says(1n), convertToAssets: reply, totalAssets: reply, totalSupply: reply };
    hostile.push(plain(await puppet(replies)));
  }
  const positions = await ask(...hostile.flatMap((vault) => [good, vault, good]));
  const read = { status: "converted", balance: 3n, assets: 4n };
  positions.forEach((position, index) => {
    if (index % 3 !== 1) expect(position).toEqual(read);
    else expect(["balance_unknown", "assets_unknown"]).toContain(position.status);
  });
});
