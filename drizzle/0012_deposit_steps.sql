CREATE TABLE "deposit_steps" (
	"tracking_id" text PRIMARY KEY NOT NULL,
	"plan" jsonb NOT NULL
);
--> statement-breakpoint
ALTER TABLE "deposit_steps" ADD CONSTRAINT "deposit_steps_tracking_id_deposits_tracking_id_fk" FOREIGN KEY ("tracking_id") REFERENCES "public"."deposits"("tracking_id") ON DELETE cascade ON UPDATE no action;