import { useTexts } from '../../i18n/use-texts.ts';
import { BASE } from '../../platform/base.ts';
import { askForPasskey } from '../../session/passkey.ts';
import { Button } from '../../ui/controls/button.tsx';
import { useAttempt } from '../../ui/feedback/use-attempt.ts';
import { anonymous } from './start-api.ts';
import { StartCard, StartForm } from './start-card.tsx';
import { StartError } from './start-error.tsx';

/**
 * Signs in with a passkey for a page of the server that has no scripts, and goes back to it.
 *
 * @param props.page its path; the server signs in for its own pages alone.
 */
export function PageSignIn({ page }: { readonly page: string }) {
  const t = useTexts('start');
  const attempt = useAttempt();
  const signIn = async () => {
    const used = await askForPasskey(await anonymous.passkeyOptions());
    if (used === null) return;
    await anonymous.signInOnPage({ ...used, page });
    location.replace(BASE + page.slice(1));
  };
  return (
    <StartCard title={t('pageTitle')} text={t('pageText')}>
      <StartForm submit={() => attempt.run(signIn)}>
        <StartError error={attempt.error} />
        <Button type="submit" look="primary" aria-disabled={attempt.isRunning} autoFocus>
          {t('usePasskey')}
        </Button>
        <Button look="quiet" onClick={() => history.back()}>
          {t('back')}
        </Button>
      </StartForm>
    </StartCard>
  );
}
