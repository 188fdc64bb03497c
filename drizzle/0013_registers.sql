CREATE TABLE "vault_register_tips" (
	"chain_id" integer NOT NULL,
	"address" text NOT NULL,
	"read_to" bigint,
	"named" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"error" text,
	CONSTRAINT "vault_register_tips_chain_id_address_pk" PRIMARY KEY("chain_id","address")
);
--> statement-breakpoint
ALTER TABLE "vaults" ADD COLUMN "named_by" jsonb DEFAULT '[]'::jsonb NOT NULL;