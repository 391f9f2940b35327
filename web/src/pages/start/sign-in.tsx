import type { BootstrapResponse } from '@notevault/protocol/accounts.ts';
import { lazy, Suspense, useState } from 'react';
import { useTexts } from '../../i18n/use-texts.ts';
import { importOrReload } from '../../page/import-or-reload.ts';
import { session } from '../../session/app-session.ts';
import type { EndReason } from '../../session/session-channel.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Notice } from '../../ui/feedback/notice.tsx';
import { useAttempt } from '../../ui/feedback/use-attempt.ts';
import { OwnDevice, takeOwnDevice } from './own-device.tsx';
import { PasswordField } from './password-field.tsx';
import { ProviderButton } from './provider-button.tsx';
import { SecondStep, ticketOf } from './second-step.tsx';
import { StartCard, StartForm, type Welcome } from './start-card.tsx';
import { StartError } from './start-error.tsx';

const PasskeySignIn = lazy(() =>
  importOrReload(() => import('./passkey-sign-in.tsx')).then((module) => ({ default: module.PasskeySignIn })),
);

interface SignInProps {
  /** Whether a new password was set just before. */
  readonly isReset: boolean;
  /** Why the session before ended. */
  readonly ended: EndReason;
  /** Opens the page for a new account; null where the server takes none. */
  readonly register: (() => void) | null;
  /** Opens the page that asks for a link to a new password; null where the server sends no mails. */
  readonly forgot?: (() => void) | null;
  /** Sign-in methods of the server. */
  readonly offers: Pick<BootstrapResponse, 'methods' | 'oidc'>;
  /** Texts about the invitation. */
  readonly welcome?: Welcome;
}

export function SignIn({ isReset, ended, register, forgot = null, offers, welcome }: SignInProps) {
  const t = useTexts('start');
  const hasPassword = offers.methods.includes('password');
  const hasPasskeys = offers.methods.includes('passkey');
  const attempt = useAttempt();
  const [wasLeft, leave] = useState<string | null>(null);
  const ticket = ticketOf(attempt.error);
  if (ticket !== null && ticket !== wasLeft) return <SecondStep ticket={ticket} back={() => leave(ticket)} />;
  return (
    <StartCard
      title={t('signInTitle')}
      {...welcome}
      foot={
        <>
          {!hasPassword ? null : forgot === null ? (
            <p>{t('forgot')}</p>
          ) : (
            <p>
              <Button look="quiet" onClick={forgot}>
                {t('forgotAsk')}
              </Button>
            </p>
          )}
          {register === null ? null : (
            <p>
              {t(welcome === undefined ? 'haveInvite' : 'noAccountYet')}{' '}
              <Button look="quiet" onClick={register}>
                {t('createAccount')}
              </Button>
            </p>
          )}
        </>
      }
    >
      {ended === 'expired' || ended === 'revoked' ? <Notice kind="plain">{t(`ended.${ended}`)}</Notice> : null}
      {isReset ? <Notice kind="ok">{t('resetDone')}</Notice> : null}
      <StartForm
        submit={(form) =>
          attempt.run(() => {
            const device = takeOwnDevice(form);
            return session.enter('/auth/login', { ...Object.fromEntries(form), ...device });
          })
        }
      >
        {hasPassword ? (
          <>
            <Field
              label={t('email')}
              name="email"
              type="email"
              autoComplete={hasPasskeys ? 'username webauthn' : 'username'}
              required
              autoFocus
            />
            <PasswordField label={t('password')} name="password" />
          </>
        ) : null}
        <OwnDevice />
        <StartError error={ticket === null ? attempt.error : null} />
        {hasPassword ? (
          <Button type="submit" look="primary" aria-disabled={attempt.isRunning}>
            {t(attempt.isRunning ? 'signingIn' : 'signIn')}
          </Button>
        ) : null}
        {hasPasskeys ? (
          <Suspense>
            <PasskeySignIn isMain={!hasPassword} />
          </Suspense>
        ) : null}
        {offers.oidc === null ? null : <ProviderButton name={offers.oidc.name} isMain={!hasPassword && !hasPasskeys} />}
      </StartForm>
    </StartCard>
  );
}
