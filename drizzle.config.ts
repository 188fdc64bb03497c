import { defineConfig } from "drizzle-kit";

const schema = ["./src/db/schema/partners.ts", "./src/db/schema/*.ts"];

export default defineConfig({ dialect: "postgresql", schema, out: "./drizzle" });
