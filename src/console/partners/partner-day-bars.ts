/** Deposits built on a UTC day (`date`, `YYYY-MM-DD`) and seen on chain, and how many of them were completed. */
export interface DayBar {
  date: string;
  deposits: number;
  completed: number;
}

const DAY_MS = 86_400_000;

/**
 * Returns one bar for each UTC day in ascending order, from the day of `since` (ISO time) to the day of `now`
 * (milliseconds), or to the last day in the list if that is later. If `since` is null, the start is the first listed
 * day or, if that is earlier, the day of `now`. Days that are not in the list have no deposits; listed days before
 * `since` are left out.
 */
export function toDayBars(
  list: readonly DayBar[],
  { since, now }: { since: string | null; now: number },
): DayBar[] {
  const known = new Map(list.map((day) => [day.date, day]));
  const days = [dayOf(now), ...list.map(({ date }) => dayOf(Date.parse(date)))];
  const first = since === null ? Math.min(...days) : dayOf(Date.parse(since));
  return Array.from({ length: Math.max(...days) - first + 1 }, (_none, index) => {
    const date = new Date((first + index) * DAY_MS).toISOString().slice(0, 10);
    const { deposits = 0, completed = 0 } = known.get(date) ?? {};
    return { date, deposits, completed };
  });
}

const dayOf = (time: number): number => Math.floor(time / DAY_MS);
