CREATE TABLE "flow_coverage" (
	"chain_id" integer NOT NULL,
	"vault_address" text NOT NULL,
	"start_block" bigint NOT NULL,
	"source" text DEFAULT '' NOT NULL,
	"followed_from" bigint,
	"done" "int8multirange" DEFAULT '{}' NOT NULL,
	CONSTRAINT "flow_coverage_chain_id_vault_address_pk" PRIMARY KEY("chain_id","vault_address")
);
--> statement-breakpoint
CREATE TABLE "flow_tips" (
	"chain_id" integer PRIMARY KEY NOT NULL,
	"version" integer DEFAULT 0 NOT NULL,
	"run" text DEFAULT '' NOT NULL,
	"final_block" bigint,
	"final_hash" text,
	"head_block" bigint,
	"head_hash" text,
	"head_time" timestamp (3) with time zone,
	"span" integer NOT NULL,
	"moved_at" timestamp (3) with time zone,
	"history_at" timestamp (3) with time zone,
	"error" text
);
--> statement-breakpoint
CREATE TABLE "flows" (
	"chain_id" integer NOT NULL,
	"tx_hash" text NOT NULL,
	"log_index" integer NOT NULL,
	"vault_address" text NOT NULL,
	"user_address" text NOT NULL,
	"kind" text NOT NULL,
	"assets" numeric(78, 0),
	"shares" numeric(78, 0),
	"block_number" bigint NOT NULL,
	"block_hash" text NOT NULL,
	"final" boolean NOT NULL,
	CONSTRAINT "flows_chain_id_tx_hash_log_index_pk" PRIMARY KEY("chain_id","tx_hash","log_index")
);
--> statement-breakpoint
CREATE INDEX "flows_user" ON "flows" USING btree ("user_address","chain_id","vault_address","assets");--> statement-breakpoint
CREATE INDEX "flows_vault" ON "flows" USING btree ("chain_id","vault_address","block_number");--> statement-breakpoint
CREATE INDEX "flows_provisional" ON "flows" USING btree ("chain_id","block_number") WHERE not "flows"."final";