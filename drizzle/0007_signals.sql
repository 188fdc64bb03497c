CREATE TABLE "signals" (
	"signal_id" text PRIMARY KEY NOT NULL,
	"incident_id" text NOT NULL,
	"rule_id" text NOT NULL,
	"chain_id" integer NOT NULL,
	"vault_address" text NOT NULL,
	"subject" text NOT NULL,
	"sequence" integer NOT NULL,
	"tier" text NOT NULL,
	"dimension" text NOT NULL,
	"title" text NOT NULL,
	"summary" text NOT NULL,
	"metrics" jsonb NOT NULL,
	"evidence" jsonb NOT NULL,
	"evolution" jsonb NOT NULL,
	"keys" jsonb NOT NULL,
	"first_seen" timestamp (3) with time zone NOT NULL,
	"last_seen" timestamp (3) with time zone NOT NULL,
	"update_count" integer NOT NULL,
	"tx_hash" text,
	"block_number" bigint,
	CONSTRAINT "signals_incident" UNIQUE("rule_id","chain_id","vault_address","subject","sequence")
);
--> statement-breakpoint
CREATE INDEX "signals_recent" ON "signals" USING btree ("last_seen");