import "./console.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createQueryCache } from "./api/console-queries.ts";
import { createConsoleRouter } from "./console-router.tsx";
import { followTheme } from "./ui/theme.ts";

followTheme();
const root = document.getElementById("root");
if (root === null) throw new Error("the page has no root element");
const cache = createQueryCache();
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={cache}>
      <RouterProvider router={createConsoleRouter(cache)} />
    </QueryClientProvider>
  </StrictMode>,
);
