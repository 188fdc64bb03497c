import { listBridges } from "../catalog/list-bridges.ts";
import type { Context } from "../context.ts";
import { ValidationFailure } from "../http/validation-failure.ts";
import type { BuildInput } from "../schemas/quote.ts";

/** Throws ValidationFailure for a preferred bridge that this deployment does not list in `GET /v1/bridges`. */
export async function assertListedBridge(ctx: Context, input: BuildInput): Promise<void> {
  const { preferred_bridge: preferred } = input;
  if (preferred === undefined) return;
  const keys = (await listBridges(ctx)).map(({ key }) => key);
  if (keys.includes(preferred)) return;
  const msg = `must be a key of GET /v1/bridges: ${keys.join(", ")}`;
  throw new ValidationFailure([{ loc: ["body", "preferred_bridge"], msg, type: "invalid_value" }]);
}
