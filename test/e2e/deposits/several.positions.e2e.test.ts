import { erc20Abi, isAddressEqual, parseEventLogs } from "viem";
import { expect, inject, test } from "vitest";
import { scheduledUrl } from "../../../scripts/stack/worker/scheduled.ts";
import { Api } from "../../support/e2e/api.ts";
import { chainIds, chainOf, tokenOn, vaultNamed } from "../../support/e2e/chain.ts";
import { settled } from "../../support/e2e/settled.ts";
import {
  completeDeposit,
  DELIVERY_POLLING,
  type Journey,
  newMultiChainUser,
  prepare,
} from "../../support/e2e/transfer.ts";

const api = new Api();
const chain = chainOf(chainIds.one);

/** Deposits a token of a vault as it is, and returns the user's position once its flows are indexed. */
async function positionAfter({ paid, vault }: Pick<Journey, "paid" | "vault">) {
  const journey: Journey = { from: chain, paid, vault };
  const traveller = await newMultiChainUser([chain]);
  const body = await prepare(journey, traveller);
  const built = await api.build(body);
  const { hash } = await completeDeposit({ ...journey, traveller, built, style: "calls" });
  const read = async () => {
    const answer = await fetch(scheduledUrl(inject("stack").api, "* * * * *"));
    expect(answer.status).toBe(200);
    await answer.text();
    return (await api.positions(traveller.address, `?chain_id=${chain.chainId}`)).positions[0];
  };
  const position = await settled(read, {
    ...DELIVERY_POLLING,
    wanted: (now) => now !== undefined && now.deposited_assets !== null,
  });
  return { position, hash, amount: BigInt(body.from_amount) };
}

test.each([
  ["Boring Basket", "USDT"],
  ["Boring Basket", "WBTC"],
  ["Midas Dollars", "USDT"],
] as const)("deposited_assets: %s counts a deposit of %s in its own asset", async (name, paid) => {
  const vault = vaultNamed(name);
  const { position, hash, amount } = await positionAfter({ paid, vault });
  // The token itself reached the vault's contracts, without a swap into the asset.
  const { logs } = await chain.client.getTransactionReceipt({ hash });
  const paidLogs = parseEventLogs({ abi: erc20Abi, logs, eventName: "Transfer" }).filter((log) =>
    isAddressEqual(log.address, tokenOn(chain, paid)),
  );
  expect(paidLogs.some(({ args }) => args.value === amount)).toBe(true);
  const [current, deposited] = [position?.current_assets, position?.deposited_assets].map((text) =>
    BigInt(text ?? ""),
  ) as [bigint, bigint];
  expect(position).toMatchObject({ vault_id: vault.vault_id, yield_assets: String(current - deposited) });
  expect(deposited).toBeGreaterThan(0n);
  // The price has not moved since: what was paid is what the shares are worth, but for the vault's fees and rounding.
  const apart = current > deposited ? current - deposited : deposited - current;
  expect(apart * 100n).toBeLessThanOrEqual(deposited);
});
