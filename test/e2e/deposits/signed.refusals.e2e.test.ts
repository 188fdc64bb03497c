import { type Address, encodeFunctionData, erc20Abi, type Hex, maxUint256, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { rpc } from "../../../scripts/stack/chains/json-rpc.ts";
import { permit2Address } from "../../../src/router/router-signature-messages.ts";
import { CancelAnswer } from "../../../src/schemas/signing-schema.ts";
import { outcomeOf, outcomesOfChanges } from "../../support/e2e/altered-order.ts";
import { Api, type BuildBody, type SentDeposit } from "../../support/e2e/api.ts";
import {
  chainOf,
  type KeyedUser,
  mined,
  newUser,
  sendCall,
  tokenOn,
  vaultNamed,
  withChainRestored,
} from "../../support/e2e/chain.ts";
import { query } from "../../support/e2e/database.ts";
import { amounts, bodyFor } from "../../support/e2e/deposit.ts";
import { bodyOf, findingsOf, problemOf } from "../../support/e2e/http.ts";
import {
  alteredSignature,
  authorize,
  refusedSignature,
  signatureIn,
  signOrder,
  submit,
} from "../../support/e2e/sign-order.ts";

const api = new Api();
const usdc = vaultNamed("Plain USDC");
const chain = chainOf(usdc.chain_id);
const USDC = tokenOn(chain, "USDC");
const other: Address = "0x00000000000000000000000000000000000000aa";

const asked = (user: Address, more: Partial<BuildBody> = {}, vault = usdc): BuildBody => ({
  ...bodyFor(vault, { user }),
  ...more,
});

/** A user with USDC who has approved Permit2. */
async function approvedUser(): Promise<KeyedUser> {
  const user = await newUser(chain, { USDC: amounts.USDC });
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: "approve",
    args: [permit2Address, maxUint256],
  });
  await mined(chain, await sendCall(user, { to: USDC, data }));
  return user;
}

async function readyBy(way: "erc3009" | "permit2", user: KeyedUser): Promise<SentDeposit> {
  const built = await api.buildToSign(asked(user.address, { authorize: way }));
  return authorize(api, built.tracking_id, await signOrder(built, user));
}

describe.each(["erc3009", "permit2"] as const)("an order signed by %s", (way) => {
  test("is refused on chain when any single field is another", async () => {
    const user = await approvedUser();
    const ready = await readyBy(way, user);
    const stranger = await newUser(chain);
    const data = ready.transaction_request.data as Hex;
    expect(await outcomeOf(chain, { data, from: stranger.address })).toBe("sent");
    const outcomes = await outcomesOfChanges(chain, { data, from: stranger.address });
    expect(Object.keys(outcomes).length).toBeGreaterThan(20);
    expect(Object.entries(outcomes).filter(([, outcome]) => outcome === "sent")).toEqual([]);
  });

  test("runs once, and not after its deadline", async () => {
    const user = await approvedUser();
    const ready = await readyBy(way, user);
    const data = ready.transaction_request.data as Hex;
    await withChainRestored(chain, async () => {
      await rpc(chain.rpcUrl, "evm_increaseTime", 1_800);
      await rpc(chain.rpcUrl, "evm_mine");
      expect(await outcomeOf(chain, { data, from: user.address })).toBe("DeadlinePassed");
    });
    expect((await submit(chain, user, ready)).status).toBe("success");
    await mined(chain, await sendCall(user, { to: zeroAddress }));
    expect(await outcomeOf(chain, { data, from: user.address })).toBe("AuthorizationFailed");
  });

  test("is cancelled by its user, and only then useless", async () => {
    const user = await approvedUser();
    const built = await api.buildToSign(asked(user.address, { authorize: way }));
    const signature = await signOrder(built, user);
    const ready = await authorize(api, built.tracking_id, signature);
    const cancel = async (body: object) =>
      bodyOf(await api.send(`/v1/deposits/${built.tracking_id}/cancel`, { body }), { schema: CancelAnswer });
    let { steps } = await cancel({});
    if (way === "erc3009") {
      expect(signatureIn(steps)).toMatchObject({ purpose: "cancel", state: "required" });
      ({ steps } = await cancel({ signature: await signOrder({ steps }, user) }));
    }
    const [step] = steps;
    if (step?.kind !== "transaction" || step.transaction_request === null) throw new Error("no transaction");
    expect(step).toMatchObject({ purpose: "cancel", state: "required" });
    const { to, data } = step.transaction_request;
    await mined(chain, await sendCall(user, { to: to as Address, data: data as Hex }));
    expect((await submit(chain, user, ready)).status).toBe("reverted");
    expect((await refusedSignature(api, built.tracking_id, signature)).code).toBe("deposit_state");
    const late = await api.send(`/v1/deposits/${built.tracking_id}/cancel`, { body: {} });
    expect(problemOf(late).code).toBe("deposit_state");
  });
});

