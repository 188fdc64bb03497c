import { existsSync, readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Hex, toEventSelector, toFunctionSelector } from "viem";
import { describe, expect, test } from "vitest";
import { depositAbi, handlerAbi, spokePoolAbi } from "../../../src/providers/across/across-abi.ts";
import { failureFromAcrossResponse } from "../../../src/providers/across/across-api.ts";
import { decodeAcrossDeposit, decodeInstructions } from "../../../src/providers/across/across-calldata.ts";
import { knownAcrossDeployments } from "../../../src/providers/across/across-deployments.ts";
import { AcrossDepositStatus, SuggestedFees } from "../../../src/providers/across/across-schemas.ts";

/** Captures of the real service, which stay outside the project, beside the repository. */
const folder = resolve("..", "shared", "facts", "fixtures", "across");
const present = existsSync(folder);

interface Capture {
  _meta: { httpStatus?: number };
  body: Record<string, unknown>;
}
const read = (name: string): Capture =>
  JSON.parse(readFileSync(resolve(folder, `${name}.json`), "utf8")) as Capture;
const named = (prefix: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.replace(/\.json$/, ""));

if (!present)
  test("captures of Across' API are absent, so they are not tested", () => {
    expect(present).toBe(false);
  });
else describe("captures of the real service", captures);

function captures(): void {
  test("SuggestedFees parses the official example", () => {
    const fees = SuggestedFees.parse(read("suggested-fees.weth.official-example").body);
    expect(fees).toMatchObject({
      outputAmount: 999_921_094_975_691_997n,
      timestamp: 1_754_342_087,
      fillDeadline: 1_754_353_917,
      exclusivityDeadline: 1_754_342_267,
      estimatedFillTimeSec: 2,
    });
    // What we would bind it to lies within our bounds.
    expect(fees.fillDeadline - fees.timestamp).toBeLessThan(21_600);
    expect(fees.exclusivityDeadline - fees.timestamp).toBeLessThan(900);
  });

  test("SuggestedFees refuses a quote of 2024 without output and fill deadline", () => {
    const old = SuggestedFees.safeParse(read("suggested-fees.usdc-1-42161.real").body);
    expect(old.error?.issues.map(({ path }) => path[0]).sort()).toEqual([
      "fillDeadline",
      "inputToken",
      "outputAmount",
      "outputToken",
    ]);
  });

  test("AcrossDepositStatus parses every captured status", () => {
    const statuses = named("deposit-status.").map((name) => {
      const { status, fillTx, refundTx, actionsSucceeded } = AcrossDepositStatus.parse(read(name).body);
      return [status, fillTx !== null, refundTx !== null, actionsSucceeded];
    });
    expect(statuses).toEqual([
      ["expired", false, false, null],
      ["filled", true, false, true],
      ["filled", true, false, null],
      ["filled", true, false, null],
      ["pending", false, false, null],
      ["refunded", false, true, null],
      ["slowFillRequested", false, false, null],
      ["slowFilled", true, false, null],
    ]);
  });

  test("failureFromAcrossResponse() maps every captured error", () => {
    const codes = named("error.").map((name) => {
      const { _meta, body } = read(name);
      const answer = { status: _meta.httpStatus ?? 0, headers: new Headers(), text: JSON.stringify(body) };
      return [name.replace(/\.(official|synthetic).*/, ""), failureFromAcrossResponse(answer, 0).code];
    });
    expect(Object.fromEntries(codes)).toEqual({
      "error.400.amount-too-high": "no_route",
      "error.400.amount-too-low": "no_route",
      "error.400.invalid-param": "no_route",
      "error.400.missing-param": "upstream_unavailable",
      "error.400.recipient-not-contract": "no_route",
      "error.400.route-not-enabled": "no_route",
      "error.400.simulation-error": "no_route",
      "error.404.deposit-not-found": "no_route",
      "error.500.internal": "upstream_unavailable",
      "error.502.upstream-rpc": "upstream_unavailable",
    });
  });

  test("knownAcrossDeployments has the addresses of the captured deployments", () => {
    const { spokePool, multicallHandler } = read("addresses").body as Record<string, Record<string, string>>;
    // Where nothing is built, only the SpokePool is named, and the published package vouches for it (deployments.test).
    const built = knownAcrossDeployments.filter((deployment) => deployment.multicallHandler !== null);
    for (const { chainId, ...ours } of built) {
      expect(ours.spokePool).toBe(spokePool?.[chainId]);
      expect(ours.multicallHandler).toBe(multicallHandler?.[chainId]);
    }
    expect(Object.keys(spokePool ?? {})).toHaveLength(built.length);
  });

  test("our ABI has the captured selectors and topics", () => {
    const { selectors } = read("abi").body as { selectors: Record<string, Hex> };
    const items = [...depositAbi(), ...spokePoolAbi(), ...handlerAbi()];
    const compared = items.filter((item) => `${item.type} ${item.name}` in selectors);
    for (const item of compared) {
      const hash = item.type === "event" ? toEventSelector(item) : toFunctionSelector(item);
      expect(hash).toBe(selectors[`${item.type} ${item.name}`]);
    }
    expect(compared.map(({ name }) => name)).toEqual([
      "deposit",
      "fillRelay",
      "FundsDeposited",
      "FilledRelay",
      "makeCallWithBalance",
      "CallsFailed",
      "DrainedTokens",
    ]);
  });

  test("decodeAcrossDeposit() decodes captured deposits and messages", () => {
    const runs = read("events.anvil").body as Record<string, { depositTx?: { data: Hex } }>;
    const deposits = Object.values(runs).flatMap(({ depositTx }) => (depositTx ? [depositTx.data] : []));
    expect(deposits.length).toBeGreaterThan(0);
    for (const data of deposits) {
      const deposit = decodeAcrossDeposit(data);
      expect(deposit.inputAmount).toBe(100_000_000n);
      expect(decodeInstructions(deposit.message).calls.length).toBeGreaterThan(0);
    }
    const { dynamic } = read("message.multicall-handler.vault-deposit").body as Record<
      string,
      { message: Hex }
    >;
    expect(decodeInstructions(dynamic?.message ?? "0x").calls).toHaveLength(3);
  });
}
