-- contract: a batch may deposit into several vaults; deposits_proven_share_tx replaces it
DROP INDEX "deposits_proven_deposit_tx";
