import type { Rule } from "../schemas/signal.ts";
import { rules } from "./rules.ts";

/** Lists the rules with their thresholds and the reasons for them. */
export function listRules(): Rule[] {
  return rules.map(({ rule_id, dimension, title, description, tiers, needs }) => ({
    rule_id,
    dimension,
    title,
    description,
    tiers,
    needs,
  }));
}
