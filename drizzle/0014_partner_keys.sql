CREATE TABLE "partner_keys" (
	"key_id" text PRIMARY KEY NOT NULL,
	"partner_address" text NOT NULL,
	"slot" smallint NOT NULL,
	"name" text NOT NULL,
	"rights" jsonb NOT NULL,
	"allow_list" jsonb NOT NULL,
	"key_digest" text NOT NULL,
	"secret_digest" text NOT NULL,
	"pepper_version" integer NOT NULL,
	"prefix" text NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"epoch" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "partner_keys_key_digest_unique" UNIQUE("key_digest")
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "name" text DEFAULT 'First key' NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "rights" jsonb DEFAULT '["build","read","manage"]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "allow_list" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "last_used_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "revoked" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "partner_keys" ADD CONSTRAINT "partner_keys_partner_address_partners_address_fk" FOREIGN KEY ("partner_address") REFERENCES "public"."partners"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "partner_keys_slot" ON "partner_keys" USING btree ("partner_address","slot");