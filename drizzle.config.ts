import { defineConfig } from "drizzle-kit";

const schema = ["./src/db/schema.ts", "./src/db/schema/*.ts"];

export default defineConfig({ dialect: "postgresql", schema, out: "./drizzle" });
