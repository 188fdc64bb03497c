import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Address } from "viem";
import { describe, expect, test } from "vitest";
import {
  LifiChains,
  LifiErrorBody,
  LifiQuote,
  LifiRoutes,
  LifiStatus,
  LifiToken,
  LifiTokens,
  LifiTools,
} from "../../../src/providers/lifi/api/lifi-schemas.ts";
import { lifiContracts } from "../../../src/providers/lifi/lifi-deployments.ts";
import { interpretLifiStatus } from "../../../src/providers/lifi/lifi-status.ts";
import { type Json, requestFor, wholeAnswer } from "../../support/lifi/captured.ts";
import { refusedField, verifyAnswer } from "../../support/lifi/harness.ts";

/** Answers captured from the real service by others; they stay outside the repository. */
const FOLDER = join(import.meta.dirname, "../../../../shared/facts/fixtures/lifi");
const present = existsSync(FOLDER);
const names = present ? readdirSync(FOLDER) : [];

type Fixture = { _meta: { capturedAt?: string; request?: { body?: Record<string, unknown> } }; body: Json };

const load = (name: string): Fixture => JSON.parse(readFileSync(join(FOLDER, name), "utf8"));
const named = (prefix: string) => names.filter((name) => name.startsWith(prefix));

test(
  present
    ? "captures of LI.FI's API are present"
    : "captures of LI.FI's API are absent, so their tests are skipped",
  () => {
    expect(names.length > 0).toBe(present);
  },
);

describe.runIf(present)("the LI.FI schemas parse captured responses", () => {
  test.each(named("quote.").filter((name) => !name.includes("official")))("%s", (name) => {
    expect(LifiQuote.safeParse(load(name).body).error).toBeUndefined();
  });
  test.each(named("status."))("%s", (name) => {
    expect(LifiStatus.safeParse(load(name).body).error).toBeUndefined();
  });
  test.each(named("error."))("%s", (name) => {
    const { body } = load(name);
    if (typeof body === "object") expect(LifiErrorBody.safeParse(body).error).toBeUndefined();
  });
  test.each([
    ["routes.official-example.json", LifiRoutes],
    ["tools.synthetic.json", LifiTools],
    ["tokens.synthetic.json", LifiTokens],
    ["token.official-example.json", LifiToken],
    ["chains.official-example.json", LifiChains],
    ["chains.derived.json", LifiChains],
  ] as const)("%s", (name, schema) => {
    expect(schema.safeParse(load(name).body).error).toBeUndefined();
  });
});

const seconds = (time: string | undefined): number => Math.floor(Date.parse(time ?? "") / 1000);

describe.runIf(present)("verifyLifiTransfer() accepts captured transactions", () => {
  test.each([
    ["quote.cross-chain.erc20.eth-base-usdc.across.real.json", 9_970_607n],
    ["quote.cross-chain.native-source.eth-arb.real.json", 2_680_551_143n],
  ])("%s", (name, least) => {
    const { body, _meta } = load(name);
    const built = verifyAnswer(requestFor(body), body, {
      now: seconds(_meta.capturedAt),
    });
    expect(built.toAmountMin).toBe(least);
  });

  test("quote.same-chain.erc20-source.base.synthetic.json", () => {
    const { body } = load("quote.same-chain.erc20-source.base.synthetic.json");
    const built = verifyAnswer(requestFor(body), body);
    expect(built.toAmountMin).toBe(BigInt((body["estimate"] as Record<string, string>)["toAmountMin"] ?? 0));
  });

  test.each([
    ["contractCalls.cross-chain.base-arb.vault-deposit.synthetic.json", "call.receivingAssetId"],
    ["contractCalls.same-chain.base.vault-deposit.synthetic.json", "call.receivingAssetId"],
  ])("%s, except for its declared output, which our calls do not have", (name, field) => {
    const { body, _meta } = load(name);
    const calls = (_meta.request?.body?.["contractCalls"] ?? []) as Record<string, string>[];
    const asked = calls[0] ?? {};
    const call = {
      target: asked["toContractAddress"] as Address,
      data: asked["toContractCallData"] as Address,
      minIn: BigInt(asked["fromAmount"] ?? 0),
      gasLimit: BigInt(asked["toContractGasLimit"] ?? 0),
    };
    const options = { now: 1_790_000_000 };
    expect(refusedField(() => verifyAnswer(requestFor(body, { call }), body, options))).toBe(field);
  });
});

describe.runIf(present)("verifyLifiTransfer() accepts captured contract calls without a call", () => {
  const captured = present
    ? (load("contractCalls.cross-chain.empty-calls.base.real-trimmed.json").body as unknown as Json[])
    : [];
  test.each(captured.map((entry) => [String(entry["name"]), entry] as const))("%s", (_, entry) => {
    const { body, now, quoted } = wholeAnswer(entry);
    const built = verifyAnswer(requestFor(body), body, { now });
    // Two of the three lose a unit to the rounding of the multiplier, and so does the guarantee.
    expect(quoted - built.toAmountMin).toBeLessThanOrEqual(1n);
  });
});

describe.runIf(present)("interpretLifiStatus() understands captured statuses", () => {
  test.each(named("status.").filter((name) => !name.includes("official")))("%s", (name) => {
    const answer = LifiStatus.parse(load(name).body);
    const txHash = (answer.sending?.txHash ?? `0x${"a1".repeat(32)}`) as Address;
    const fromChainId = answer.sending?.chainId ?? 8453;
    const read = interpretLifiStatus(
      { txHash, fromChainId, toChainId: answer.receiving?.chainId ?? 42161, tool: "across" },
      answer,
    );
    const expected = /not-found|invalid/.test(name)
      ? "unknown"
      : (/refund-in-progress/.test(name) && "refunding") ||
        (/done-refunded/.test(name) && "refunded") ||
        (/done/.test(name) && "delivered") ||
        (/wait-source/.test(name) && "source_pending") ||
        (/pending/.test(name) && "bridging") ||
        "failed";
    expect(read.phase).toBe(expected);
  });
});

describe.runIf(present)("lifiContracts", () => {
  const addresses = present
    ? (load("addresses.json").body as Record<string, Record<string, string | null>>)
    : {};
  test.each(lifiContracts)("of chain %i equal LI.FI's published deployments", (chainId, row) => {
    const listed = addresses[String(chainId)] ?? {};
    expect({
      LiFiDiamond: row.diamond,
      Executor: row.executor,
      ERC20Proxy: row.erc20Proxy,
      ReceiverAcrossV4: row.receiverAcross,
      ReceiverStargateV2: row.receiverStargate,
      FeeForwarder: row.feeForwarders[0],
    }).toEqual({
      LiFiDiamond: listed["LiFiDiamond"],
      Executor: listed["Executor"],
      ERC20Proxy: listed["ERC20Proxy"],
      ReceiverAcrossV4: listed["ReceiverAcrossV4"],
      ReceiverStargateV2: listed["ReceiverStargateV2"],
      FeeForwarder: listed["FeeForwarder"],
    });
  });
});
