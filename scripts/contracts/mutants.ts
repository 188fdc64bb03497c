import { executionMutants } from "./execution-mutants.ts";
import type { Mutant } from "./mutant.ts";
import { paymentMutants } from "./payment-mutants.ts";
import { settlementMutants } from "./settlement-mutants.ts";

/** Every mutant of the Router, grouped by the rule that it breaks. */
export const mutants: readonly Mutant[] = [...paymentMutants, ...executionMutants, ...settlementMutants];
