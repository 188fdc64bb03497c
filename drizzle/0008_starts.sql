CREATE TABLE "flow_starts" (
	"chain_id" integer NOT NULL,
	"vault_address" text NOT NULL,
	"source" text NOT NULL,
	"absent_at" bigint NOT NULL,
	"present_at" bigint NOT NULL,
	"doubts" integer DEFAULT 0 NOT NULL,
	"start_block" bigint,
	CONSTRAINT "flow_starts_chain_id_vault_address_pk" PRIMARY KEY("chain_id","vault_address")
);
