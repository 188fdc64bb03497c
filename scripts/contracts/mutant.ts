/** A deliberate fault in the Router's Solidity. `find` occurs exactly once in its four source files together. */
export interface Mutant {
  name: string;
  find: string;
  replace: string;
  /** Further edits that the first one requires. */
  also?: readonly (readonly [find: string, replace: string])[];
  /** True if the invariants alone, without other tests, must detect this mutant. */
  grave?: true;
  /** Reason why no test can detect the mutant. An undetected mutant without a reason fails the run. */
  survives?: string;
}
