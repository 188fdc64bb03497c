import type { Address, Hex } from "viem";
import { expect, test } from "vitest";
import { decodeRouterCall, routerSelf, unsignedCalldata } from "../../../src/router/router-codec.ts";
import { Api, type BuildBody } from "../../support/e2e/api.ts";
import { allowanceOf, balanceOf } from "../../support/e2e/balances.ts";
import { chainOf, newUser, tokenOn, vaultNamed } from "../../support/e2e/chain.ts";
import { amounts, bodyFor } from "../../support/e2e/deposit.ts";
import { emulators, withFaults } from "../../support/e2e/faults.ts";
import { authorize, signOrder, submit } from "../../support/e2e/sign-order.ts";

const api = new Api();
const vault = vaultNamed("Solid WETH");
const chain = chainOf(vault.chain_id);
const [USDC, WETH] = [tokenOn(chain, "USDC"), tokenOn(chain, "WETH")];

const { lifi, swaps } = emulators();

/** Runs work while only one of the two providers of swaps answers. */
const withOnly = <T>(provider: "lifi" | "kyber", work: () => Promise<T>): Promise<T> =>
  withFaults(
    { emulators: [provider === "lifi" ? swaps : lifi], faults: [{ kind: "status", status: 503 }] },
    work,
  );

const bodyOf = (user: { address: Address }): BuildBody => ({
  ...bodyFor(vault, { user: user.address, amount: amounts.USDC }),
  from_token: USDC,
});

test.each([
  ["lifi", "lifi_diamond"],
  ["kyber", "kyber_router"],
] as const)(
  "one signature pays for a swap by %s that pays the Router's executor; the deposit is the second step",
  async (provider, contract) => {
    const user = await newUser(chain, { USDC: amounts.USDC });
    const relayer = await newUser(chain);
    const asked: BuildBody = { ...bodyOf(user), authorize: "erc3009", submitter: relayer.address };
    const built = await withOnly(provider, () => api.buildToSign(asked));
    expect(built).toMatchObject({ transaction_request: null, authorize: "erc3009", two_step: true });
    expect(built.steps.map(({ step_id, state }) => [step_id, state])).toEqual([
      ["source.authorize", "required"],
      ["source.transfer", "waiting"],
      ["destination.approve", "waiting"],
      ["destination.deposit", "waiting"],
    ]);
    const ready = await authorize(api, built.tracking_id, await signOrder(built, user));
    const { [contract]: target, deposit_router: spender } = chain.info.contracts;
    const { order, steps } = decodeRouterCall(
      unsignedCalldata(ready.transaction_request.data as Hex) ?? "0x",
    );
    expect(order.direct).toBe(false);
    expect(steps).toMatchObject([{ target, patches: [{ token: routerSelf }] }]);
    const { status, transactionHash } = await submit(chain, relayer, ready);
    expect(status).toBe("success");
    expect(await api.status(transactionHash, chain.chainId)).toMatchObject({
      status: "PENDING",
      substatus: "WAIT_DEPOSIT_TRANSACTION",
    });
    const arrived = await balanceOf(chain, { token: WETH, owner: user.address });
    expect(arrived).toBeGreaterThanOrEqual(BigInt(built.estimate.to_amount_min));
    expect(await api.deposit(built.tracking_id)).toMatchObject({
      state: "awaiting_deposit",
      source_tx_hash: transactionHash,
      delivered_amount: arrived.toString(),
    });
    expect(await allowanceOf(chain, { token: USDC, owner: user.address, spender })).toBe(0n);
  },
);
