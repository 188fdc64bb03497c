/** The deposits of one UTC day, and how many of them were completed. `date` is `YYYY-MM-DD`. */
export interface DayBar {
  date: string;
  deposits: number;
  completed: number;
}

const DAY_MS = 86_400_000;

/**
 * Returns one bar for each of the last `days` days up to the UTC day of `now` (milliseconds since the epoch), in
 * ascending order. Days that are missing from the list have no deposits; older days are left out.
 */
export function toDayBars(list: readonly DayBar[], { days, now }: { days: number; now: number }): DayBar[] {
  const known = new Map(list.map((day) => [day.date, day]));
  return Array.from({ length: days }, (_none, index) => {
    const date = new Date(now - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10);
    const { deposits = 0, completed = 0 } = known.get(date) ?? {};
    return { date, deposits, completed };
  });
}
