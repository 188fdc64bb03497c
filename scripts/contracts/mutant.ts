/** One deliberate fault in the Router's Solidity. `find` occurs exactly once in its four sources together. */
export interface Mutant {
  name: string;
  find: string;
  replace: string;
  /** Further edits that the first one requires. */
  also?: readonly (readonly [find: string, replace: string])[];
  /** True when the invariants alone, without other tests, must kill this mutant. */
  grave?: true;
  /** Reason why no test can kill it. Without a reason, a survivor fails the run. */
  survives?: string;
}
