/**
 * Writes the ERC-7730 descriptors by which hardware wallets show the Router's calls and Permit2's message, to
 * .github/erc7730. With --check, fails when a committed one differs.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type AbiParameter, zeroAddress } from "viem";
import { knownChains } from "../../src/chains/chain-definitions.ts";
import { depositRouterAbi } from "../../src/router/deposit-router-artifact.ts";
import { depositRouterAddress } from "../../src/router/router-address.ts";
import { permit2Address } from "../../src/router/router-signature-messages.ts";
import { readArguments } from "../command.ts";

const { values: options } = readArguments({
  help: `Writes the ERC-7730 descriptors of the Router to .github/erc7730.

  node scripts/router/clear-signing.ts [--check]

  --check  write nothing; fail when a descriptor differs
  --help   show this text`,
  options: { check: { type: "boolean" } },
});

const $schema = "https://eips.ethereum.org/assets/eip-7730/erc7730-v1.schema.json";
const metadata = { owner: "Causeway" };
const deploymentsOf = (address: string) => knownChains.map(({ chainId }) => ({ chainId, address }));

/** Returns the ERC-7730 display fields of an order under `root`, and the fields that it hides. */
function orderDisplay(root: string) {
  const token = (path: string, label: string, tokenPath: string) => ({
    ...{ path: `${root}.${path}`, label, format: "tokenAmount" },
    params: { tokenPath: `${root}.${tokenPath}`, nativeCurrencyAddress: [zeroAddress] },
  });
  const account = (path: string, label: string) => ({
    ...{ path: `${root}.${path}`, label, format: "addressName" },
    params: { types: ["wallet", "eoa", "contract"], sources: ["local", "ens"] },
  });
  const fields = [
    token("amountIn", "Pay", "tokenIn"),
    { path: `${root}.nativeFee`, label: "Bridge fee", format: "amount" },
    token("minOut", "Receive at least", "tokenOut"),
    { path: `${root}.minOutPerIn`, label: "Least per unit, times 10^27", format: "raw" },
    account("receiver", "Receiver"),
    account("refundTo", "Leftovers to"),
    { path: `${root}.deadline`, label: "Valid until", format: "date", params: { encoding: "timestamp" } },
  ];
  const shown = ["amountIn", "minOut", "receiver", "refundTo", "deadline"];
  const hidden = ["tokenIn", "tokenOut", "minIn", "direct", "ref", "partnerId", "partnerType"];
  return {
    fields,
    required: shown.map((field) => `${root}.${field}`),
    excluded: hidden.map((field) => `${root}.${field}`),
  };
}

/** Returns a parameter in the human-readable signature of ERC-7730, with the names of struct members. */
function signatureOf({ type, name = "", ...rest }: AbiParameter): string {
  const members = "components" in rest ? rest.components.map(signatureOf).join(",") : "";
  return `${members === "" ? type : type.replace("tuple", `(${members})`)} ${name}`.trim();
}

function routerDescriptor() {
  const entries = depositRouterAbi.filter(
    (item) => item.type === "function" && item.name !== "executorImplementation",
  );
  const order = orderDisplay("order");
  const formats = entries.flatMap((item) => {
    if (item.type !== "function") return [];
    const inputs: readonly AbiParameter[] = item.inputs;
    const names = inputs.map(({ name }) => name).filter((name) => name !== "order" && name !== "owner");
    const owner = { path: "owner", label: "Paid by", format: "addressName" };
    const display = {
      intent: "Deposit, withdraw or move",
      fields: inputs.some(({ name }) => name === "owner") ? [owner, ...order.fields] : order.fields,
      required: order.required,
      excluded: [...order.excluded, ...names],
    };
    return [[`${item.name}(${inputs.map(signatureOf).join(",")})`, display] as const];
  });
  return {
    $schema,
    context: {
      $id: "Causeway DepositRouter",
      contract: { deployments: deploymentsOf(depositRouterAddress), abi: entries },
    },
    metadata,
    display: { formats: Object.fromEntries(formats) },
  };
}

function permit2Descriptor() {
  const order = orderDisplay("witness");
  const display = {
    intent: "Authorise an order of Causeway",
    fields: [{ path: "spender", label: "Spender", format: "addressName" }, ...order.fields],
    required: ["spender", ...order.required],
    excluded: [
      ...["permitted.token", "permitted.amount", "nonce", "deadline"],
      ...[...order.excluded, "witness.stepsHash", "witness.sweepHash"],
    ],
  };
  return {
    $schema,
    context: {
      $id: "Causeway order by Permit2",
      eip712: {
        domain: { name: "Permit2" },
        deployments: deploymentsOf(permit2Address),
      },
    },
    metadata,
    display: { formats: { PermitWitnessTransferFrom: display } },
  };
}

const descriptors = {
  "deposit-router.json": routerDescriptor(),
  "permit2-order.json": permit2Descriptor(),
};
for (const [name, descriptor] of Object.entries(descriptors)) {
  const file = `.github/erc7730/${name}`;
  // Compared as values, because the formatter lays committed JSON out in its own way.
  const same =
    existsSync(file) && JSON.stringify(JSON.parse(readFileSync(file, "utf8"))) === JSON.stringify(descriptor);
  if (same) console.log(`same     ${file}`);
  else if (options.check === true) {
    console.error(`differs  ${file}: run node scripts/router/clear-signing.ts`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, `${JSON.stringify(descriptor, null, 2)}\n`);
    console.log(`written  ${file}`);
  }
}
