import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";

const root = `${import.meta.dirname}/src/console`;

/** The console: a single-page application of static files. `scripts/console/build.ts` builds it into `public`. */
export default defineConfig({
  root,
  publicDir: "static",
  plugins: [tailwindcss()],
  oxc: { jsx: { runtime: "automatic" } },
  build: {
    target: "es2023",
    assetsDir: "console-assets",
    // Every script and icon is a file of its own: the content security policy allows nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // The script that other sites load keeps its name and its export.
      input: { console: `${root}/index.html`, embed: `${root}/embed/host-script.ts` },
      preserveEntrySignatures: "exports-only",
      output: {
        entryFileNames: ({ name }) => (name === "embed" ? "embed.js" : "console-assets/[name]-[hash].js"),
      },
    },
  },
  // `vite --config vite.config.ts` beside a running stack, for work on the console itself.
  server: { proxy: { "/v1": "http://127.0.0.1:8787", "/health": "http://127.0.0.1:8787" } },
});
