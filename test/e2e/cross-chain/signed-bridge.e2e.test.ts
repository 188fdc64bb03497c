import { parseEventLogs } from "viem";
import { expect, test } from "vitest";
import { spokePoolAbi } from "../../../src/providers/across/across-abi.ts";
import { Api, type BuildBody } from "../../support/e2e/api.ts";
import { allowanceOf, balanceOf } from "../../support/e2e/balances.ts";
import { chainIds, chainOf, newUser, tokenOn, vaultNamed } from "../../support/e2e/chain.ts";
import { amounts, bodyFor } from "../../support/e2e/deposit.ts";
import { authorize, impoverish, signOrder, submit } from "../../support/e2e/sign-order.ts";
import { statusOf } from "../../support/e2e/track.ts";

const api = new Api();
const vault = vaultNamed("Plain USDC");
const [home, away] = [chainOf(vault.chain_id), chainOf(chainIds.two)];
const USDC = tokenOn(away, "USDC");

const acrossFrom = (user: `0x${string}`, more: Partial<BuildBody>): BuildBody => ({
  ...bodyFor(vault, { user }),
  from_chain_id: away.chainId,
  from_token: USDC,
  ...more,
});

test("one signature pays for a bridge that names the user as depositor, and another account sends it", async () => {
  const user = await newUser(away, { USDC: amounts.USDC });
  await impoverish(away, user.address);
  const relayer = await newUser(away);
  const asked = { authorize: "auto", submitter: relayer.address, preferred_bridge: "across" } as const;
  const built = await api.buildToSign(acrossFrom(user.address, asked));
  expect(built).toMatchObject({
    transaction_request: null,
    authorize: "erc3009",
    tracking: { bridge: "across" },
  });
  const ready = await authorize(api, built.tracking_id, await signOrder(built, user));
  expect(ready.transaction_request.to).toBe(away.info.contracts.deposit_router);
  const receipt = await submit(away, relayer, ready);
  expect(receipt.status).toBe("success");
  const [deposited] = parseEventLogs({
    abi: spokePoolAbi(),
    eventName: "FundsDeposited",
    logs: receipt.logs,
  });
  expect(deposited?.args.depositor).toBe(`0x${user.address.slice(2).toLowerCase().padStart(64, "0")}`);
  const ask = () => statusOf(receipt.transactionHash, away.chainId, home.chainId);
  await expect
    .poll(ask, { timeout: 20_000, interval: 150 })
    .toMatchObject({ status: "DONE", substatus: "COMPLETED" });
  expect(await api.deposit(built.tracking_id)).toMatchObject({
    state: "completed",
    source_tx_hash: receipt.transactionHash,
  });
  const shares = await balanceOf(home, { token: vault.share_token, owner: user.address });
  expect(shares).toBeGreaterThanOrEqual(BigInt(built.estimate.min_shares ?? "1"));
  const spender = away.info.contracts.deposit_router;
  expect(await allowanceOf(away, { token: USDC, owner: user.address, spender })).toBe(0n);
});

test("a bridge that nobody but the user may send is refused, or approved by `auto`", async () => {
  const user = await newUser(away, { USDT: amounts.USDT });
  const usdt = { from_token: tokenOn(away, "USDT") };
  expect((await api.refusal(acrossFrom(user.address, { ...usdt, authorize: "erc3009" }))).code).toBe(
    "authorization_unsupported",
  );
  expect((await api.build(acrossFrom(user.address, { ...usdt, authorize: "auto" }))).authorize).toBe(
    "approve",
  );
});
