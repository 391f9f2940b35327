import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { keys } from '../../data/keys.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { BASE } from '../../platform/base.ts';
import { useObservable } from '../../platform/use-observable.ts';
import { stepUp } from '../../session/app-session.ts';
import type { ProofQuestion } from '../../session/step-up.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Dialog, DialogButtons } from '../../ui/dialogs/dialog.tsx';
import { errorText } from '../../ui/feedback/error-text.ts';
import { Notice } from '../../ui/feedback/notice.tsx';
import { useAttempt } from '../../ui/feedback/use-attempt.ts';
import { PasswordField } from '../start/password-field.tsx';
import { anonymous } from '../start/start-api.ts';
import styles from './settings.module.css';
import { account } from './settings-api.ts';
import { useSignInErrorText } from './sign-in-error.ts';

/** Asks for the proof of identity for which a request waits. */
export function StepUpDialog() {
  const question = useObservable(stepUp.question);
  return question === null ? null : <Ask question={question} />;
}

function Ask({ question: { methods, answer } }: { readonly question: ProofQuestion }) {
  const t = useTexts('settings');
  const tVault = useTexts('vault');
  const explain = useSignInErrorText();
  const attempt = useAttempt();
  const byCode = methods.includes('totp');
  const byPassword = methods.includes('password');
  const askPasskey = async () => {
    const { askForPasskey } = await import('../../session/passkey.ts');
    const passkey = await askForPasskey(await account.startStepUp());
    if (passkey === null) return;
    await account.stepUp({ passkey });
    answer(true);
  };
  return (
    <Dialog title={t('stepUp.title')} close={() => answer(false)}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          const proof = byCode ? { code: String(form.get('code')) } : { password: String(form.get('password')) };
          attempt.run(async () => {
            await account.stepUp(proof);
            answer(true);
          });
        }}
      >
        <p>{t('stepUp.about')}</p>
        {methods.includes('passkey') ? (
          <Button
            look={byCode || byPassword ? 'plain' : 'primary'}
            onClick={() => attempt.run(askPasskey)}
            aria-disabled={attempt.isRunning}
          >
            {t('stepUp.passkey')}
          </Button>
        ) : null}
        {byCode ? <CodeField /> : byPassword ? <PasswordField label={t('stepUp.password')} name="password" /> : null}
        {methods.includes('oidc') ? <AtProvider done={() => answer(true)} isOnly={methods.length === 1} /> : null}
        {attempt.error === null ? null : <Notice kind="danger">{explain(attempt.error)}</Notice>}
        <DialogButtons>
          <Button onClick={() => answer(false)}>{tVault('cancel')}</Button>
          {byCode || byPassword ? (
            <Button look="primary" type="submit" aria-disabled={attempt.isRunning}>
              {t('stepUp.confirm')}
            </Button>
          ) : null}
        </DialogButtons>
      </form>
    </Dialog>
  );
}

/** Proves it at the provider, in another window; the requests that wait go on from this one. */
function AtProvider({ done, isOnly }: { readonly done: () => void; readonly isOnly: boolean }) {
  const t = useTexts('settings');
  const attempt = useAttempt();
  const [isOpen, setOpen] = useState(false);
  const { data: server } = useQuery({ queryKey: keys.bootstrap, queryFn: anonymous.bootstrap });
  const name = server?.oidc?.name ?? '';
  const open = () => {
    // At once: browsers open windows only while they handle the click.
    const other = window.open('', '_blank');
    attempt.run(async () => {
      const { url } = await account.stepUpByProvider(BASE);
      if (other === null) location.assign(url);
      else other.location.href = url;
      setOpen(true);
    });
  };
  return (
    <>
      {attempt.error === null ? null : <ProviderError error={attempt.error} />}
      {isOpen ? <p>{t('stepUp.comeBack', { name })}</p> : null}
      <Button look={isOnly ? 'primary' : 'plain'} aria-disabled={attempt.isRunning} onClick={isOpen ? done : open}>
        {isOpen ? t('stepUp.goOn') : t('stepUp.at', { name })}
      </Button>
    </>
  );
}

function ProviderError({ error }: { readonly error: unknown }) {
  const t = useTexts('vault');
  return <Notice kind="danger">{errorText(t, error)}</Notice>;
}

function CodeField() {
  const t = useTexts('start');
  return <Field label={t('code')} hint={t('codeHint')} name="code" autoComplete="one-time-code" required autoFocus />;
}
