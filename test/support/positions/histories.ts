import {
  type Abi,
  type Address,
  encodeDeployData,
  encodeFunctionData,
  erc20Abi,
  erc4626Abi,
  type Hex,
  hexToBigInt,
  isAddressEqual,
  parseAbi,
  parseEventLogs,
} from "viem";
import { contractsOf, deploy, type ScratchChain, send } from "../../../scripts/stack/chains/scratch-chain.ts";
import type { Random } from "../flows/random.ts";

const requestAbi = parseAbi([
  "function requestDeposit(uint256 assets, address controller, address owner) returns (uint256)",
  "function deposit(uint256 assets, address receiver, address controller) returns (uint256)",
  "function gain(uint256 assets, address feeTo)",
  "function lose(uint256 assets)",
]);
const playersAbi = parseAbi([
  "struct Act { uint256 user; address target; uint256 parts; uint256 at; bytes data; }",
  "function play(uint256 first, Act[] acts)",
  "function enter(address coin, address[] vaults)",
  "function users(uint256) view returns (address)",
  "event Played(uint256 indexed id, bool ok, bytes told)",
]);

export interface World {
  chain: ScratchChain;
  players: Address;
  users: Address[];
  vaults: { address: Address; coin: Address; decimals: number; shareDecimals: number }[];
}

/** Account that receives shares, also as fees, but never deposits. */
export const BYSTANDER: Address = "0x00000000000000000000000000000000000b0b00";

/** Effect of a successful action on the deposited sum of the shares' receiver. Null if there is none. */
interface Effect {
  vault: number;
  of: Address;
  sign: 1n | -1n;
  /** Amount of assets. Null if it is the amount that the call returns. */
  assets: bigint | null;
}
interface Act {
  user: bigint;
  target: Address;
  parts: bigint;
  at: bigint;
  data: Hex;
  effect: Effect | null;
}

const KINDS = [
  { digits: 6, offset: 0 },
  { digits: 18, offset: 0 },
  { digits: 8, offset: 3 },
  { digits: 6, offset: 12 },
  { digits: 0, offset: 6 },
] as const;

/** Creates users and vaults with different decimals on a chain. */
export async function build(chain: ScratchChain, of: { vaults: number; users: number }): Promise<World> {
  const contracts = contractsOf("test/support/solidity/Histories.sol");
  const make = (name: string, args: unknown[]) => {
    const { abi, creationCode } = contracts(name);
    return deploy(chain, encodeDeployData({ abi: abi as Abi, bytecode: creationCode, args }));
  };
  const players = await make("Players", [BigInt(of.users)]);
  const made: Address[] = [];
  for (const { digits } of KINDS) made.push(await make("Coin", [digits]));
  const vaults: World["vaults"] = [];
  for (let index = 0; index < of.vaults; index += 1) {
    const kind = KINDS[index % KINDS.length] ?? KINDS[0];
    const coin = made[index % KINDS.length] ?? players;
    const address = await make("HistoryVault", [coin, kind.offset]);
    vaults.push({ address, coin, decimals: kind.digits, shareDecimals: kind.digits + kind.offset });
  }
  for (const coin of made) {
    const own = vaults.filter((vault) => vault.coin === coin).map(({ address }) => address);
    const data = encodeFunctionData({ abi: playersAbi, functionName: "enter", args: [coin, own] });
    await send(chain, { to: players, data });
  }
  const users: Address[] = [];
  for (let index = 0; index < of.users; index += 1)
    users.push(
      await chain.node.readContract({
        address: players,
        abi: playersAbi,
        functionName: "users",
        args: [BigInt(index)],
      }),
    );
  return { chain, players, users, vaults };
}

