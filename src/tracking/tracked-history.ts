/** A state that a tracked row reached, and when. */
interface Entry<State> {
  state: State;
  at: string;
}

/**
 * Returns a row's history with a new entry. If its vault reports an open request (`isOpen`) in two states by turns, the
 * first two of these entries and the last one or two are kept. Pure.
 */
export function historyWith<State extends string>(
  { state, history }: { state: State; history: readonly Entry<State>[] },
  { entry, isOpen }: { entry: Entry<State>; isOpen: (state: State) => boolean },
): Entry<State>[] {
  const turns = history.slice(-4).map((one) => one.state);
  const repeats = turns.join() === [entry.state, state, entry.state, state].join();
  const kept = repeats && isOpen(state) && isOpen(entry.state) ? history.slice(0, -2) : history;
  return [...kept, entry];
}
