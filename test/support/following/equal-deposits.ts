import { type BuiltDeposit, isUnseen, type ShownDeposit } from "./recount.ts";

/**
 * Returns a deposit that names an equal one as what it is by itself: unseen, even if it shows the other's transaction.
 * Throws if the other one is not listed or not equal, or if the progress that is shown is not the other's.
 */
export function withoutEqual(
  one: ShownDeposit & { same_as: string | null },
  { listed, orders }: { listed: readonly ShownDeposit[]; orders: readonly BuiltDeposit[] },
): ShownDeposit {
  const orderOf = (id: string | null) => orders.find(({ trackingId }) => trackingId === id);
  const callOf = ({ user, source }: BuiltDeposit): string => JSON.stringify([user, source]);
  const [own, other] = [orderOf(one.tracking_id), orderOf(one.same_as)];
  const equal = listed.find(({ tracking_id: id }) => id === one.same_as);
  const isEqual = own !== undefined && other !== undefined && callOf(own) === callOf(other);
  const says = equal?.source_tx_hash === one.source_tx_hash && equal?.state === one.state;
  if (!isEqual || equal === undefined || !(says || isUnseen(one.state)))
    throw new Error(`${one.tracking_id} is shown as ${one.same_as}, which is ${equal?.state}`);
  if (isUnseen(one.state)) return one;
  const nothing = { source_tx_hash: null, destination_tx_hash: null, deposit_tx_hash: null };
  return { ...one, ...nothing, state: "built", shares: null, delivered_amount: null };
}
