import { parseEventLogs } from "viem";
import { expect, test } from "vitest";
import { spokePoolAbi } from "../../../src/providers/across/across-abi.ts";
import { CancelAnswer } from "../../../src/schemas/signing-schema.ts";
import { Api, type BuildBody } from "../../support/e2e/api.ts";
import { allowanceOf, balanceOf } from "../../support/e2e/balances.ts";
import { chainIds, chainOf, newUser, tokenOn, vaultNamed } from "../../support/e2e/chain.ts";
import { amounts, bodyFor } from "../../support/e2e/deposit.ts";
import { emulators, withFaults } from "../../support/e2e/faults.ts";
import { bodyOf } from "../../support/e2e/http.ts";
import {
  authorize,
  clearNativeBalance,
  signatureIn,
  signOrder,
  submit,
} from "../../support/e2e/sign-order.ts";
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

/** Runs work while Across' own API does not answer, so that only LI.FI offers its bridge. */
const withoutAcross = <T>(work: () => Promise<T>): Promise<T> =>
  withFaults({ emulators: [emulators().across], faults: [{ kind: "status", status: 503 }] }, work);

const offered = { across: <T>(work: () => Promise<T>) => work(), lifi: withoutAcross };

test.each(["across", "lifi"] as const)(
  "one signature pays for a bridge of %s that names the user as depositor, and another account sends it",
  async (provider) => {
    const user = await newUser(away, { USDC: amounts.USDC });
    await clearNativeBalance(away, user.address);
    const relayer = await newUser(away);
    const asked = { authorize: "auto", submitter: relayer.address, preferred_bridge: "across" } as const;
    const built = await offered[provider](() => api.buildToSign(acrossFrom(user.address, asked)));
    expect(built).toMatchObject({
      transaction_request: null,
      authorize: "erc3009",
      tracking: { bridge: "across" },
    });
    const ready = await authorize(api, built.tracking_id, await signOrder(built, user));
    expect(ready.transaction_request.to).toBe(away.info.contracts.deposit_router);
    const called = ready.transaction_request.data.includes(
      away.info.contracts.lifi_diamond.slice(2).toLowerCase(),
    );
    expect(called).toBe(provider === "lifi");
    const receipt = await submit(away, relayer, ready);
    expect(receipt.status).toBe("success");
    const [deposited] = parseEventLogs({
      abi: spokePoolAbi(),
      eventName: "FundsDeposited",
      logs: receipt.logs,
    });
    expect(deposited?.args.depositor).toBe(`0x${user.address.slice(2).toLowerCase().padStart(64, "0")}`);
    const ask = () => statusOf(receipt.transactionHash, away.chainId, home.chainId);
    await expect.poll(ask, { interval: 150 }).toMatchObject({ status: "DONE", substatus: "COMPLETED" });
    expect(await api.deposit(built.tracking_id)).toMatchObject({
      state: "completed",
      source_tx_hash: receipt.transactionHash,
    });
    const shares = await balanceOf(home, { token: vault.share_token, owner: user.address });
    expect(shares).toBeGreaterThanOrEqual(BigInt(built.estimate.min_shares ?? "1"));
    const spender = away.info.contracts.deposit_router;
    expect(await allowanceOf(away, { token: USDC, owner: user.address, spender })).toBe(0n);
  },
);

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

test("a bridge of LI.FI that depends on its sender is refused, or approved by `auto`", async () => {
  const user = await newUser(away, { USDC: amounts.USDC });
  const dead = { emulators: [emulators().across], faults: [{ kind: "status", status: 503 }] } as const;
  const asked = (authorize: "auto" | "erc3009") =>
    acrossFrom(user.address, { authorize, preferred_bridge: "cctp" });
  const built = await api.build(asked("auto"));
  expect(built).toMatchObject({ authorize: "approve", tracking: { bridge: "cctp" } });
  // The one bridge of LI.FI that can be signed for is taken in its place.
  const signed = await withFaults({ ...dead, faults: [...dead.faults] }, () =>
    api.buildToSign(asked("erc3009")),
  );
  expect(signed).toMatchObject({ authorize: "erc3009", tracking: { bridge: "across" } });
  const answer = await api.send(`/v1/deposits/${signed.tracking_id}/cancel`, { body: {} });
  expect(signatureIn(bodyOf(answer, { schema: CancelAnswer }).steps)).toMatchObject({ purpose: "cancel" });
});
