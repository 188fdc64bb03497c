import { unstable_readConfig } from "wrangler";
import { scheduledUrl } from "./scheduled.ts";

/**
 * Fires every cron trigger each `everyMs` milliseconds, unless the last round still runs, because workerd fires none by
 * itself. `clearInterval` ends it.
 */
export function startCronTicker(
  configFile: string,
  [port, everyMs]: readonly [number, number],
): NodeJS.Timeout {
  const { crons = [] } = unstable_readConfig({ config: configFile }).triggers;
  const fire = (cron: string) =>
    fetch(scheduledUrl(`http://127.0.0.1:${port}`, cron))
      .then((response) => response.arrayBuffer())
      .catch((error: unknown) => console.error(`cron ${cron}:`, error));
  let busy = false;
  return setInterval(async () => {
    if (busy) return;
    busy = true;
    for (const cron of crons) await fire(cron);
    busy = false;
  }, everyMs);
}
