import { AppError, failureFrom } from "../errors.ts";
import type { MoveOption, MoveRequest, Provider, ProviderScope } from "./provider.ts";

export interface Offers {
  options: MoveOption[];
  /** Of the providers that offered nothing, by name. */
  failures: Map<string, AppError>;
}

/**
 * Asks all providers for their prices at once, each until the scope's deadline; one that fails costs its own
 * options and nothing else. Never throws.
 */
export async function askProviders(
  providers: readonly Provider[],
  ask: { scope: ProviderScope; request: MoveRequest },
): Promise<Offers> {
  const asked = providers.map((provider) => provider.quote(ask.scope, ask.request));
  const answers = await Promise.allSettled(asked);
  const options: MoveOption[] = [];
  const failures = new Map<string, AppError>();
  for (const [index, answer] of answers.entries()) {
    if (answer.status === "fulfilled") options.push(...answer.value);
    else failures.set(providers[index]?.name ?? "", toFailure(answer.reason));
  }
  return { options, failures };
}

/** A provider throws only failures of ours; anything else is its own defect, and no reason to fail with it. */
export function toFailure(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return failureFrom("upstream_unavailable", "the provider could not be used", error);
}
