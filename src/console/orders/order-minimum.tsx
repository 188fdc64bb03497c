import type { ReactNode } from "react";
import { Fact } from "../ui/page-and-cards.tsx";

/**
 * Minimum of an order, as its children show it. In two steps, no contract enforces the quoted minimum yet: the second
 * transaction is built for what arrives and has a minimum of its own, which the row then says.
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
