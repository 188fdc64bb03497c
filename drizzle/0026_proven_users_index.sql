-- contract: a bundle may hold the calls of several users; deposits_proven_user_tx replaces it
DROP INDEX "deposits_proven_share_tx";