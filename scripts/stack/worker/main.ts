/** The process that builds the Worker and runs it in workerd. */
import { serveParent } from "../processes/serve.ts";
import { type Bundle, bundleWorker } from "./bundle.ts";

let bundle: Promise<Bundle> | null = null;
let runtime: { dispose(): Promise<void> } | null = null;

let ticker: NodeJS.Timeout | undefined;

export interface ListenInput {
  configFile: string;
  port: number;
  variables: Record<string, string>;
  /** How often every cron trigger fires; null: never by itself. */
  cronEveryMs: number | null;
  /** Beside the Worker when absent. */
  assets?: "in front" | "beside";
}

serveParent(
  {
    build: async (configFile: string) => {
      bundle = bundleWorker(configFile);
      // Loading wrangler takes as long as building, so both go on at once.
      await Promise.all([bundle, import("./runtime.ts")]);
    },
    /** In place of what listened before, if anything did. */
    listen: async (input: ListenInput) => {
      if (bundle === null) throw new Error("nothing was built");
      const { runWorker } = await import("./runtime.ts");
      await runtime?.dispose();
      runtime = await runWorker({ assets: "beside", ...input, folder: (await bundle).folder });
      if (input.cronEveryMs === null) return;
      const { startTicker } = await import("./ticker.ts");
      ticker = startTicker(input.configFile, [input.port, input.cronEveryMs]);
    },
  },
  async () => {
    clearInterval(ticker);
    await runtime?.dispose();
    await (await bundle?.catch(() => null))?.remove();
  },
);