describe("POST /v1/deposits/{tracking_id}/authorize", () => {
  test("refuses a wrong signature and changes nothing", async () => {
    const user = await newUser(chain, { USDC: amounts.USDC });
    const built = await api.buildToSign(asked(user.address, { authorize: "erc3009" }));
    const right = await signOrder(built, user);
    const before = await api.deposit(built.tracking_id);
    const byOther = await signOrder(built, await newUser(chain));
    for (const wrong of ["0x", "0x1234", byOther, alteredSignature(right)] as Hex[])
      expect((await refusedSignature(api, built.tracking_id, wrong)).code, wrong).toBe("signature_invalid");
    expect(await api.deposit(built.tracking_id)).toEqual(before);
    await authorize(api, built.tracking_id, right);
  });

  test("refuses what waits for no signature, what is expired and what cannot be paid", async () => {
    const user = await newUser(chain, { USDC: amounts.USDC });
    const plain = await api.build(asked(user.address));
    expect((await refusedSignature(api, plain.tracking_id, "0x00")).code).toBe("deposit_state");
    expect((await refusedSignature(api, `trk_${"0".repeat(32)}`, "0x00")).code).toBe("deposit_not_found");
    const poor = await newUser(chain);
    const unpaid = await api.buildToSign(asked(poor.address, { authorize: "erc3009" }));
    expect(unpaid.simulation.balance_sufficient).toBe(false);
    expect((await refusedSignature(api, unpaid.tracking_id, await signOrder(unpaid, poor))).code).toBe(
      "would_revert",
    );
    const built = await api.buildToSign(asked(user.address, { authorize: "erc3009" }));
    await query("update deposits set expires_at = now() - interval '1 minute' where tracking_id = $1", [
      built.tracking_id,
    ]);
    expect((await refusedSignature(api, built.tracking_id, await signOrder(built, user))).code).toBe(
      "quote_expired",
    );
  });
});

describe("building with a signature", () => {
  test("is refused where it does not work, and `auto` approves instead", async () => {
    const user = await newUser(chain, { USDT: amounts.USDT, USDC: amounts.USDC });
    const usdt = vaultNamed("Plain USDT");
    const unsupported = "authorization_unsupported";
    for (const authorize of ["erc3009", "permit", "permit2"] as const)
      expect((await api.refusal(asked(user.address, { authorize }, usdt))).code).toBe(unsupported);
    expect((await api.build(asked(user.address, { authorize: "auto" }, usdt))).authorize).toBe("approve");
    const relayed = asked(user.address, { authorize: "auto", submitter: other }, usdt);
    expect((await api.refusal(relayed)).code).toBe(unsupported);
    const members = vaultNamed("Members USDC");
    expect((await api.refusal(asked(user.address, { authorize: "erc3009" }, members))).code).toBe(
      unsupported,
    );
    const native = asked(
      user.address,
      { authorize: "erc3009", from_token: zeroAddress },
      vaultNamed("Solid WETH"),
    );
    expect((await api.refusal({ ...native, from_amount: "1000000000000000" })).code).toBe(unsupported);
  });

  test("names only submitters that can send", async () => {
    for (const more of [
      {},
      { authorize: "approve" },
      { authorize: "permit" },
      { from_token: zeroAddress, authorize: "auto" },
    ]) {
      const body = { ...asked("0x00000000000000000000000000000000000000bb"), submitter: other, ...more };
      expect(findingsOf(await api.send("/v1/quote/build", { body }))).toEqual(["body.submitter"]);
    }
  });

  test("approves a token whose domain is another than expected", async () => {
    const user = await newUser(chain, { USDC: amounts.USDC });
    await withChainRestored(chain, async () => {
      // The token's name, which its domain contains.
      const lie = `0x${Buffer.from("USD Coin!").toString("hex").padEnd(62, "0")}12`;
      await rpc(chain.rpcUrl, "anvil_setStorageAt", USDC, `0x${"0".repeat(64)}`, lie);
      await rpc(chain.rpcUrl, "evm_mine");
      expect((await api.build(asked(user.address, { authorize: "auto" }))).authorize).toBe("approve");
      for (const authorize of ["erc3009", "permit"] as const)
        expect((await api.refusal(asked(user.address, { authorize }))).code).toBe(
          "authorization_unsupported",
        );
    });
  });
});
