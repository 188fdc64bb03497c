import { toEstimate } from "../deposits/built-wire.ts";
import type { MovedDeposit } from "../deposits/moved.ts";
import type { PreparedDeposit } from "../deposits/prepare.ts";
import type { MoveOption } from "../providers/provider.ts";
import type { Quote } from "../schemas/quote.ts";

type Option = Quote["route_options"][number];

/** Every way that was offered, the one that would be built first, each with what sets it apart. */
export function toRouteOptions(prepared: PreparedDeposit): Option[] {
  const estimate = toEstimate(prepared);
  if (prepared.kind === "direct") {
    const { to_amount, to_amount_min, deposit_amount } = estimate;
    const figures = { to_amount, to_amount_min, deposit_amount, estimated_time: null, gas_cost_usd: null };
    return [
      { bridge: null, bridge_name: null, bridge_logo: null, ...figures, tags: ["recommended", "direct"] },
    ];
  }
  const { moved } = prepared;
  const others = moved.ranking.options.filter((option) => !isBuilt(option, moved));
  const all = [moved.move, ...others];
  return all.map((option, index) => {
    const one = index === 0 ? moved.end.kind === "call" : callsRouter(prepared) && option.callable;
    return {
      bridge: option.bridge,
      bridge_name: option.bridgeName,
      bridge_logo: option.bridgeLogo,
      to_amount: option.toAmount.toString(),
      to_amount_min: option.toAmountMin.toString(),
      deposit_amount: (one ? option.toAmount : option.toAmountMin).toString(),
      estimated_time: option.estimatedSeconds,
      gas_cost_usd: option.gasCostUsd,
      tags: [
        ...(index === 0 ? ["recommended"] : []),
        ...tagsOf(option, all),
        one ? "one_transaction" : "two_step",
      ],
    };
  });
}

/** Whether the vault can be called by whoever delivers. */
const callsRouter = ({ order }: PreparedDeposit): boolean => order.entry.via === "router";

function isBuilt(option: MoveOption, { move }: MovedDeposit): boolean {
  return option.provider === move.provider && option.bridge === move.bridge;
}

/** What an option is the best at among all; cheapest only where every provider says what its gas costs. */
function tagsOf(option: MoveOption, all: readonly MoveOption[]): string[] {
  const least = all.every(({ toAmountMin }) => toAmountMin <= option.toAmountMin);
  const seconds = option.estimatedSeconds;
  const fastest =
    seconds !== null && all.every((other) => (other.estimatedSeconds ?? Number.POSITIVE_INFINITY) >= seconds);
  const cost = option.gasCostUsd;
  const cheapest =
    cost !== null &&
    all.every((other) => other.gasCostUsd !== null && Number(other.gasCostUsd) >= Number(cost));
  return [
    ...(least ? ["best_output"] : []),
    ...(cheapest ? ["cheapest"] : []),
    ...(fastest ? ["fastest"] : []),
  ];
}
