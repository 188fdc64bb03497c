/** Returns the URL that fires a cron trigger of the Worker at `api`. */
export const scheduledUrl = (api: string, cron: string): string =>
  `${api}/cdn-cgi/local/scheduled?cron=${encodeURIComponent(cron)}`;
