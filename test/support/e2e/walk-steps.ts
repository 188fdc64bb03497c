import type { Step } from "../../../src/schemas/step-schema.ts";
import type { Api, BuildBody } from "./api.ts";
import { chainOf, type KeyedUser, mined, sendCall, userOn } from "./chain.ts";
import { DELIVERY_POLLING } from "./transfer.ts";

/** What a client observed: the steps that it performed, in order, and every response. */
export interface Walk {
  trackingId: string;
  did: string[];
  readings: Step[][];
}

/**
 * Performs a deposit as a simple client does: performs the first required step, fetches the deposit again, and
 * continues until no step is required or waiting. `meanwhile` is called after each response, for example to settle a
 * vault or deliver.
 */
export async function walkSteps(
  api: Api,
  {
    body,
    user,
    meanwhile,
  }: { body: BuildBody; user: KeyedUser; meanwhile?: (steps: Step[]) => Promise<void> },
): Promise<Walk> {
  const built = await api.build(body);
  const walk: Walk = { trackingId: built.tracking_id, did: [], readings: [built.steps] };
  const until = Date.now() + DELIVERY_POLLING.timeout;
  while (Date.now() < until) {
    const steps = walk.readings.at(-1) ?? [];
    const next = steps.find(({ state }) => state === "required");
    if (next === undefined && steps.every(({ state }) => state !== "waiting")) return walk;
    if (next === undefined) await new Promise((resolve) => setTimeout(resolve, DELIVERY_POLLING.interval));
    else await doStep(api, { step: next, user, trackingId: walk.trackingId });
    if (next !== undefined) walk.did.push(next.step_id);
    await meanwhile?.(steps);
    walk.readings.push((await api.deposit(walk.trackingId)).steps);
  }
  throw new Error(`it does not end: ${JSON.stringify(walk.readings.at(-1))}`);
}

async function doStep(api: Api, of: { step: Step; user: KeyedUser; trackingId: string }): Promise<void> {
  const { step, user, trackingId } = of;
  const request = step.transaction_request;
  if (request === null) throw new Error(`${step.step_id} is required and has no transaction`);
  const chain = chainOf(request.chain_id);
  const hash = await sendCall(await userOn(chain, user), {
    to: request.to as `0x${string}`,
    data: request.data as `0x${string}`,
    value: BigInt(request.value),
  });
  await mined(chain, hash);
  await api.report(trackingId, { tx_hash: hash, step: step.step_id });
}
