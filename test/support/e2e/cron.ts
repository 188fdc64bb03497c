import { inject } from "vitest";
import { scheduledUrl } from "../../../scripts/stack/worker/scheduled.ts";

/** Fires a cron trigger of the stack's Worker, and waits until its jobs end. Throws if they fail. */
export async function fireCron(expression: string): Promise<void> {
  const answer = await fetch(scheduledUrl(inject("stack").api, expression));
  if (!answer.ok) throw new Error(`cron ${expression}: ${answer.status} ${await answer.text()}`);
}
