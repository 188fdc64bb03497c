import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { CausewayError } from "../../client/causeway-client-error.ts";
import type { Answer } from "../../client/operations/read-operations.ts";
import { ask } from "../api/console-client.ts";
import { formatTime } from "../format/format-times.ts";
import { Button, TextField } from "../ui/controls.tsx";
import { ErrorState, Loaded, LoadingRows, Notice } from "../ui/feedback.tsx";
import { Card, Page } from "../ui/page-and-cards.tsx";
import { WalletButton } from "../wallet/wallet-button.tsx";
import { useWallet } from "../wallet/wallet-session.ts";
import { usePartnerApplication, usePartnerSession, usePartnerSignIn } from "./use-partner-session.ts";

const PartnerDesk = lazy(() =>
  import("./partner-desk.tsx").then((module) => ({ default: module.PartnerDesk })),
);

/** Page for partners: the application and the sign-in or, for a signed-in partner, statistics and API keys. */
export function PartnersPage() {
  const { address } = useWallet();
  const session = usePartnerSession();
  return (
    <Page
      title="Partners"
      lead="Keys for wallets and apps that build deposits for their users: higher limits, attribution and statistics."
      narrow={session === null}
    >
      {session !== null ? (
        <Suspense fallback={<LoadingRows />}>
          <PartnerDesk session={session} />
        </Suspense>
      ) : address === null ? (
        <Card title="Your wallet is your account">
          <p className="mb-4 text-sm text-muted">Connect the wallet with which you apply and sign in.</p>
          <WalletButton primary />
        </Card>
      ) : (
        <Entrance address={address} />
      )}
    </Page>
  );
}

function Entrance({ address }: { address: `0x${string}` }) {
  const query = useQuery({
    queryKey: ["application", address],
    queryFn: async ({ signal }) => {
      try {
        return await ask<"applications.get">({ path: `/v1/applications/${address}`, signal });
      } catch (error) {
        if (error instanceof CausewayError && error.code === "application_not_found") return null;
        throw error;
      }
    },
  });
  return (
    <Card flush>
      <Loaded query={query}>
        {(application) => (
          <div className="space-y-6 p-4 sm:p-5">
            <Progress application={application} />
            {application?.status === "approved" ? <SignIn address={address} /> : null}
            {application === null || application.status === "rejected" ? (
              <Apply address={address} onSent={() => void query.refetch()} />
            ) : null}
          </div>
        )}
      </Loaded>
    </Card>
  );
}

function Progress({ application }: { application: Answer<"applications.get"> | null }) {
  switch (application?.status) {
    case "pending":
      return (
        <Notice tone="accent" title="Your application is under review">
          Sent {formatTime(application.createdAt)}. Come back with the same wallet.
        </Notice>
      );
    case "rejected":
      return (
        <Notice tone="warn" title="Your application was not accepted">
          You may send another one.
        </Notice>
      );
    case "revoked":
      return (
        <Notice tone="bad" title="Your access was revoked">
          Your keys no longer work. Write to support.
        </Notice>
      );
    case "approved":
      return <Notice tone="good" title="Your application is approved" />;
    default:
      return null;
  }
}

function SignIn({ address }: { address: `0x${string}` }) {
  const signIn = usePartnerSignIn();
  const purpose = signIn.isPending ? signIn.variables.purpose : null;
  return (
    <div className="space-y-3">
      {signIn.error === null ? null : <ErrorState error={signIn.error} />}
      <div className="flex flex-wrap gap-3">
        <Button busy={purpose === "login"} onClick={() => signIn.mutate({ address, purpose: "login" })}>
          Sign in
        </Button>
        <Button
          kind="secondary"
          busy={purpose === "register"}
          onClick={() => signIn.mutate({ address, purpose: "register" })}
        >
          First time: register
        </Button>
      </div>
      <p className="text-sm text-muted">
        Your wallet signs a message; nothing is sent on chain. The session lives in this page only.
      </p>
    </div>
  );
}

function Apply({ address, onSent }: { address: `0x${string}`; onSent: () => void }) {
  const apply = usePartnerApplication(onSent);
  const [form, setForm] = useState({ company: "", email: "", website: "" });
  const field = (name: keyof typeof form) => ({
    value: form[name],
    onChange: (event: { target: { value: string } }) => setForm({ ...form, [name]: event.target.value }),
  });
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        apply.mutate({ address, form });
      }}
    >
      <h2 className="font-semibold">Apply</h2>
      <TextField label="Company" required maxLength={120} autoComplete="organization" {...field("company")} />
      <TextField label="Email" type="email" required autoComplete="email" {...field("email")} />
      <TextField label="Website (optional)" type="url" autoComplete="url" {...field("website")} />
      {apply.error === null ? null : <ErrorState error={apply.error} />}
      <Button type="submit" busy={apply.isPending}>
        Sign and send
      </Button>
    </form>
  );
}
