import { useTexts } from '../../i18n/use-texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { useAttempt } from '../../ui/feedback/use-attempt.ts';
import { PasswordField } from './password-field.tsx';
import { anonymous } from './start-api.ts';
import { StartCard, StartForm } from './start-card.tsx';
import { StartError } from './start-error.tsx';

/** Sets a new password with the token of a link. */
export function ResetPassword({ token, done }: { readonly token: string; readonly done: () => void }) {
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
