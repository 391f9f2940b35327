import { useTexts } from '../../i18n/use-texts.ts';
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
import styles from './settings.module.css';
import { account } from './settings-api.ts';

/** Asks for the proof of identity for which a request waits. */
export function StepUpDialog() {
  const question = useObservable(stepUp.question);
  return question === null ? null : <Ask question={question} />;
}

function Ask({ question: { methods, answer } }: { readonly question: ProofQuestion }) {
  const t = useTexts('settings');
  const tVault = useTexts('vault');
  const attempt = useAttempt();
  const byCode = methods.includes('totp');
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
        {byCode ? <CodeField /> : <PasswordField label={t('stepUp.password')} name="password" />}
        {attempt.error === null ? null : <Notice kind="danger">{errorText(tVault, attempt.error)}</Notice>}
        <DialogButtons>
          <Button onClick={() => answer(false)}>{tVault('cancel')}</Button>
          <Button look="primary" type="submit" aria-disabled={attempt.isRunning}>
            {t('stepUp.confirm')}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}

function CodeField() {
  const t = useTexts('start');
  return <Field label={t('code')} hint={t('codeHint')} name="code" autoComplete="one-time-code" required autoFocus />;
}