/** Generates a random action of a user, mostly with amounts that the user has. */
export function drawActs(world: World, random: Random): Act[] {
  const { pick } = random;
  const vault = random.below(world.vaults.length);
  const { address, coin, decimals } = world.vaults[vault] as World["vaults"][number];
  const user = random.below(world.users.length);
  const self = world.users[user] as Address;
  const other = pick(world.users);
  const given = random.once(6) ? BYSTANDER : other;
  const to = random.once(3) ? other : self;
  const amount = BigInt(1 + random.below(1_000_000)) * 10n ** BigInt(Math.max(0, decimals - 3));
  const own = { user: BigInt(user), target: address, parts: 0n, at: 0n, effect: null };
  const in4626 = (functionName: "deposit" | "mint", args: readonly [bigint, Address]) =>
    encodeFunctionData({ abi: erc4626Abi, functionName, args });
  const out4626 = (functionName: "withdraw" | "redeem", args: readonly [bigint, Address, Address]) =>
    encodeFunctionData({ abi: erc4626Abi, functionName, args });
  const gone = (assets: bigint | null, of = self): Effect => ({ vault, of, sign: -1n, assets });
  const come = (assets: bigint | null): Effect => ({ vault, of: to, sign: 1n, assets });
  const parts = BigInt(pick([1, 2_500, 5_000, 9_999, 10_000]));
  switch (random.below(12)) {
    case 0:
    case 1:
    case 2:
      return [{ ...own, data: in4626("deposit", [amount, to]), effect: come(amount) }];
    case 3:
      return [{ ...own, data: in4626("mint", [amount, to]), effect: come(null) }];
    case 4:
      return [{ ...own, data: out4626("withdraw", [amount / 2n, other, self]), effect: gone(amount / 2n) }];
    case 5:
    case 6:
      return [{ ...own, parts, at: 4n, data: out4626("redeem", [0n, to, self]), effect: gone(null) }];
    case 7: {
      // A spender with an allowance withdraws.
      const approve = encodeFunctionData({
        abi: erc20Abi,
        functionName: "approve",
        args: [other, 10n ** 60n],
      });
      const by = BigInt(world.users.indexOf(other));
      const data = out4626("withdraw", [amount / 4n, other, self]);
      return [
        { ...own, data: approve },
        { ...own, user: by, data, effect: gone(amount / 4n) },
      ];
    }
    case 8:
    case 9: {
      const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [given, 0n] });
      return [{ ...own, parts, at: 36n, data }];
    }
    case 10: {
      const ask = encodeFunctionData({
        abi: requestAbi,
        functionName: "requestDeposit",
        args: [amount, self, self],
      });
      const part = random.once(2) ? amount : amount / 3n;
      const claim = encodeFunctionData({ abi: requestAbi, functionName: "deposit", args: [part, to, self] });
      return [
        { ...own, data: ask },
        { ...own, data: claim, effect: come(part) },
      ];
    }
    default: {
      const loss = { abi: requestAbi, functionName: "lose", args: [amount / 20n] } as const;
      const win = { abi: requestAbi, functionName: "gain", args: [amount / 5n, given] } as const;
      const gift = { abi: erc20Abi, functionName: "transfer", args: [address, amount] } as const;
      return [
        pick([
          { ...own, data: encodeFunctionData(loss) },
          { ...own, data: encodeFunctionData(win) },
          { ...own, target: coin, data: encodeFunctionData(gift) },
        ]),
      ];
    }
  }
}

/**
 * Sums by `vault:user`: the assets computed from calls and their results, without events, and the shares of deposits and
 * withdrawals, without those that came or went otherwise.
 */
export type Sums = Map<string, { assets: bigint; shares: bigint }>;
export const keyOf = (vault: number, user: Address): string => `${vault}:${user.toLowerCase()}`;

/** Executes actions in one transaction and adds the effects of those that succeeded. */
export async function play(world: World, of: { acts: readonly Act[]; sums: Sums }): Promise<void> {
  const { acts, sums } = of;
  const data = encodeFunctionData({
    abi: playersAbi,
    functionName: "play",
    args: [0n, acts.map(({ effect: _, ...act }) => act)],
  });
  const { logs } = await send(world.chain, { to: world.players, data });
  for (const { args } of parseEventLogs({ abi: playersAbi, eventName: "Played", logs })) {
    const effect = acts[Number(args.id)]?.effect;
    if (!args.ok || effect === undefined || effect === null) continue;
    add(sums, keyOf(effect.vault, effect.of), {
      assets: effect.sign * (effect.assets ?? hexToBigInt(args.told)),
    });
  }
  for (const { address, eventName, args } of parseEventLogs({ abi: erc4626Abi, logs })) {
    if (eventName !== "Deposit" && eventName !== "Withdraw") continue;
    const vault = world.vaults.findIndex((one) => isAddressEqual(one.address, address));
    if (eventName === "Deposit") add(sums, keyOf(vault, args.receiver), { shares: args.shares });
    else add(sums, keyOf(vault, args.owner), { shares: -args.shares });
  }
}

function add(sums: Sums, key: string, { assets = 0n, shares = 0n }): void {
  const before = sums.get(key) ?? { assets: 0n, shares: 0n };
  sums.set(key, { assets: before.assets + assets, shares: before.shares + shares });
}
