import { ConfirmEmail } from './confirm-email.tsx';
import { PageSignIn } from './page-sign-in.tsx';

interface LinkedPageProps {
  /** The token of a link that confirms an address. */
  readonly confirmation: string | null;
  /** The page of the server that wants a passkey and has no scripts. */
  readonly page: string | null;
  readonly done: () => void;
}

/** Shows the page of a link that works alike whether or not the browser is signed in. */
export function LinkedPage({ confirmation, page, done }: LinkedPageProps) {
  return confirmation === null ? <PageSignIn page={page ?? ''} /> : <ConfirmEmail token={confirmation} done={done} />;
}
