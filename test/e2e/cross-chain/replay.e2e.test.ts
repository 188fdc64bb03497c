import { expect, test } from "vitest";
import type { TransferStatus } from "../../../src/schemas/deposit-schema.ts";
import { Api } from "../../support/e2e/api.ts";
import { give, mined, vaultNamed } from "../../support/e2e/chain.ts";
import { ends } from "../../support/e2e/cross-chain.ts";
import { settled } from "../../support/e2e/settled.ts";
import { signDeposit } from "../../support/e2e/sign-deposit.ts";
import { statusOf } from "../../support/e2e/track.ts";
import { DELIVERY_POLLING, newMultiChainUser, paidAmounts, prepare } from "../../support/e2e/transfer.ts";

const api = new Api();

/** Signs one answer twice, in two transactions, and gives the status of each once it is as wanted. */
async function signTwice(
  way: { vault: string; bridge: "across" | "stargate" },
  wanted: readonly [first: string, second: string],
) {
  const vault = vaultNamed(way.vault);
  const [from, to] = ends(vault);
  const traveller = await newMultiChainUser([from, to]);
  const user = traveller.on(from);
  const body = await prepare({ from, paid: "USDC", vault }, traveller);
  await give(from, { user, symbol: "USDC", amount: paidAmounts.USDC });
  const built = await api.build({ ...body, preferred_bridge: way.bridge });
  expect(built.tracking.bridge).toBe(way.bridge);
  const statuses: TransferStatus[] = [];
  for (const words of wanted) {
    const hash = await signDeposit(from, { user, built, style: "calls" });
    await mined(from, hash);
    const ask = () => statusOf(hash, from.chainId, to.chainId);
    const is = ({ status, substatus }: TransferStatus) => `${status} ${substatus}` === words;
    statuses.push(await settled(ask, { ...DELIVERY_POLLING, wanted: is }));
  }
  return { built, statuses, recorded: await api.deposit(built.tracking_id) };
}

test.each(["across", "stargate"] as const)(
  "replay over %s: a deposit signed twice is made twice, each with its own status",
  async (bridge) => {
    const done = "DONE COMPLETED";
    const { built, statuses, recorded } = await signTwice({ vault: "Remote USDC", bridge }, [done, done]);
    const [first, second] = statuses;
    expect(first?.deposit?.tracking_id).toBe(built.tracking_id);
    // The second names the deposit that it repeats, and offers nothing to sign.
    expect(second?.deposit).toMatchObject({
      ...{ tracking_id: built.tracking_id, state: "completed", next: null, steps: [] },
      shares: second?.receiving?.amount,
    });
    expect(second?.sending).toMatchObject({ amount: String(paidAmounts.USDC) });
    expect(second?.sending?.tx_hash).not.toBe(first?.sending?.tx_hash);
    expect(second?.receiving?.tx_hash).not.toBe(first?.receiving?.tx_hash);
    expect(BigInt(second?.receiving?.amount ?? "0")).toBeGreaterThan(0n);
    // The record is of the first alone.
    expect(recorded).toMatchObject({ state: "completed", source_tx_hash: first?.sending?.tx_hash });
  },
);

test("replay: a source transaction signed twice delivers twice and has one second step", async () => {
  const words = ["PENDING WAIT_DEPOSIT_TRANSACTION", "DONE PARTIAL"] as const;
  const { statuses } = await signTwice({ vault: "Midas Dollars", bridge: "across" }, words);
  const [first, second] = statuses;
  expect(first?.deposit?.next?.kind).toBe("deposit");
  expect(second?.deposit).toMatchObject({ state: "partial", next: null, steps: [] });
  expect(second?.receiving?.tx_hash).not.toBe(first?.receiving?.tx_hash);
});
