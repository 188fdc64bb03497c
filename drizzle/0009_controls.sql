CREATE TABLE "control_events" (
	"chain_id" integer NOT NULL,
	"vault_address" text NOT NULL,
	"tx_hash" text NOT NULL,
	"log_index" integer NOT NULL,
	"emitter" text NOT NULL,
	"topics" jsonb NOT NULL,
	"data" text NOT NULL,
	"block_number" bigint NOT NULL,
	"block_time" timestamp (3) with time zone NOT NULL,
	"noted_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "control_events_chain_id_vault_address_tx_hash_log_index_pk" PRIMARY KEY("chain_id","vault_address","tx_hash","log_index")
);
--> statement-breakpoint
ALTER TABLE "flow_tips" ADD COLUMN "controls_to" bigint;--> statement-breakpoint
CREATE INDEX "control_events_noted" ON "control_events" USING btree ("noted_at");