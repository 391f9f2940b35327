import { useTexts } from '../../i18n/use-texts.ts';
import { session } from '../../session/app-session.ts';
import { Button } from '../../ui/controls/button.tsx';
import { useAttempt } from '../../ui/feedback/use-attempt.ts';
import { StartCard, StartForm } from './start-card.tsx';
import { StartError } from './start-error.tsx';

/** Signs in with the token of a link of the operator. Opening the link, as link previews do, does not use it up. */
export function LoginLink({ token, back }: { readonly token: string; readonly back: () => void }) {
  const t = useTexts('start');
  const attempt = useAttempt();
  return (
    <StartCard
      title={t('signInTitle')}
      text={t('loginLinkText')}
      foot={
        <Button look="quiet" onClick={back}>
          {t('backToSignIn')}
        </Button>
      }
    >
      <StartForm submit={() => attempt.run(() => session.enter('/auth/login-link', { token }))}>
        <StartError error={attempt.error} />
        <Button type="submit" look="primary" aria-disabled={attempt.isRunning}>
          {t(attempt.isRunning ? 'signingIn' : 'signIn')}
        </Button>
      </StartForm>
    </StartCard>
  );
}
