import {
  type Address,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  parseAbi,
  toEventSelector,
} from "viem";
import { describe, expect, test } from "vitest";
import { sourceFingerprint } from "../../../../src/flows/flow-sources.ts";
import { erc4626Flows } from "../../../../src/vaults/families/erc4626-base/erc4626-flow-events.ts";
import { USER, vault } from "../../../support/deposits/fixtures.ts";

const abi = parseAbi([
  "event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)",
  "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
]);
const OTHER: Address = "0x000000000000000000000000000000000000dEaD";
const data = encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [5n, 7n]);
type Topics = [Hex, ...Hex[]];
const deposit = encodeEventTopics({
  abi,
  eventName: "Deposit",
  args: { sender: OTHER, owner: USER },
}) as Topics;
const withdrawal = encodeEventTopics({
  abi,
  eventName: "Withdraw",
  args: { sender: OTHER, receiver: OTHER, owner: USER },
}) as Topics;

describe("ERC-4626 flows", () => {
  const source = erc4626Flows(vault);

  test("come from the standard's events of the vault", () => {
    expect(source.addresses).toEqual([vault.entryPoint]);
    expect(source.topics).toEqual(abi.map(toEventSelector));
  });

  test("belong to the owner of the shares, not to sender or receiver", () => {
    const address = vault.entryPoint;
    expect(source.decode({ address, topics: deposit, data })).toEqual({
      kind: "deposit",
      user: USER,
      assets: 5n,
      shares: 7n,
    });
    expect(source.decode({ address, topics: withdrawal, data })).toEqual({
      kind: "withdrawal",
      user: USER,
      assets: 5n,
      shares: 7n,
    });
  });

  test("belong to the receiver if the contract that keeps the shares of requests redeems them", () => {
    const keeper: Address = "0x00000000000000000000000000000000000000a7";
    const pool = erc4626Flows(vault, keeper);
    const topicsOf = (owner: Address) => {
      const args = { sender: owner, receiver: USER, owner };
      return encodeEventTopics({ abi, eventName: "Withdraw", args }) as Topics;
    };
    const userOf = (owner: Address) =>
      pool.decode({ address: vault.entryPoint, topics: topicsOf(owner), data })?.user;
    expect([userOf(keeper), userOf(vault.entryPoint), userOf(OTHER)]).toEqual([USER, USER, OTHER]);
    expect(pool.decode({ address: keeper, topics: topicsOf(keeper), data })).toBeNull();
  });

  test("are read again when the registry entry names another withdrawal manager", () => {
    const of = (withdrawal_manager: Address) =>
      sourceFingerprint({ ...vault, adapter: "erc4626", params: { exit: "maple", withdrawal_manager } });
    expect(of(OTHER)).not.toBe(of(USER));
  });

  test.each<[string, Address, Topics, Hex]>([
    ["another contract", OTHER, deposit, data],
    ["too few topics", vault.entryPoint, [deposit[0]], data],
    ["short data", vault.entryPoint, deposit, "0x00"],
    ["another event", vault.entryPoint, [toEventSelector("event Paused()")], data],
  ])("decode() returns null for %s", (_, address, topics, bytes) => {
    expect(source.decode({ address, topics, data: bytes })).toBeNull();
  });
});
