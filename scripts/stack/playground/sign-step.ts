import { numberToHex } from "viem";
import { z } from "zod";
import { depositStates } from "../../../src/schemas/deposit-schema.ts";
import { rpc } from "../chains/json-rpc.ts";
import { requestApi } from "../demo/api.ts";
import { chainIn, type StackManifest } from "../manifest.ts";
import { awaitMined } from "./await-mined.ts";

const Hex = z.templateLiteral(["0x", z.string()]);
const Step = z.object({
  step_id: z.string(),
  title: z.string(),
  state: z.string(),
  transaction_request: z.object({ to: Hex, data: Hex, value: z.string(), chain_id: z.int() }).nullable(),
});
const Deposit = z.object({
  user_address: Hex,
  state: z.string(),
  steps: z.array(Step),
  poll_after_ms: z.int(),
});
type Deposit = z.infer<typeof Deposit>;

/**
 * Sends the first required step of a deposit from its user, like a wallet, and reports its hash. The default is the
 * last deposit that was built for one of the stack's accounts. The local nodes send from any address without its key.
 */
export async function signStep(stack: StackManifest, [given]: readonly string[]): Promise<string[]> {
  const trackingId = given ?? (await lastBuilt(stack));
  const url = `${stack.api}/v1/deposits/${encodeURIComponent(trackingId)}`;
  const deposit = await requestApi(url, { schema: Deposit });
  const step = deposit.steps.find(({ state }) => state === "required");
  const request = step?.transaction_request;
  if (step === undefined || !request) return ["nothing to sign", ...describeSteps(deposit)];
  const { rpc_url: node } = chainIn(stack, request.chain_id);
  await rpc(node, "anvil_impersonateAccount", deposit.user_address);
  const { to, data, value } = request;
  const call = { from: deposit.user_address, to, data, value: numberToHex(BigInt(value)) };
  const hash = z.templateLiteral(["0x", z.string()]).parse(await rpc(node, "eth_sendTransaction", call));
  await awaitMined(node, hash);
  await report(`${url}/tx`, { tx_hash: hash, step: step.step_id });
  const lines = describeSteps(await requestApi(url, { schema: Deposit }));
  return [`sent "${step.title}": ${hash}`, ...lines];
}

/** Returns the tracking id of the last deposit that was built for one of the accounts. Throws if there is none. */
async function lastBuilt({ api, accounts }: StackManifest): Promise<string> {
  const schema = z.array(z.object({ tracking_id: z.string(), created_at: z.string() }));
  const query = `limit=1&state=${depositStates.join(",")}`;
  const lists = await Promise.all(
    accounts.map(({ address }) =>
      requestApi(`${api}/v1/deposits?user_address=${address}&${query}`, { schema }),
    ),
  );
  const [last] = lists.flat().sort((a, b) => b.created_at.localeCompare(a.created_at));
  if (last === undefined) throw new Error("no deposit was built yet for an account of stack.json");
  return last.tracking_id;
}

async function report(url: string, body: { tx_hash: string; step: string }): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "PATCH", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`reporting the hash: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}

/** Returns the deposit's state and a line for each of its steps. */
const describeSteps = ({ state, steps }: Deposit): string[] => [
  `the deposit is ${state}`,
  ...steps.map((step) => `  ${step.state.padEnd(9)} ${step.step_id.padEnd(20)} ${step.title}`),
];
