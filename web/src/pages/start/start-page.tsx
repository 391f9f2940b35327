import type { BootstrapResponse } from '@notevault/protocol/accounts.ts';
import { lazy, use, useEffect, useState } from 'react';
import { forgetLists, wipeCopies } from '../../device/wipe.ts';
import { loadTexts } from '../../i18n/i18n.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { takeFromAddress } from '../../page/from-address.ts';
import { importOrReload } from '../../page/import-or-reload.ts';
import { takeInvitation } from '../../page/invitation.ts';
import { session } from '../../session/app-session.ts';
import { Button } from '../../ui/controls/button.tsx';
import { useAttempt } from '../../ui/feedback/use-attempt.ts';
import { ForgotPassword } from './forgot-password.tsx';
import { LoginLink } from './login-link.tsx';
import { PasswordField } from './password-field.tsx';
import { Register } from './register.tsx';
import { SignIn } from './sign-in.tsx';
import { anonymous } from './start-api.ts';
import { StartCard, StartForm } from './start-card.tsx';
import { StartError } from './start-error.tsx';

const InvitedStart = lazy(async () => {
  const [module] = await Promise.all([importOrReload(() => import('./invited-start.tsx')), loadTexts('sharing')]);
  return { default: module.InvitedStart };
});

const CLOSED: BootstrapResponse = {
  bootstrap_pending: false,
  registration_mode: 'closed',
  mail: false,
  methods: ['password'],
  oidc: null,
};

let asked: Promise<BootstrapResponse> | null = null;
session.state.subscribe(() => {
  // There is an account from then on.
  asked = null;
});

/** Asks once what this server allows; a server that cannot be reached still shows the page for signing in. */
function bootstrap(): Promise<BootstrapResponse> {
  asked ??= anonymous.bootstrap().catch(() => {
    asked = null;
    return CLOSED;
  });
  return asked;
}

/** Page for people who are not signed in: sign-in, registration, password reset by a link, or an invitation. */
export function StartPage() {
  const { bootstrap_pending, registration_mode, mail, methods, oidc } = use(bootstrap());
  const [isFirst, setFirst] = useState(bootstrap_pending);
  const [{ reason: ended }] = useState(() => ({ reason: null, ...session.state.get() }));
  useEffect(() => {
    void (ended === 'revoked' ? wipeCopies() : forgetLists());
  }, [ended]);
  const [invitation, setInvitation] = useState(takeInvitation);
  const [setupToken, setSetupToken] = useState(() => takeFromAddress('setup'));
  useEffect(() => {
    const look = () => {
      setInvitation(takeInvitation());
      setSetupToken((known) => takeFromAddress('setup') ?? known);
    };
    addEventListener('hashchange', look);
    return () => removeEventListener('hashchange', look);
  }, []);
  const [invite] = useState(() => takeFromAddress('invite'));
  const [reset] = useState(() => takeFromAddress('reset'));
  const [login, setLogin] = useState(() => takeFromAddress('login'));
  const [step, setStep] = useState<'sign-in' | 'register' | 'forgot' | 'reset' | 'was-reset'>(firstStep(invite, reset));
  if (isFirst) {
    // Somebody else may have made the first account meanwhile.
    const askAgain = async () => {
      asked = null;
      setFirst((await bootstrap()).bootstrap_pending);
    };
    return <Register kind="first" invite="" setupToken={setupToken} whenRefused={askAgain} back={null} />;
  }
  if (login !== null) return <LoginLink token={login} back={() => setLogin(null)} />;
  if (step === 'reset') return <ResetPassword token={reset ?? ''} done={() => setStep('was-reset')} />;
  if (step === 'forgot') return <ForgotPassword back={() => setStep('sign-in')} />;
  const kind = registration_mode === 'open' ? 'open' : 'invited';
  // A new account has a password.
  const isClosed = registration_mode === 'closed' || !methods.includes('password');
  const offers = { methods, oidc };
  if (invitation !== null) {
    return (
      <InvitedStart
        key={invitation}
        token={invitation}
        ended={ended}
        registration={isClosed ? null : kind}
        offers={offers}
        leave={() => setInvitation(null)}
      />
    );
  }
  if (step === 'register') {
    return <Register kind={kind} invite={invite ?? ''} back={() => setStep('sign-in')} />;
  }
  const register = isClosed ? null : () => setStep('register');
  const forgot = mail ? () => setStep('forgot') : null;
  return <SignIn isReset={step === 'was-reset'} ended={ended} register={register} forgot={forgot} offers={offers} />;
}

function firstStep(invite: string | null, reset: string | null): 'sign-in' | 'register' | 'reset' {
  if (reset !== null) return 'reset';
  return invite === null ? 'sign-in' : 'register';
}

/** Sets a new password with the token of a link. */
function ResetPassword({ token, done }: { readonly token: string; readonly done: () => void }) {
  const t = useTexts('start');
  const attempt = useAttempt();
  return (
    <StartCard title={t('resetTitle')} text={t('resetText')}>
      <StartForm
        submit={(form) =>
          attempt.run(async () => {
            await anonymous.resetPassword(token, String(form.get('password')));
            done();
          })
        }
      >
        <PasswordField label={t('newPassword')} name="password" isNew />
        <StartError error={attempt.error} />
        <Button type="submit" look="primary" aria-disabled={attempt.isRunning}>
          {t('setPassword')}
        </Button>
      </StartForm>
    </StartCard>
  );
}
