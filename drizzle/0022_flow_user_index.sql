-- contract: sums read the shares too; flows_user_amounts replaces it
DROP INDEX "flows_user";