import { numberToHex } from "viem";
import { z } from "zod";
import { depositStates } from "../../../src/schemas/deposit-schema.ts";
import { withdrawalStates } from "../../../src/schemas/withdrawal-schema.ts";
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
const Order = z.object({
  user_address: Hex,
  state: z.string(),
  steps: z.array(Step),
  poll_after_ms: z.int(),
});
type Order = z.infer<typeof Order>;

/** API resources of deposits (including moves) and withdrawals, with the states that their lists can contain. */
const resources = [
  { noun: "deposit", path: "/v1/deposits", states: depositStates },
  { noun: "withdrawal", path: "/v1/withdrawals", states: withdrawalStates },
] as const;
type Resource = (typeof resources)[number];

/**
 * Sends the first required step of a deposit or withdrawal from its user's account, as a wallet would, and reports its
 * hash. Without a tracking id, uses the order that was last built for one of the stack's accounts. The local nodes send
 * from any address without its key. Returns the lines to print.
 */
export async function signStep(stack: StackManifest, [given]: readonly string[]): Promise<string[]> {
  const found = given === undefined ? await lastBuilt(stack) : await findOrder(stack, given);
  const url = `${stack.api}${found.resource.path}/${encodeURIComponent(found.trackingId)}`;
  const order = await requestApi(url, { schema: Order });
  const step = order.steps.find(({ state }) => state === "required");
  const request = step?.transaction_request;
  if (step === undefined || !request) return ["nothing to sign", ...describeSteps(found, order)];
  const { rpc_url: node } = chainIn(stack, request.chain_id);
  await rpc(node, "anvil_impersonateAccount", order.user_address);
  const { to, data, value } = request;
  const call = { from: order.user_address, to, data, value: numberToHex(BigInt(value)) };
  const hash = z.templateLiteral(["0x", z.string()]).parse(await rpc(node, "eth_sendTransaction", call));
  await awaitMined(node, hash);
  await report(`${url}/tx`, { tx_hash: hash, step: step.step_id });
  const lines = describeSteps(found, await requestApi(url, { schema: Order }));
  return [`sent "${step.title}": ${hash}`, ...lines];
}

interface FoundOrder {
  resource: Resource;
  trackingId: string;
}

/** Returns whether a tracking id is that of a withdrawal; otherwise it is assumed to be a deposit. */
async function findOrder({ api }: StackManifest, trackingId: string): Promise<FoundOrder> {
  const [deposits, withdrawals] = resources;
  const answer = await fetch(`${api}${withdrawals.path}/${encodeURIComponent(trackingId)}`);
  await answer.arrayBuffer();
  return { resource: answer.ok ? withdrawals : deposits, trackingId };
}

/** Returns the order that was last built for one of the accounts. Throws if there is none. */
async function lastBuilt({ api, accounts }: StackManifest): Promise<FoundOrder> {
  const schema = z.array(z.object({ tracking_id: z.string(), created_at: z.string() }));
  const lists = await Promise.all(
    accounts.flatMap(({ address }) =>
      resources.map(async (resource) => {
        const query = `user_address=${address}&limit=1&state=${resource.states.join(",")}`;
        const rows = await requestApi(`${api}${resource.path}?${query}`, { schema });
        return rows.map((row) => ({ resource, trackingId: row.tracking_id, at: row.created_at }));
      }),
    ),
  );
  const [last] = lists.flat().sort((a, b) => b.at.localeCompare(a.at));
  if (last === undefined) throw new Error("nothing was built yet for an account of stack.json");
  return last;
}

async function report(url: string, body: { tx_hash: string; step: string }): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "PATCH", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`reporting the hash: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}

/** Returns the state of a deposit or withdrawal and a line for each of its steps. */
const describeSteps = ({ resource }: FoundOrder, { state, steps }: Order): string[] => [
  `the ${resource.noun} is ${state}`,
  ...steps.map((step) => `  ${step.state.padEnd(9)} ${step.step_id.padEnd(20)} ${step.title}`),
];
