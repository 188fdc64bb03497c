/** Process that builds the Worker and runs it in workerd. */
import { serveParent } from "../processes/serve.ts";
import { type Bundle, bundleWorker } from "./bundle.ts";

let bundle: Promise<Bundle> | null = null;
let runtime: { dispose(): Promise<void> } | null = null;

let ticker: NodeJS.Timeout | undefined;

/** Input to start the Worker. */
export interface ListenInput {
  configFile: string;
  port: number;
  variables: Record<string, string>;
  /** Interval in milliseconds at which every cron trigger is fired, or null for never. */
  cronEveryMs: number | null;
  /** Position of the static assets. Default: `beside`. */
  assets?: "in front" | "beside";
  /** Control URL of the model of the platform's cache, which the Worker purges. Absent or null if there is none. */
  edgeCache?: string | null;
}

serveParent(
  {
    build: async (configFile: string) => {
      bundle = bundleWorker(configFile);
      // Importing wrangler takes as long as building, so both run in parallel.
      await Promise.all([bundle, import("./runtime.ts")]);
    },
    /** Starts a Worker, and stops the one that is already running. */
    listen: async (input: ListenInput) => {
      if (bundle === null) throw new Error("nothing was built");
      const { runBuiltWorker } = await import("./runtime.ts");
      await runtime?.dispose();
      runtime = await runBuiltWorker({ assets: "beside", ...input, folder: (await bundle).folder });
      if (input.cronEveryMs === null) return;
      const { startCronTicker } = await import("./cron-ticker.ts");
      ticker = startCronTicker(input.configFile, [input.port, input.cronEveryMs]);
    },
  },
  async () => {
    clearInterval(ticker);
    await runtime?.dispose();
    await (await bundle?.catch(() => null))?.remove();
  },
);
