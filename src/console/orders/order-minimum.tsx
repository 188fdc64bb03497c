import type { ReactNode } from "react";
import { Fact } from "../ui/page-and-cards.tsx";

/**
 * Row with the minimum of an order (`children`), named `term`. With `twoStep`, it is named "Quoted minimum", and a note
 * says that it is not enforced yet.
 */
export function MinimumFact(props: { term: string; twoStep: boolean; children: ReactNode }) {
  const { term, twoStep, children } = props;
  if (!twoStep) return <Fact term={term}>{children}</Fact>;
  return (
    <Fact term="Quoted minimum">
      {children}
      <span className="block text-muted">
        Not enforced yet. The second transaction is quoted again, with its own minimum.
      </span>
    </Fact>
  );
}
