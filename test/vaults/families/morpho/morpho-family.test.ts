import { type Address, encodeAbiParameters, encodeEventTopics, type Hex, type Log, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import { withdrawalsIn } from "../../../../src/tracking/withdrawals/withdrawal-proofs.ts";
import {
  metaMorpho,
  morphoV2,
  morphoV2Family,
} from "../../../../src/vaults/families/morpho/morpho-family.ts";
import { OTHER, USER, VAULT, vault } from "../../../support/deposits/fixtures.ts";
import { receiptOf } from "../../../support/deposits/logs.ts";
import { answer } from "../../../support/vaults/answer.ts";

const abi = parseAbi([
  "event Withdraw(address indexed sender, address indexed receiver, address indexed onBehalf, uint256 assets, uint256 shares)",
]);
type Topics = [Hex, ...Hex[]];
const two = encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [5n, 7n]);

describe("Morpho Vault V2 flows", () => {
  const withdrawal = (receiver: Address) => ({
    address: VAULT,
    topics: encodeEventTopics({
      abi,
      eventName: "Withdraw",
      args: { sender: OTHER, receiver, onBehalf: USER },
    }) as Topics,
    data: two,
  });

  test("decode() returns a withdrawal that is paid to a receiver", () => {
    const flow = { kind: "withdrawal", user: USER, assets: 5n, shares: 7n };
    expect(morphoV2.flows(vault).decode(withdrawal(OTHER))).toEqual(flow);
  });

  test("decode() returns the shares alone of a forced deallocation's penalty, which is paid to the vault", () => {
    const flow = { kind: "withdrawal", user: USER, assets: 0n, shares: 7n };
    expect(morphoV2.flows(vault).decode(withdrawal(VAULT))).toEqual({ ...flow, sharesOnly: true });
    // In any other family the vault's own address is an ordinary receiver.
    expect(metaMorpho.flows(vault).decode(withdrawal(VAULT))).toEqual({ ...flow, assets: 5n });
  });

  test("withdrawalsIn() leaves a penalty out", () => {
    const [penalty, paid] = [withdrawal(VAULT), withdrawal(OTHER)];
    const receipt = receiptOf(penalty as unknown as Log, paid as unknown as Log);
    const flow = { kind: "withdrawal", user: USER, assets: 5n, shares: 7n };
    expect(withdrawalsIn(receipt, { ...vault, adapter: "morpho_v2" })).toEqual([flow]);
  });

  test("decode() returns null for logs of other contracts and events", () => {
    const log = withdrawal(OTHER);
    expect(morphoV2.flows(vault).decode({ ...log, address: OTHER })).toBe(null);
    expect(morphoV2.flows(vault).decode({ ...log, data: "0x01" })).toBe(null);
    expect(morphoV2.flows(vault).decode({ ...log, topics: [log.topics[0]] })).toBe(null);
  });
});

describe("Morpho Vault V2 timelock", () => {
  const query = morphoV2Family.timelockQuery?.(vault);
  if (query === undefined) throw new Error("the family has no timelock");
  const selectors = Object.keys(query.reads);
  const waits = (...values: (bigint | null)[]) =>
    Object.fromEntries(
      selectors.flatMap((selector, at) => (values[at] == null ? [] : [[selector, values[at]]])),
    );

  test("timelockQuery() returns the shortest wait of the risky changes", () => {
    expect(answer(query, waits(86_400n, 3_600n))).toBe(3_600n);
    expect(answer(query, waits(0n, 3_600n))).toBe(0n);
  });

  test("timelockQuery() returns null if one of the waits cannot be read", () => {
    expect(answer(query, waits(86_400n, null))).toBe(null);
    expect(answer(query, waits(null, null))).toBe(null);
  });
});
