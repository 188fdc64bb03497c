import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type AbiEvent, type AbiFunction, toEventSelector, toFunctionSelector } from "viem";
import { describe, expect, test } from "vitest";
import { spokePoolOperatorAbi } from "../../../scripts/stack/bridge/spoke-pool-abi.ts";
import { depositAbi, handlerAbi, spokePoolAbi } from "../../../src/providers/across/across-abi.ts";

type Item = AbiEvent | AbiFunction;

const folder = dirname(createRequire(import.meta.url).resolve("@across-protocol/contracts/package.json"));

/** What a contract that Across published can be asked and says. */
function publishedItems(name: string): Item[] {
  const file = join(folder, "dist", "evm", "artifacts", `${name}.sol`, `${name}.json`);
  const { abi } = JSON.parse(readFileSync(file, "utf8")) as { abi: Item[] };
  return abi.filter(({ type }) => type === "event" || type === "function");
}

/** Everything that decides how an item is encoded and decoded; names of arguments do not. */
function wireOf(item: Item): unknown {
  if (item.type === "event")
    return [item.name, toEventSelector(item), item.inputs.map(({ indexed }) => indexed === true)];
  const outputs = item.outputs.map(({ type }) => type);
  return [item.name, toFunctionSelector(item), item.stateMutability === "payable", outputs];
}

describe.each([
  ["Ethereum_SpokePool", [...depositAbi(), ...spokePoolAbi(), ...spokePoolOperatorAbi]],
  ["MulticallHandler", handlerAbi()],
] as const)("our ABI of %s", (name, ours) => {
  test.each(ours.map((item) => [item.name, item] as const))("has %s as published", (_, item) => {
    expect(publishedItems(name).map(wireOf)).toContainEqual(wireOf(item));
  });
});
